import { type Field, fault, field, id, integer, kind, moment, nullable, optional, text } from '../../api/field.ts'
import { type Described, type RowOf, resource } from '../../api/resource.ts'
import { parseIpv4, parseIpv6, printAddress } from '../../dns/address.ts'
import { DnsError, TextError } from '../../dns/errors.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { nameToAscii } from '../../dns/idna.ts'

/** What keeps text from being a value, by the DNS library's own words. */
function faultOf(check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch (error) {
    if (error instanceof DnsError) return error.message
    throw error
  }
}

/** An address in the one form it has here; throws when it is none. */
export function canonicalAddress(given: string): string {
  if (!given.includes(':')) return printAddress(parseIpv4(given))
  const octets = parseIpv6(given)
  // RFC 4291 2.5.5.2: the same host as the IPv4 address, which would have two names.
  if (isMapped(octets)) {
    throw new TextError(`address must be the IPv4 address itself, ${printAddress(octets.subarray(12))}, not ${given}`)
  }
  return printAddress(octets)
}

const isMapped = (octets: Uint8Array): boolean =>
  octets.subarray(0, 12).every((octet, i) => octet === (i < 10 ? 0 : 255))

const parsed = (
  example: string,
  wrong: (value: string) => string | undefined,
  canonical: (value: string) => string,
): Field<string>['parse'] => {
  const parse: Field<string>['parse'] = (value, path, faults) => {
    if (typeof value !== 'string') return fault(faults, path, 'type', 'string', `must be a string, not ${kind(value)}`)
    if (value.length > 1000) return fault(faults, path, 'maxLength', 255, `must be short, such as ${example}`)
    const message = faultOf(() => wrong(value))
    return message === undefined ? canonical(value) : fault(faults, path, 'format', example, message)
  }
  return parse
}

const hostName = field<string, 'always'>(
  { type: 'string', maxLength: 255, examples: ['smtp.example.org.'] },
  parsed('smtp.example.org.', (value) => hostnameFault(nameToAscii(value)), nameToAscii),
  { write: 'always' },
)

const address = field<string, 'create'>(
  { type: 'string', maxLength: 45, examples: ['192.0.2.7', '2001:db8::7'] },
  parsed('192.0.2.7', (value) => void canonicalAddress(value), canonicalAddress),
  { write: 'create', filter: true, sort: true },
)

function regionFault(region: string): string | undefined {
  if (/^[A-Za-z0-9._-]{1,100}$/.test(region)) return undefined
  return "must be letters, digits, '.', '-' and '_', such as RegionOne"
}

/** An address of a project with the name it has, if any. */
export const floatingip = resource(
  {
    name: 'floatingip',
    label: 'FloatingIP',
    plural: 'floatingips',
    path: '/reverse/floatingips/{id}',
    purpose: 'An address of your project, and the name that is told to whoever asks for its owner.',
    notFound: 'not_found',
  },
  {
    id: text(137),
    description: nullable(text(160, { write: 'always' })),
    address: text(45),
    ptrdname: nullable(hostName),
    ttl: nullable(integer(0, 2_147_483_647, { write: 'always' })),
    action: text(10),
    status: text(10),
  },
)

export type Floatingip = RowOf<typeof floatingip>

const list = { type: 'array', items: floatingip.schema.view }

/** All addresses of a project: there are no pages. */
export const floatingips: Described = {
  name: 'floatingip_list',
  plural: 'floatingips',
  purpose: 'The addresses of your project.',
  fields: { floatingips: field(list, () => undefined, {}) },
  schema: {
    view: {
      type: 'object',
      properties: {
        floatingips: list,
        links: { type: 'object', properties: { self: { type: 'string' } }, required: ['self'] },
      },
      required: ['floatingips', 'links'],
    },
  },
}

/** What setting a name answers: the address, or null once its name is taken away. */
export const floatingipOrNull: Described = {
  ...floatingip,
  name: 'floatingip_or_null',
  schema: {
    view: { anyOf: [floatingip.schema.view, { type: 'null' }] },
    update: floatingip.schema.update,
  },
}

/** An address in the list that administrators keep. */
export const reverseAddress = resource(
  {
    name: 'reverse_address',
    label: 'ReverseAddress',
    plural: 'addresses',
    source: 'reverse_addresses',
    path: '/reverse/addresses/{id}',
    purpose: 'An address that an administrator says a project has; used where no network service is asked.',
    notFound: 'reverse_address_not_found',
  },
  {
    id: id(),
    address,
    project_id: text(255, { min: 1, write: 'always', filter: true, sort: true }),
    region: optional(text(100, { rule: regionFault, write: 'create', filter: true, sort: true }), 'RegionOne'),
    description: nullable(text(160, { write: 'always' })),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type ReverseAddress = RowOf<typeof reverseAddress>
