import { setImmediate as nextTurn } from 'node:timers/promises'
import { join, sql, type Tx } from '../db/sql.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { recordsIn, recordsOf, setsOf } from '../journal/content.ts'
import { entries } from '../zonedata/ordered-map.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { type Zone, zoneFromRecords } from '../zonedata/zone.ts'
import { nameFault, type StoredSet, setKey } from './plan.ts'
import type { SecondaryZone } from './store.ts'

/** Sets by name and type. */
export type StoredSets = Map<string, StoredSet>

/** Everything a zone holds, as rows and as one value without its SOA. */
export async function heldContent(
  tx: Tx,
  zone: Pick<SecondaryZone, 'id' | 'name' | 'ttl'>,
): Promise<{ readonly sets: StoredSets; readonly content: Zone }> {
  const sets: StoredSets = new Map()
  const records: ResourceRecord[] = []
  for await (const rows of setsOf(tx, zone.id)) {
    for (const row of rows) {
      const [, id, name, type, ttl, texts] = row
      if (type === 'SOA') continue
      sets.set(setKey(name, type), { id, name, type, ttl, records: texts })
      for (const record of recordsIn(row, zone.ttl)) records.push(record)
    }
    await nextTurn()
  }
  return { sets, content: zoneFromRecords(zone.name, records) }
}

const namesAtOnce = 100

/** All sets at some names. */
export async function setsAt(tx: Tx, zoneId: string, names: readonly string[]): Promise<StoredSets> {
  const keys = [...new Set(names.map((name) => name.toLowerCase()))]
  const sets: StoredSets = new Map()
  for (let at = 0; at < keys.length; at += namesAtOnce) {
    const rows = await tx.all<StoredSet>(sql`
      select id, name, type, ttl, records from recordsets
      where zone_id = ${zoneId} and name_key in (${join(keys.slice(at, at + namesAtOnce))})`)
    for (const row of rows) sets.set(setKey(row.name, row.type), row)
  }
  return sets
}

/** The SOA that a zone has now. */
export async function heldSoa(tx: Tx, zone: Pick<SecondaryZone, 'id' | 'name' | 'ttl'>): Promise<ResourceRecord> {
  const row = await tx.get<StoredSet>(sql`
    select id, name, type, ttl, records from recordsets
    where zone_id = ${zone.id} and name_key = ${zone.name.toLowerCase()} and type = 'SOA'`)
  const [soa] = row === undefined ? [] : recordsOf({ ...row, records: JSON.parse(row.records) }, zone.ttl)
  if (soa?.type !== SOA) throw new Error(`zone ${zone.id} has no SOA`)
  return soa
}

/** What is wrong with the content of a zone as a whole, which it cannot be served with. */
export function contentFault({ apex, names }: Zone): string | undefined {
  let hasApex = false
  for (const { key, value } of entries(names)) {
    if (key === apex) hasApex = true
    const sets = new Map(value.rrsets.map(({ type, rdatas }) => [type, rdatas.length]))
    const fault = nameFault(sets, key === apex)
    if (fault !== undefined) return `${value.name}: ${fault}`
  }
  return hasApex ? undefined : 'the zone has no NS record at its top'
}
