import type { Caller } from '../../api/auth.ts'
import { join, type Sql, sql, type Tx } from '../../db/sql.ts'
import type { ZoneExport } from './fields.ts'

/** The condition that a caller may see an export. */
export const visibleTo = (caller: Caller): Sql[] => (caller.allProjects ? [] : [sql`project_id = ${caller.project_id}`])

const own = (caller: Caller): Sql => visibleTo(caller)[0] ?? sql`1 = 1`

export const get = (tx: Tx, id: string, caller: Caller): Promise<ZoneExport | undefined> =>
  tx.get<ZoneExport>(sql`select * from zone_exports where id = ${id} and ${own(caller)}`)

export const insert = (tx: Tx, row: ZoneExport): Promise<number> =>
  tx.run(sql`
    insert into zone_exports (id, project_id, zone_id, status, message, location, version, created_at, updated_at)
    values (${row.id}, ${row.project_id}, ${row.zone_id}, ${row.status}, ${row.message}, ${row.location}, ${row.version},
      ${row.created_at}, ${row.updated_at})`)

export const remove = async (tx: Tx, id: string, caller: Caller): Promise<boolean> =>
  (await tx.run(sql`delete from zone_exports where id = ${id} and ${own(caller)}`)) > 0

/** The exports, a number of them, that were made before a moment. */
export const endedBefore = async (tx: Tx, before: string, limit: number): Promise<string[]> =>
  (
    await tx.all<{ id: string }>(sql`
      select id from zone_exports where updated_key > '' and updated_key < ${before} order by updated_key, id limit ${limit}`)
  ).map(({ id }) => id)

/** Removes exports. */
export const forget = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run(sql`delete from zone_exports where id in (${join(ids)})`)
