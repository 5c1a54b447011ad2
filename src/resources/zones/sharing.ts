import { sql, type Tx } from '../../db/sql.ts'
import { type Addition, addToCounts } from '../quotas/counts.ts'
import type { Zone } from './fields.ts'

/** Ends all shares of a locked zone. What was made through them becomes its owner's. */
export async function endShares(tx: Tx, zone: Zone): Promise<void> {
  const moved = await giveSets(tx, zone, zone.project_id)
  const ended = await tx.all<{ target_project_id: string }>(sql`
    delete from zone_shares where zone_id = ${zone.id} returning target_project_id`)
  await tx.run(sql`update zones set shared = 0 where id = ${zone.id}`)
  const targets = ended.map(({ target_project_id }) => target_project_id).toSorted()
  await addToCounts(
    tx,
    targets.map((project_id) => ({ project_id, what: 'shared_zones', n: -1 })),
    zone.id,
  )
  await addToCounts(tx, moved, zone.id)
}

/** Gives every record set of a locked zone to one project; returns what the counts of projects change by, in their order. */
export async function giveSets(tx: Tx, zone: Zone, projectId: string): Promise<Addition[]> {
  const others = sql`zone_id = ${zone.id} and project_id <> ${projectId}`
  // Only through shares has a zone record sets of other projects than its own.
  const had =
    zone.shared === 0 && zone.project_id !== projectId
      ? [{ project_id: zone.project_id, n: zone.recordset_count }]
      : await tx.all<{ project_id: string; n: number }>(sql`
          select project_id, count(*) as n from recordsets where ${others} group by project_id`)
  if (had.length === 0) return []
  await tx.run(sql`update recordsets set project_id = ${projectId}, version = version + 1 where ${others}`)
  const gained = { project_id: projectId, n: had.reduce((total, { n }) => total + n, 0) }
  return [...had.map(({ project_id, n }) => ({ project_id, n: -n })), gained]
    .toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1))
    .map((one) => ({ ...one, what: 'recordsets' }))
}
