import { join, type Row, sql, type Tx } from '../../db/sql.ts'
import { deliveryTopic } from '../pools/store.ts'
import { type PoolCheck, poolCheck } from './fields.ts'

/** The oldest check of some pools that nobody has begun. */
export const pendingOf = async (
  tx: Tx,
  poolIds: readonly string[],
): Promise<Pick<PoolCheck, 'id' | 'pool_id' | 'depth'> | undefined> =>
  poolIds.length === 0
    ? undefined
    : tx.get(sql`
        select id, pool_id, depth from pool_checks
        where status <> 'COMPLETE' and status = 'PENDING' and pool_id in (${join([...poolIds])}) order by created_at limit 1`)

/** Takes a check on; tells whether it was still to be had. */
export const begin = async (tx: Tx, id: string, at: string): Promise<boolean> =>
  (await tx.run(
    sql`update pool_checks set status = 'RUNNING', updated_at = ${at} where id = ${id} and status = 'PENDING'`,
  )) === 1

/** Writes what was found; of a check that was deleted meanwhile nothing is kept. */
export async function finish(
  tx: Tx,
  id: string,
  result: Pick<PoolCheck, 'findings' | 'zones_checked'> & { readonly status: 'COMPLETE' | 'ERROR' },
  at: string,
): Promise<void> {
  await tx.run(sql`
    update pool_checks set status = ${result.status}, findings = ${JSON.stringify(result.findings)},
      zones_checked = ${result.zones_checked}, updated_at = ${at}
    where id = ${id}`)
}

/** Puts back the checks of a pool that a process began and will not finish, for who delivers the pool now. */
export const putBack = (tx: Tx, poolId: string): Promise<number> =>
  tx.run(sql`
    update pool_checks set status = 'PENDING'
    where status <> 'COMPLETE' and status = 'RUNNING' and pool_id = ${poolId}`)

/** So many checks of a pool are kept. */
export const mostKept = 50

/** Stores a new one, and forgets the oldest of its pool that are too many. */
export async function insert(tx: Tx, row: PoolCheck): Promise<void> {
  await tx.run(sql`
    insert into pool_checks (id, pool_id, depth, status, findings, created_at)
    values (${row.id}, ${row.pool_id}, ${row.depth}, ${row.status}, ${JSON.stringify(row.findings)}, ${row.created_at})`)
  await tx.run(sql`
    delete from pool_checks where pool_id = ${row.pool_id} and id <= (
      select id from pool_checks where pool_id = ${row.pool_id} order by id desc limit 1 offset ${mostKept})`)
  tx.wake(deliveryTopic)
}

export const get = async (tx: Tx, poolId: string, id: string): Promise<PoolCheck | undefined> =>
  parsed(await tx.get(sql`select * from pool_checks where id = ${id} and pool_id = ${poolId}`))

export async function remove(tx: Tx, poolId: string, id: string): Promise<boolean> {
  tx.wake(deliveryTopic)
  return (await tx.run(sql`delete from pool_checks where id = ${id} and pool_id = ${poolId}`)) === 1
}

const parsed = (row: Row | undefined): PoolCheck | undefined => (row === undefined ? undefined : poolCheck.fromRow(row))
