import { join, sql, type Tx } from '../db/sql.ts'
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
}

const columns = sql`id, name, pool_id, type, ttl, serial, published_serial`

/** Zones in the order of their ids, some at a time: those that are to be served. */
export const zonesAfter = (tx: Tx, id: string, limit: number): Promise<ServedZone[]> =>
  tx.all(sql`select ${columns} from zones where id > ${id} and deleted_at is null order by id limit ${limit}`)

/** The zones with these ids that are to be served. */
export const zonesWithIds = async (tx: Tx, ids: readonly string[]): Promise<ServedZone[]> =>
  ids.length === 0
    ? []
    : tx.all(sql`select ${columns} from zones where id in (${join([...ids])}) and deleted_at is null`)

type SetRow = readonly [zone_id: string, id: string, name: string, type: string, ttl: number | null, records: string]

/** Everything a zone holds as of this transaction, some sets at a time, so that a large zone is never held as text. */
export async function* contentOf(tx: Tx, zone: ServedZone, sets = 1000): AsyncGenerator<ResourceRecord[]> {
  let after = ''
  for (;;) {
    const rows = (await tx.values(sql`
      select zone_id, id, name, type, ttl, records from recordsets where zone_id = ${zone.id} and id > ${after}
      order by id limit ${sets}`)) as unknown as SetRow[]
    if (rows.length > 0) yield rows.flatMap((row) => recordsIn(row, zone.ttl))
    if (rows.length < sets) return
    after = rows.at(-1)![1]
  }
}

/** What several small zones hold, by their ids, read at once. */
export async function contentOfMany(tx: Tx, zones: readonly ServedZone[]): Promise<Map<string, ResourceRecord[]>> {
  const ttls = new Map(zones.map(({ id, ttl }) => [id, ttl]))
  const found = new Map<string, ResourceRecord[]>(zones.map(({ id }) => [id, []]))
  const rows = (await tx.values(sql`
    select zone_id, id, name, type, ttl, records from recordsets where zone_id in (${join([...ttls.keys()])})`)) as unknown as SetRow[]
  for (const row of rows) found.get(row[0])!.push(...recordsIn(row, ttls.get(row[0])!))
  return found
}

const recordsIn = ([, , name, type, ttl, records]: SetRow, zoneTtl: number): ResourceRecord[] =>
  recordsOf({ name, type, ttl, records: JSON.parse(records) }, zoneTtl)
