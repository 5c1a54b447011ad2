import { join, sql, type Tx } from '../db/sql.ts'
import { nameKey } from '../dns/name.ts'
import { rdataFromText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { typeCode } from '../dns/types/index.ts'

/** A record set as text. */
export type TextSet = {
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: readonly string[]
}

/** The records of a set as they are served; sets without a TTL have their zone's. */
export function recordsOf(set: TextSet, zoneTtl: number): ResourceRecord[] {
  const type = typeCode(set.type)
  if (type === undefined) throw new Error(`${set.name} is stored with the type ${set.type}, which there is not`)
  return set.records.map((text) => ({
    name: set.name,
    type,
    class: 1,
    ttl: set.ttl ?? zoneTtl,
    rdata: rdataFromText(type, text),
  }))
}

/** A zone as those who serve it know it. */
export type ServedZone = {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly type: string
  readonly ttl: number
  readonly serial: number
  readonly published_serial: number
  readonly record_count: number
  /** When a secondary zone was last taken from its masters. */
  readonly transferred_at: string | null
  /** Since when no master of a secondary zone confirms what it holds: it must not be served. */
  readonly expired_at: string | null
  /** Whether what came from a master is only in part in the rows. */
  readonly partial: number
}

const columns = sql`id, name, pool_id, type, ttl, serial, published_serial, record_count, transferred_at, expired_at, partial`

// Pools may each have a zone of one name; a server that serves all pools serves the oldest.
const isServed = sql`deleted_at is null and not exists (
  select 1 from zones other where other.name_key = zones.name_key and other.deleted_at is null and other.id < zones.id)`

/** What tells zones apart, for those who go through all of them. */
export type NamedZone = Pick<ServedZone, 'id' | 'name' | 'serial' | 'published_serial'>

/** Zones that are not deleted in the order of their ids, some at a time, at little cost. */
export async function namesAfter(tx: Tx, after: string, limit: number): Promise<NamedZone[]> {
  const rows = (await tx.values(sql`
    select id, name, serial, published_serial from zones where id > ${after} and deleted_at is null
    order by id limit ${limit}`)) as [string, string, number, number][]
  return rows.map(([id, name, serial, published_serial]) => ({ id, name, serial, published_serial }))
}

/** The zones that are not served because an older one has their name. */
export async function shadowedZones(tx: Tx): Promise<Set<string>> {
  const rows = (await tx.values(sql`
    select name_key, id from zones where deleted_at is null and name_key in (
      select name_key from zones where deleted_at is null group by name_key having count(*) > 1)
    order by name_key, id`)) as [string, string][]
  return new Set(rows.filter(([name], i) => rows[i - 1]?.[0] === name).map(([, id]) => id))
}

/** The zones with these ids that are to be served. */
export const zonesWithIds = async (tx: Tx, ids: readonly string[]): Promise<ServedZone[]> =>
  ids.length === 0 ? [] : tx.all(sql`select ${columns} from zones where id in (${join([...ids])}) and ${isServed}`)

/** The zone of a name that is to be served. */
export const zoneNamed = (tx: Tx, name: string): Promise<(ServedZone & { readonly masters: string }) | undefined> =>
  tx.get(sql`
    select ${columns}, masters from zones where name_key = ${nameKey(name)} and deleted_at is null order by id limit 1`)

/** Deleted zones that nobody has said to be gone yet. */
export const zonesToLeave = (tx: Tx): Promise<{ readonly id: string }[]> =>
  tx.all(sql`select id from zones where deleted_at is not null and gone_at is null order by pool_id, id`)

/** A record set as its row has it. */
export type SetRow = readonly [
  zone_id: string,
  id: string,
  name: string,
  type: string,
  ttl: number | null,
  records: string,
]

const setColumns = sql`zone_id, id, name, type, ttl, records`

/** Every record set of a zone as of this transaction, some at a time, so that a large zone is never held as text. */
export async function* setsOf(tx: Tx, zoneId: string, atOnce = 1000): AsyncGenerator<SetRow[]> {
  let after = ''
  for (;;) {
    const rows = (await tx.values(sql`
      select ${setColumns} from recordsets where zone_id = ${zoneId} and id > ${after}
      order by id limit ${atOnce}`)) as unknown as SetRow[]
    if (rows.length > 0) yield rows
    if (rows.length < atOnce) return
    after = rows.at(-1)![1]
  }
}

/** The record sets of several small zones, by the zones' ids, read at once. */
export async function setsOfMany(tx: Tx, zoneIds: readonly string[]): Promise<Map<string, SetRow[]>> {
  const found = new Map<string, SetRow[]>(zoneIds.map((id) => [id, []]))
  const rows = (await tx.values(sql`
    select ${setColumns} from recordsets where zone_id in (${join([...zoneIds])})`)) as unknown as SetRow[]
  for (const row of rows) found.get(row[0])!.push(row)
  return found
}

/** The records of a stored set; throws where they cannot be served as they are stored. */
export const recordsIn = ([, , name, type, ttl, records]: SetRow, zoneTtl: number): ResourceRecord[] =>
  recordsOf({ name, type, ttl, records: JSON.parse(records) }, zoneTtl)
