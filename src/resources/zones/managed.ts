import { nameToWire } from '../../dns/name.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import type { Pool } from '../pools/fields.ts'
import type { Zone } from './fields.ts'

const [classIn, ns, soa] = [1, 2, 6]

/** The parts of a zone that its SOA is made of. */
export type SoaParts = Pick<
  Zone,
  'name' | 'ttl' | 'primary_ns' | 'contact' | 'refresh' | 'retry' | 'expire' | 'minimum'
>

export const soaText = (zone: SoaParts, serial: number): string =>
  `${zone.primary_ns} ${zone.contact} ${serial} ${zone.refresh} ${zone.retry} ${zone.expire} ${zone.minimum}`

/** The SOA a zone has with a serial. */
export const soaRecord = (zone: SoaParts, serial: number): ResourceRecord => ({
  name: zone.name,
  type: soa,
  class: classIn,
  ttl: zone.ttl,
  rdata: soaRdata(zone, serial),
})

/** What parsing the text would give, without making it: every change has two of these. */
function soaRdata(zone: SoaParts, serial: number): Uint8Array {
  const [primary, contact] = [nameToWire(zone.primary_ns), nameToWire(zone.contact)]
  const rdata = new Uint8Array(primary.length + contact.length + 20)
  rdata.set(primary)
  rdata.set(contact, primary.length)
  const numbers = new DataView(rdata.buffer, primary.length + contact.length)
  for (const [i, number] of [serial, zone.refresh, zone.retry, zone.expire, zone.minimum].entries()) {
    numbers.setUint32(4 * i, number)
  }
  return rdata
}

/** The names of a pool's servers, the first to be named first: by priority, then by name. */
export const serverNames = (pool: Pick<Pool, 'ns_records'>): string[] =>
  pool.ns_records
    .toSorted((a, b) => a.priority - b.priority || (a.hostname.toLowerCase() < b.hostname.toLowerCase() ? -1 : 1))
    .map(({ hostname }) => hostname)

/** The NS records at a zone's top. */
export const nsRecords = (zone: Pick<Zone, 'name' | 'ttl'>, hostnames: readonly string[]): ResourceRecord[] =>
  hostnames.map((hostname) => ({
    name: zone.name,
    type: ns,
    class: classIn,
    ttl: zone.ttl,
    rdata: rdataFromText(ns, hostname),
  }))
