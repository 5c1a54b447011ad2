import { nameKey, parseName } from '../../dns/name.ts'
import type { TsigKey } from '../../dns/tsig.ts'
import type { Answer } from './client.ts'

/** What a zone must be at the server. */
export type WantedZone = {
  readonly kind: 'Slave'
  readonly masters: readonly string[]
  readonly slave_tsig_key_ids: readonly string[]
}

/** The fields of what should be a JSON object; none where it is not. */
export function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

/** Why PowerDNS did not do something, in its words; what passes is worth another try. */
export type Problem = { readonly reason: string; readonly passes: boolean }

/** The problem that an answer tells of; undefined where it tells of none. */
export function problemOf({ status, body }: Answer): Problem | undefined {
  if (status < 300) return undefined
  const { error, errors } = fieldsOf(body)
  const words = [error, ...(Array.isArray(errors) ? errors : [])].filter((word) => typeof word === 'string')
  const reason = `${words.join('; ').slice(0, 500) || 'no reason given'} (status ${status})`
  return { reason, passes: status >= 500 || status === 429 }
}

/** Whether a zone as PowerDNS shows it is taken from elsewhere; newer versions have another word for it. */
export function isSecondary({ kind }: Readonly<Record<string, unknown>>): boolean {
  return kind === 'Slave' || kind === 'Secondary'
}

/** Whether a zone as PowerDNS shows it is the server's own. */
export function isOwn(zone: Readonly<Record<string, unknown>>): boolean {
  return typeof zone.kind === 'string' && !isSecondary(zone)
}

/** Whether a zone as PowerDNS shows it is what it must be. */
export function isAsWanted(zone: Readonly<Record<string, unknown>>, wanted: WantedZone): boolean {
  const { masters, slave_tsig_key_ids } = zone
  return isSecondary(zone) && isSame(masters, wanted.masters) && isSame(slave_tsig_key_ids, wanted.slave_tsig_key_ids)
}

/** Whether a key as PowerDNS shows it is this one. */
export function isSameKey({ algorithm, key }: Readonly<Record<string, unknown>>, ours: TsigKey): boolean {
  return algorithm === ours.algorithm && Buffer.from(String(key), 'base64').equals(ours.secret)
}

/** A name of PowerDNS, perhaps without its final dot, in lower case and in the text it has with us. */
export function canonical(name: string): string {
  try {
    return nameKey(parseName(name, '.'))
  } catch {
    return name
  }
}

const isSame = (theirs: unknown, ours: readonly string[]): boolean =>
  Array.isArray(theirs) && theirs.map(String).toSorted().join() === ours.toSorted().join()
