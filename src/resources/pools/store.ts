import { type Row, raw, sql, statement, type Tx } from '../../db/sql.ts'
import { defaultPoolId, type Pool, pool } from './fields.ts'

/** What is woken when it changes which servers a pool has, how they are to be served, or what is wanted of them. */
export const deliveryTopic = 'delivery'

const columnsAndValues = (row: Pool) => sql`
  (id, name, description, project_id, attributes, ns_records, created_at)
  values (${row.id}, ${row.name}, ${row.description}, ${row.project_id}, ${JSON.stringify(row.attributes)},
    ${JSON.stringify(row.ns_records)}, ${row.created_at})`

/** Stores a new one; throws UniqueViolation when its name is taken. */
export const insert = (tx: Tx, row: Pool): Promise<number> => tx.run(sql`insert into pools ${columnsAndValues(row)}`)

/** Stores one that another program may be storing at this very moment. */
export const insertOnce = (tx: Tx, row: Pool): Promise<number> =>
  tx.run(sql`insert into pools ${columnsAndValues(row)} on conflict do nothing`)

const visible = (projectId: string | undefined) =>
  projectId === undefined ? sql`` : sql`and (project_id = ${projectId} or project_id is null)`

/** One that the project may see: its own or nobody's; with no project given, any. */
export const get = async (tx: Tx, id: string, projectId: string | undefined): Promise<Pool | undefined> =>
  parsed(
    await tx.get(
      projectId === undefined
        ? statement`select * from pools where id = ${id}`
        : sql`select * from pools where id = ${id} ${visible(projectId)}`,
    ),
  )

/** As get, the values of these columns alone. */
export const valuesOf = async (
  tx: Tx,
  columns: readonly string[],
  id: string,
  projectId: string | undefined,
): Promise<unknown[] | undefined> =>
  (await tx.values(sql`select ${raw(columns.join(', '))} from pools where id = ${id} ${visible(projectId)}`))[0]

/** As get, and no other transaction changes the row until this one ends. */
export const lock = async (tx: Tx, id: string, projectId: string | undefined): Promise<Pool | undefined> =>
  parsed(await tx.get(sql`select * from pools where id = ${id} ${visible(projectId)} ${tx.forUpdate}`))

/** Every pool, oldest first. */
export const all = async (tx: Tx): Promise<Pool[]> =>
  (await tx.all(sql`select * from pools order by created_at, id`)).map((row) => asPool(row))

const asPool = (row: Row): Pool => pool.fromRow(row) as Pool

const parsed = (row: Row | undefined): Pool | undefined => (row === undefined ? undefined : asPool(row))

/** Stores changes; throws UniqueViolation when the new name is taken. */
export const update = (tx: Tx, row: Pool): Promise<number> =>
  tx.run(sql`
    update pools set name = ${row.name}, description = ${row.description}, attributes = ${JSON.stringify(row.attributes)},
      ns_records = ${JSON.stringify(row.ns_records)}, ns_revision = ${row.ns_revision}, updated_at = ${row.updated_at}
    where id = ${row.id}`)

/** Removes a pool that holds no zones, its catalog zone with it; what is kept until it is purged goes to the default pool. */
export async function remove(tx: Tx, id: string, at: string): Promise<void> {
  const catalogs = await tx.all<{ id: string }>(sql`
    update zones set deleted_at = ${at}, purge_at = ${at}, changed_at = ${at}
    where pool_id = ${id} and type = 'CATALOG' and deleted_at is null returning id`)
  for (const catalog of catalogs) tx.wake(catalog.id)
  await tx.run(sql`
    update zones set pool_id = ${defaultPoolId} where pool_id = ${id} and (gone_at is not null or type = 'CATALOG')`)
  await tx.run(sql`delete from pools where id = ${id}`)
}

/** Whether a zone, also one that is on its way out, is placed in it; its own catalog zone is not. */
export const holdsZones = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.get(sql`
    select 1 as one from zones where pool_id = ${id} and gone_at is null and type <> 'CATALOG' limit 1`)) !== undefined

/** Notes whether other servers than the built-in one answer for a pool, and wakes those who deliver to them. */
export async function noteDelivered(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update pools set delivered = case
      when exists (select 1 from pool_targets where pool_id = ${id})
        or exists (select 1 from pool_nameservers where pool_id = ${id}) then 1 else 0 end
    where id = ${id}`)
  tx.wake(deliveryTopic)
}
