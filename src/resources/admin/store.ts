import { sql, type Tx } from '../../db/sql.ts'
import { countOf } from '../quotas/counts.ts'

/** What can be counted, and how: from what is kept, never by counting rows. */
export const counters: Readonly<Record<string, (tx: Tx) => Promise<number>>> = {
  zones: (tx) => countOf(tx, undefined, 'zones'),
  records: (tx) => countOf(tx, undefined, 'records'),
  async tenants(tx) {
    const row = await tx.get<{ n: number }>(sql`
      select count(*) as n from (
        select project_id from counts where what = 'zones' group by project_id having sum(n) > 0) as tenants`)
    return row!.n
  },
  async zones_delayed_notify(tx) {
    const row = await tx.get<{ n: number }>(sql`
      select count(*) as n from pools p join zones z on z.pool_id = p.id and z.ns_revision < p.ns_revision
      where z.deleted_at is null`)
    return row!.n
  },
}

export type Tenant = { readonly id: string; readonly zones: number }

/** The projects that have zones, after a marker, in the order of their ids. */
export const tenantsAfter = (tx: Tx, marker: string, limit: number): Promise<Tenant[]> =>
  tx.all(sql`
    select project_id as id, cast(sum(n) as bigint) as zones from counts
    where what = 'zones' and project_id > ${marker} group by project_id having sum(n) > 0
    order by project_id limit ${limit}`)

/** The names of a project's zones. */
export const zoneNames = async (tx: Tx, projectId: string): Promise<string[]> =>
  (
    await tx.values(sql`
      select name from zones where project_id = ${projectId} and gone_at is null order by name_key, id`)
  ).map(([name]) => name as string)
