import { isIPv4, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { hostnameFault } from '../dns/hostname.ts'
import { mailboxName } from '../dns/mailbox.ts'
import { typeCode } from '../dns/types/index.ts'
import { networkFault } from '../networks.ts'

/** Text that is not what a setting takes; the message says what is right. */
export class BadValue extends Error {}

/** Where to listen. */
export type Address = { readonly host: string; readonly port: number }

export const parseList =
  <T>(parse: (text: string) => T) =>
  (text: string): readonly T[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parse)

export const parseSome =
  <T>(parse: (text: string) => T) =>
  (text: string): readonly T[] => {
    const items = parseList(parse)(text)
    if (items.length === 0) throw new BadValue('must name at least one')
    return items
  }

export const parseOptional =
  <T>(parse: (text: string) => T) =>
  (text: string): T | undefined =>
    text === '' ? undefined : parse(text)

export const parseInteger =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    throw new BadValue(`must be a whole number from ${least} to ${most}, not ${quote(text)}`)
  }

/** A quota: how many, or -1 for no limit. */
export const parseQuota = (text: string): number => (text === '-1' ? -1 : parseInteger(0, 2_147_483_647)(text))

const units = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20 } as const

export const parseBytes =
  (least: number, most: number) =>
  (text: string): number => {
    const match = /^(\d{1,15}) ?(KiB|MiB)?$/.exec(text)
    const value = match ? Number(match[1]) * units[(match[2] ?? '') as keyof typeof units] : Number.NaN
    if (value >= least && value <= most) return value
    throw new BadValue(`must be ${least} to ${most} bytes, such as 65536, 64 KiB or 1 MiB, not ${quote(text)}`)
  }

export const parseChoice =
  <const T extends string>(...choices: readonly T[]) =>
  (text: string): T => {
    const choice = choices.find((one) => one === text)
    if (choice !== undefined) return choice
    throw new BadValue(`must be ${choices.join(', ')}, not ${quote(text)}`)
  }

export function parseBoolean(text: string): boolean {
  if (text === 'true' || text === 'yes' || text === '1') return true
  if (text === 'false' || text === 'no' || text === '0') return false
  throw new BadValue(`must be true or false, not ${quote(text)}`)
}

export function parsePath(text: string): string {
  if (text === '' || text.includes('\0')) throw new BadValue('must be the path of a folder')
  return resolve(text)
}

/** `HOST:PORT`, an IPv6 address in brackets. */
export function parseAddress(text: string): Address {
  const { host, port } = splitAddress(text)
  if (isIPv4(host) || isIPv6(host)) return { host, port }
  // A name made of digits alone is a mistyped address, and resolvers read it as one of another kind.
  if (/[a-z]/i.test(host) && hostnameFault(`${host}.`) === undefined) return { host, port }
  throw notAnAddress(text)
}

/** `ADDRESS:PORT` where a name will not do, since nothing can be resolved before the name server runs. */
export function parseSocketAddress(text: string): Address {
  const { host, port } = splitAddress(text)
  if (isIPv4(host) || isIPv6(host)) return { host, port }
  throw notAnAddress(text)
}

function splitAddress(text: string): Address {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65535) throw notAnAddress(text)
  if (match[1] !== undefined && !isIPv6(match[1])) throw notAnAddress(text)
  return { host: match[1] ?? match[2]!, port }
}

const notAnAddress = (text: string): BadValue =>
  new BadValue(`must be ADDRESS:PORT, such as 127.0.0.1:9001, 0.0.0.0:9001 or [::1]:9001, not ${quote(text)}`)

export function parseIp(text: string): string {
  if (isIPv4(text) || isIPv6(text)) return text
  throw new BadValue(`must be an IP address, such as 192.0.2.1 or 2001:db8::1, not ${quote(text)}`)
}

/** An address or a network in CIDR form. */
export function parseNetwork(text: string): string {
  const fault = networkFault(text)
  if (fault === undefined) return text
  throw new BadValue(fault)
}

export function parseHostname(text: string): string {
  const fault = hostnameFault(text)
  if (fault !== undefined) throw new BadValue(`${fault}, not ${quote(text)}`)
  return text.toLowerCase()
}

/** The address clients use, without a slash at its end. */
export function parseWebUrl(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text)) {
    return url.href.replace(/\/+$/, '')
  }
  throw new BadValue(`must be an http or https URL without user, query or fragment, not ${quote(text)}`)
}

/** A browser origin: scheme, host and port, or `*` for any. */
export function parseOrigin(text: string): string {
  if (text === '*') return text
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()) return url.origin
  throw new BadValue(`must be an origin such as https://console.example.org, or *, not ${quote(text)}`)
}

/** A PostgreSQL connection URL; it may hold a password, so the message never shows it. */
export function parseDatabaseUrl(text: string): string {
  if (/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new BadValue('must be postgres://USER:PASSWORD@HOST:PORT/DATABASE (the value given is not shown)')
}

/** A key written out in base64, or a passphrase that is not too easily guessed; the message never shows it. */
export function parseSecretKey(text: string): string {
  if (text.length >= 16) return text
  throw new BadValue(
    'must be base64 of 32 octets, or a passphrase of at least 16 characters (the value given is not shown)',
  )
}

/** The same URL with stars in place of its password. */
export function maskDatabaseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return '***'
  if (url.password) url.password = '***'
  for (const key of [...url.searchParams.keys()]) if (/password/i.test(key)) url.searchParams.set(key, '***')
  return url.href
}

const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

export function parseEmail(text: string): string {
  try {
    mailboxName(text)
    return text
  } catch (error) {
    throw new BadValue((error as Error).message)
  }
}

export function parseRecordType(text: string): string {
  if (typeCode(text) !== undefined && text === text.toUpperCase()) return text
  throw new BadValue(`must be a record type such as A or TXT, not ${quote(text)}`)
}

export const parseText =
  (most: number) =>
  (text: string): string => {
    if (text.length <= most && /^[\x20-\x7e]*$/.test(text)) return text
    throw new BadValue(`must be at most ${most} printable characters, not ${quote(text)}`)
  }
