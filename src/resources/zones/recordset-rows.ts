import { join, type Row, sql, statement, type Tx } from '../../db/sql.ts'
import { treeKey } from './rules.ts'

/** A record set as its row has it. */
export type RecordsetRow = {
  readonly id: string
  readonly zone_id: string
  readonly project_id: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly description: string | null
  readonly records: readonly string[]
  readonly managed: number
  readonly serial: number
  readonly version: number
  readonly created_at: string
  readonly updated_at: string | null
}

/** A record to find its set by: as it was written, and its one canonical form where that differs. */
export type Findable = { readonly data: string; readonly canonical: string | null }

/** Stores a new set; throws UniqueViolation when the zone has one of that name and type. */
export async function insertRecordset(tx: Tx, row: RecordsetRow, findable: readonly Findable[]): Promise<void> {
  await tx.run(statement`
    insert into recordsets (id, zone_id, project_id, name, tree_key, type, ttl, description, records, managed, serial, version, created_at)
    values (${row.id}, ${row.zone_id}, ${row.project_id}, ${row.name}, ${treeKey(row.name)}, ${row.type}, ${row.ttl}, ${row.description},
      ${JSON.stringify(row.records)}, ${row.managed}, ${row.serial}, ${row.version}, ${row.created_at})`)
  await insertFindable(tx, row.id, findable)
}

/** Stores a changed set; with `findable`, its records changed too. */
export async function updateRecordset(tx: Tx, row: RecordsetRow, findable?: readonly Findable[]): Promise<void> {
  await tx.run(statement`
    update recordsets set ttl = ${row.ttl}, description = ${row.description}, records = ${JSON.stringify(row.records)},
      serial = ${row.serial}, version = ${row.version}, updated_at = ${row.updated_at}
    where id = ${row.id}`)
  if (findable === undefined) return
  await tx.run(sql`delete from records where recordset_id = ${row.id}`)
  await insertFindable(tx, row.id, findable)
}

export const removeRecordset = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`delete from recordsets where id = ${id}`)

/** The set of a type at the top of a zone. */
export async function recordsetAtApex(
  tx: Tx,
  zone: { id: string; name: string },
  type: string,
): Promise<RecordsetRow | undefined> {
  const row = await tx.get(sql`
    select * from recordsets where zone_id = ${zone.id} and name_key = ${zone.name.toLowerCase()} and type = ${type}`)
  return row === undefined ? undefined : asRecordset(row)
}

/** A database row as values. */
export const asRecordset = (row: Row): RecordsetRow => ({
  ...(row as RecordsetRow),
  records: JSON.parse(row.records as string),
})

const rowsAtOnce = 1000

async function insertFindable(tx: Tx, id: string, findable: readonly Findable[]): Promise<void> {
  if (findable.length === 1) {
    const { data, canonical } = findable[0]!
    await tx.run(statement`insert into records (recordset_id, data, canonical) values (${id}, ${data}, ${canonical})`)
    return
  }
  for (let from = 0; from < findable.length; from += rowsAtOnce) {
    const rows = findable.slice(from, from + rowsAtOnce).map((one) => sql`(${id}, ${one.data}, ${one.canonical})`)
    await tx.run(sql`insert into records (recordset_id, data, canonical) values ${join(rows)}`)
  }
}
