import { bulkInsert, type RowValues } from '../db/bulk-rows.ts'
import { join, sql, type Tx } from '../db/sql.ts'
import { nameKey } from '../dns/name.ts'
import { rdataToText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { typeName } from '../dns/types/index.ts'
import { newId } from '../ids.ts'
import { treeKey } from '../resources/zones/store.ts'

/** A catalog zone as its row has it. */
export type CatalogRow = {
  readonly id: string
  readonly name: string
  readonly pool_id: string
  readonly serial: number
  readonly refresh: number
  readonly recordset_count: number
  readonly record_count: number
  readonly created_at: string
}

/** Whom catalog zones belong to: nobody's quota, and in no list but those over all projects. */
export const serviceProject = '00000000-0000-0000-0000-000000000000'

/** The revision of the pool's name servers that a catalog zone is at: its own are never those of the pool. */
export const catalogRevision = 2_147_483_647

const columns = sql`id, name, pool_id, serial, refresh, recordset_count, record_count, created_at`
// By the project, which has few zones; the pool may have many.
const isCatalog = sql`project_id = ${serviceProject} and type = 'CATALOG' and deleted_at is null and gone_at is null`

/** The catalog zone of a pool. */
export const catalogOf = async (tx: Tx, poolId: string): Promise<CatalogRow | undefined> =>
  (await tx.all<CatalogRow>(sql`select ${columns} from zones where ${isCatalog} order by id`)).findLast(
    ({ pool_id }) => pool_id === poolId,
  )

/** A catalog zone, and no other transaction changes it until this one ends. */
export const lockCatalog = (tx: Tx, id: string): Promise<CatalogRow | undefined> =>
  tx.get(sql`select ${columns} from zones where id = ${id} and type = 'CATALOG' and deleted_at is null ${tx.forUpdate}`)

/** A record set of a catalog as its row has it. */
export type SetRow = { readonly id: string; readonly name: string; readonly type: string; readonly records: string }

const namesAtOnce = 300
// PostgreSQL may read the whole table for each part, where it is not large.
const zonesAtOnce = 2000

/** The record sets that a catalog has at names, by those names. */
export async function setsAt(tx: Tx, zoneId: string, names: readonly string[]): Promise<Map<string, SetRow[]>> {
  const found = new Map<string, SetRow[]>()
  for (const some of inParts(names.map(nameKey), namesAtOnce)) {
    // As values, each is looked up; as a list, PostgreSQL compares every row with all of it until it has statistics.
    const rows = (await tx.values(sql`
      select id, name, type, records from recordsets
      where (zone_id, name_key) in (values ${join(some.map((name) => sql`(${zoneId}, ${name})`))})`)) as [
      string,
      string,
      string,
      string,
    ][]
    for (const [id, name, type, records] of rows) {
      const key = nameKey(name)
      found.set(key, [...(found.get(key) ?? []), { id, name, type, records }])
    }
  }
  return found
}

/** The names at which a catalog lists any of these zones. */
export async function placesOf(tx: Tx, zoneId: string, zones: readonly string[]): Promise<string[]> {
  // In two steps: joined, an engine may take it into its head to begin with all that the catalog lists.
  const ids: string[] = []
  for (const some of inParts(zones, zonesAtOnce)) {
    const rows = await tx.values(sql`
      select recordset_id from records where substr(data, 1, 255) in (values ${join(some.map((name) => sql`(${name})`))})`)
    for (const [id] of rows) ids.push(id as string)
  }
  const found: string[] = []
  for (const some of inParts(ids, namesAtOnce)) {
    const rows = await tx.values(sql`select name, type, zone_id from recordsets where id in (${join(some)})`)
    for (const [name, type, zone] of rows) if (type === 'PTR' && zone === zoneId) found.push(name as string)
  }
  return found
}

const insertSets = bulkInsert('recordsets', [
  ...['id', 'zone_id', 'project_id', 'name', 'tree_key', 'type', 'records', 'managed', 'serial', 'version'],
  'created_at',
])
const insertRecords = bulkInsert('records', ['recordset_id', 'data'])

/** Whose rows are written, and what they say of when. */
export type RowsOf = {
  readonly zone_id: string
  readonly serial: number
  readonly at: string
  readonly now: Date
  readonly managed: number
}

/** Stores records as record sets of their names and types; tells how many sets they are. The SOA is not to be searched for. */
export async function insertRows(tx: Tx, records: readonly ResourceRecord[], of: RowsOf): Promise<number> {
  const sets: RowValues[] = []
  const data: RowValues[] = []
  for (const some of bySet(records)) {
    const id = newId(of.now)
    const [{ name, type }] = some as [ResourceRecord]
    const texts = some.map(({ rdata }) => rdataToText(type, rdata))
    const written = [treeKey(name), typeName(type), JSON.stringify(texts), of.managed, of.serial, 1, of.at]
    sets.push([id, of.zone_id, serviceProject, name, ...written])
    if (typeName(type) !== 'SOA') for (const text of texts) data.push([id, text])
  }
  await insertSets(tx, sets)
  await insertRecords(tx, data)
  return sets.length
}

/** Removes record sets with what they hold. */
export async function deleteRows(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const some of inParts(ids, namesAtOnce)) {
    await tx.run(sql`delete from recordsets where id in (${join(some)})`)
  }
}

/** Gives the row of a catalog's SOA what the SOA is now. */
export const updateSoa = (tx: Tx, { id }: { readonly id: string }, soa: ResourceRecord, serial: number) =>
  tx.run(sql`
    update recordsets set records = ${JSON.stringify([rdataToText(soa.type, soa.rdata)])}, serial = ${serial}
    where zone_id = ${id} and name_key = ${nameKey(soa.name)} and type = 'SOA'`)

function bySet(records: readonly ResourceRecord[]): Iterable<ResourceRecord[]> {
  const sets = new Map<string, ResourceRecord[]>()
  for (const record of records) {
    const key = `${record.type} ${record.name}`
    const set = sets.get(key)
    if (set === undefined) sets.set(key, [record])
    else set.push(record)
  }
  return sets.values()
}

function* inParts<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}
