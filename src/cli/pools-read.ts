import { suggestion } from '../config/nearest.ts'
import type { Fault } from '../errors.ts'
import { hostFault, hostKey } from '../hosts.ts'
import { toUuid } from '../ids.ts'

export type Path = readonly (string | number)[]
export type HostPort = { readonly host: string; readonly port: number }

/** Adds a fault; returns undefined so that a reader can return it. */
export function wrong(faults: Fault[], path: Path, message: string): undefined {
  faults.push({ path, message, validator: 'file', validator_value: null })
  return undefined
}

/** A mapping with none but the given keys; what has no value is left out. */
export function mapping(
  value: unknown,
  path: Path,
  keys: readonly string[],
  faults: Fault[],
): Readonly<Record<string, unknown>> | undefined {
  if (!isMapping(value)) return wrong(faults, path, `must be a mapping with ${keys.join(', ')}, not ${kindOf(value)}`)
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      wrong(faults, [...path, key], `is not known here${suggestion(key, keys)}; known are ${keys.join(', ')}`)
    }
  }
  return value
}

/** The items of a list, each read by `read`, undefined where it is wrong; nothing at all is an empty list. */
export function list<T>(
  value: unknown,
  path: Path,
  faults: Fault[],
  read: (item: unknown, path: Path, faults: Fault[]) => T | undefined,
): readonly (T | undefined)[] | undefined {
  if (value === null) return []
  if (!Array.isArray(value)) return wrong(faults, path, `must be a list, not ${kindOf(value)}`)
  return value.map((item, i) => read(item, [...path, i], faults))
}

/** What people write in quotes as the number it is; anything else as it is. */
export const unquoted = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value

/** A whole number within bounds, also one in quotes. */
function wholeNumber(
  value: unknown,
  path: Path,
  [min, max]: readonly [number, number],
  faults: Fault[],
): number | undefined {
  const number = unquoted(value)
  if (!Number.isInteger(number)) return wrong(faults, path, `must be a whole number, not ${kindOf(value)}`)
  const held = number as number
  return held >= min && held <= max ? held : wrong(faults, path, `must be ${min}..${max}, not ${held}`)
}

/** `{host, port}`; a port that is left out is 53. */
export function hostPort(value: unknown, path: Path, faults: Fault[]): HostPort | undefined {
  const given = mapping(value, path, ['host', 'port'], faults)
  if (given === undefined) return undefined
  const host = hostOf(given.host, [...path, 'host'], faults)
  const port = wholeNumber(given.port ?? 53, [...path, 'port'], [1, 65_535], faults)
  return host === undefined || port === undefined ? undefined : { host, port }
}

/** An address or a host name. */
function hostOf(value: unknown, path: Path, faults: Fault[]): string | undefined {
  if (value === undefined || value === null) return wrong(faults, path, 'is required')
  if (typeof value !== 'string') return wrong(faults, path, `must be an address or a host name, not ${kindOf(value)}`)
  const fault = hostFault(value)
  return fault === undefined ? value : wrong(faults, path, fault)
}

/** The same for two addresses that are the same, however they are written. */
export const addressKey = ({ host, port }: HostPort): string => `${hostKey(host)}:${port}`

/** An id; what has none is null. */
export function idOrNull(value: unknown, path: Path, faults: Fault[]): string | null | undefined {
  if (value === undefined || value === null) return null
  const id = typeof value === 'string' ? toUuid(value) : undefined
  return id ?? wrong(faults, path, 'must be a UUID')
}

/** Notes each item whose key an earlier one has. */
export function noTwins<T>(
  items: readonly (T | undefined)[] | undefined,
  path: Path,
  keyOf: (item: T) => string | undefined,
  faults: Fault[],
): void {
  const seen = new Map<string, number>()
  for (const [i, item] of items?.entries() ?? []) {
    const key = item === undefined ? undefined : keyOf(item)
    if (key === undefined) continue
    const first = seen.get(key)
    if (first === undefined) seen.set(key, i)
    else wrong(faults, [...path, i], `is the same as ${placeText([...path, first])}`)
  }
}

/** `pools[0].targets[1].options.port` */
export const placeText = (path: Path): string =>
  `pools${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`

export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]'

/** What a person calls the kind of a value in YAML; never the value, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a date'
  if (typeof value === 'object') return 'a mapping'
  return { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? typeof value
}
