import { join, sql, statement, type Tx } from '../../db/sql.ts'

/** What is counted for each project. */
export type Counted = 'zones' | 'recordsets' | 'records' | 'shared_zones'

const shards = 16

/**
 * Adds to what a project has, or takes away; `shardKey` (the id of what is added) spreads writers over rows.
 *
 * The rows stay locked until the transaction ends: count last, after every other row is written, and where
 * `lockCount` is used too, call that first. Then nobody waits in a circle.
 */
export const addToCount = (
  tx: Tx,
  projectId: string,
  what: Counted,
  delta: number,
  shardKey: string,
): Promise<number> =>
  tx.run(statement`
    insert into counts (project_id, what, shard, n) values (${projectId}, ${what}, ${shardOf(shardKey)}, ${delta})
    on conflict (project_id, what, shard) do update set n = counts.n + excluded.n`)

/** Some to add to what a project has, or to take away. */
export type Addition = { readonly project_id: string; readonly what: Counted; readonly n: number }

/** As addToCount, for several at once. */
export async function addToCounts(tx: Tx, additions: readonly Addition[], shardKey: string): Promise<void> {
  const some = additions.filter(({ n }) => n !== 0)
  if (some.length === 0) return
  // SQLite keeps a journal of its own for each statement of several rows; to PostgreSQL a statement is a message.
  if (tx.engine === 'sqlite') {
    for (const { project_id, what, n } of some) await addToCount(tx, project_id, what, n, shardKey)
    return
  }
  const shard = shardOf(shardKey)
  const rows = some.map((one) => sql`(${one.project_id}, ${one.what}, ${shard}, ${one.n})`)
  await tx.run(sql`
    insert into counts (project_id, what, shard, n) values ${join(rows)}
    on conflict (project_id, what, shard) do update set n = counts.n + excluded.n`)
}

/** How many a project has; with no project given, how many there are. */
export async function countOf(tx: Tx, projectId: string | undefined, what: Counted): Promise<number> {
  const row = await tx.get<{ n: number }>(
    projectId === undefined
      ? statement`select cast(coalesce(sum(n), 0) as bigint) as n from counts where what = ${what}`
      : statement`
          select cast(coalesce(sum(n), 0) as bigint) as n from counts where project_id = ${projectId} and what = ${what}`,
  )
  return row!.n
}

/** How many a project has, and no other transaction changes that until this one ends. */
export async function lockCount(tx: Tx, projectId: string, what: Counted): Promise<number> {
  if (tx.engine === 'sqlite') return countOf(tx, projectId, what)
  let rows = await lockShards(tx, projectId, what)
  if (rows.length === 0) {
    const missing = Array.from({ length: shards }, (_, shard) => sql`(${projectId}, ${what}, ${shard}, 0)`)
    await tx.run(sql`insert into counts (project_id, what, shard, n) values ${join(missing)} on conflict do nothing`)
    rows = await lockShards(tx, projectId, what)
  }
  return rows.reduce((total, { n }) => total + n, 0)
}

/**
 * Locks all rows of a count or, while some are not there yet and so cannot be locked, none. Always in the same order:
 * two who lock wait in a line, not in a circle.
 */
const lockShards = (tx: Tx, projectId: string, what: Counted): Promise<{ n: number }[]> =>
  tx.all<{ n: number }>(sql`
    select n from counts where project_id = ${projectId} and what = ${what}
      and (select count(*) from counts where project_id = ${projectId} and what = ${what}) = ${shards}
    order by shard ${tx.forUpdate}`)

/** FNV-1a, folded: near keys fall far apart. */
export function shardOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return ((hash >>> 16) ^ hash) & (shards - 1)
}
