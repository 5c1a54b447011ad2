import type { Config, Setting } from '../config.ts'
import { BadValue, parseInteger, parseOptional, parsePath, parseText, parseWebUrl } from './parse.ts'

const hidden = () => '***'

const multipleOf =
  (step: number, parse: (text: string) => number) =>
  (text: string): number => {
    const value = parse(text)
    if (value % step === 0) return value
    throw new BadValue(`must be a multiple of ${step}, not ${value}`)
  }

function parseSomeText(text: string): string {
  if (text === '') throw new BadValue('must not be empty')
  return parseText(255)(text)
}

function parseRegion(text: string): string {
  if (/^[A-Za-z0-9._-]{1,100}$/.test(text)) return text
  throw new BadValue("must be letters, digits, '.', '-' and '_', such as RegionOne")
}

/** The settings of reverse names: where the addresses of projects are known, and the zones their names go to. */
export const reverseSettings = {
  managed_project: {
    help: 'Project that the reverse zones belong to which the service makes itself.',
    default: '00000000-0000-0000-0000-000000000000',
    parse: parseSomeText,
  },
  reverse_ipv4_prefix: {
    help: 'Length of the prefix of IPv4 reverse zones that are made on demand: 8, 16 or 24.',
    default: '24',
    parse: multipleOf(8, parseInteger(8, 24)),
  },
  reverse_ipv6_prefix: {
    help: 'Length of the prefix of IPv6 reverse zones that are made on demand, a multiple of 4.',
    default: '64',
    parse: multipleOf(4, parseInteger(4, 124)),
  },
  network_url: {
    help: "URL of OpenStack's network service, which knows the addresses of projects; without it, they are listed at /v2/reverse/addresses.",
    default: '',
    parse: parseOptional(parseWebUrl),
  },
  network_region: {
    help: 'Region of the network service: the first part of the ids of its addresses.',
    default: 'RegionOne',
    parse: parseRegion,
  },
  network_ca_file: {
    help: 'File with the certificates (PEM) that the network and identity services are known by, in place of those that Node trusts.',
    default: '',
    parse: parseOptional(parsePath),
  },
  network_identity_url: {
    help: "URL of OpenStack's identity service, to get a token for the network service; without it, callers' own tokens are passed on.",
    default: '',
    parse: parseOptional(parseWebUrl),
  },
  network_username: {
    help: 'User that asks the network service.',
    default: '',
    parse: parseOptional(parseText(255)),
  },
  network_password: {
    help: 'Password of that user.',
    default: '',
    parse: parseOptional((text) => text),
    mask: hidden,
  },
  network_project: {
    help: 'Project of that user.',
    default: 'service',
    parse: parseSomeText,
  },
  network_domain: {
    help: 'Domain of that user and project.',
    default: 'Default',
    parse: parseSomeText,
  },
  network_credential_id: {
    help: 'Id of an application credential to use in place of a user and password.',
    default: '',
    parse: parseOptional(parseText(255)),
  },
  network_credential_secret: {
    help: 'Secret of that application credential.',
    default: '',
    parse: parseOptional((text) => text),
    mask: hidden,
  },
} as const satisfies Record<string, Setting>

/** What the settings of the network service get wrong together; a line each. */
export function networkContradictions(config: Config): readonly string[] {
  const lines: string[] = []
  const pairs = [
    ['network_username', 'network_password'],
    ['network_credential_id', 'network_credential_secret'],
  ] as const
  for (const [one, other] of pairs) {
    if ((config[one] === undefined) !== (config[other] === undefined)) lines.push(`${one} and ${other} go together`)
  }
  const hasCredentials = pairs.some(([one]) => config[one] !== undefined)
  if (config.network_identity_url !== undefined && !hasCredentials) {
    lines.push(`network_identity_url needs ${pairs.map((pair) => pair.join(' and ')).join(', or ')}`)
  }
  if (config.network_identity_url === undefined && hasCredentials) {
    lines.push('credentials for the network service need network_identity_url, where a token is got with them')
  }
  if (config.network_identity_url !== undefined && config.network_url === undefined) {
    lines.push('network_identity_url is of no use without network_url')
  }
  return lines
}
