import { sql, type Tx } from '../../db/sql.ts'
import { type SharedZone, sharedZone } from './fields.ts'

const parsed = (row: Record<string, unknown> | undefined): SharedZone | undefined =>
  row === undefined ? undefined : sharedZone.fromRow(row)

/** Stores a new one; throws UniqueViolation when the zone is shared with that project already. */
export async function insert(tx: Tx, row: SharedZone, zoneName: string): Promise<void> {
  await tx.run(sql`
    insert into zone_shares (id, zone_id, project_id, target_project_id, name_key, created_at)
    values (${row.id}, ${row.zone_id}, ${row.project_id}, ${row.target_project_id}, ${zoneName.toLowerCase()}, ${row.created_at})`)
  await markZone(tx, row.zone_id, row.created_at)
}

/** A share of a zone. */
export const get = async (tx: Tx, zoneId: string, id: string): Promise<SharedZone | undefined> =>
  parsed(await tx.get(sql`select * from zone_shares where id = ${id} and zone_id = ${zoneId}`))

export async function remove(tx: Tx, row: SharedZone, at: string): Promise<void> {
  await tx.run(sql`delete from zone_shares where id = ${row.id}`)
  await markZone(tx, row.zone_id, at)
}

/** Whether a project has record sets in a zone. */
export const hasRecordsets = async (tx: Tx, zoneId: string, projectId: string): Promise<boolean> =>
  (await tx.get(
    sql`select 1 as one from recordsets where zone_id = ${zoneId} and project_id = ${projectId} limit 1`,
  )) !== undefined

const markZone = (tx: Tx, zoneId: string, at: string): Promise<number> =>
  tx.run(sql`
    update zones set version = version + 1, updated_at = ${at},
      shared = case when exists (select 1 from zone_shares where zone_id = zones.id) then 1 else 0 end
    where id = ${zoneId}`)
