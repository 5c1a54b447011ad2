import { type Clock, timestamp } from '../clock.ts'
import { type Database, sql, type Tx } from '../db/sql.ts'

/** What a process that delivers a pool holds: others that take over get a higher fence. */
export type Lease = { readonly poolId: string; readonly holder: string; readonly fence: number }

/** For how long a lease holds without being renewed, and how often it is. */
export const leaseMilliseconds = 10_000
export const renewMilliseconds = 3_000

/** The lease was taken by another process: what was planned under it must not be done. */
export class LeaseLost extends Error {
  constructor(poolId: string) {
    super(`the delivery of pool ${poolId} was taken over by another process`)
    this.name = 'LeaseLost'
  }
}

/** The moment by which leases are measured: processes of several machines go by the clock of the database. */
export async function leaseNow(tx: Tx, engine: Database['engine'], clock: Clock): Promise<Date> {
  if (engine === 'sqlite') return clock()
  const row = await tx.get<{ at: string }>(sql`
    select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`)
  return new Date(row!.at)
}

/** Takes a pool that nobody delivers now; undefined where somebody does. */
export async function claim(tx: Tx, poolId: string, holder: string, now: Date): Promise<Lease | undefined> {
  const until = timestamp(new Date(now.getTime() + leaseMilliseconds))
  await tx.run(sql`
    insert into pool_leases (pool_id, holder, until, fence)
    select id, null, '', 0 from pools where id = ${poolId}
    on conflict (pool_id) do nothing`)
  const row = await tx.get<{ fence: number }>(sql`
    update pool_leases set holder = ${holder}, until = ${until}, fence = fence + 1
    where pool_id = ${poolId} and (holder is null or until < ${timestamp(now)})
    returning fence`)
  return row && { poolId, holder, fence: row.fence }
}

/** Holds a lease for longer; throws where it is another's by now. */
export async function renew(tx: Tx, lease: Lease, now: Date): Promise<void> {
  const until = timestamp(new Date(now.getTime() + leaseMilliseconds))
  const renewed = await tx.run(sql`
    update pool_leases set until = ${until}
    where pool_id = ${lease.poolId} and holder = ${lease.holder} and fence = ${lease.fence}`)
  if (renewed !== 1) throw new LeaseLost(lease.poolId)
}

/** Makes sure that a lease is held until this transaction ends. */
export async function mustHold(tx: Tx, lease: Lease): Promise<void> {
  const held = await tx.run(sql`
    update pool_leases set fence = fence
    where pool_id = ${lease.poolId} and holder = ${lease.holder} and fence = ${lease.fence}`)
  if (held !== 1) throw new LeaseLost(lease.poolId)
}

/** Gives a pool back, so that another process need not wait. */
export const release = (tx: Tx, { poolId, holder, fence }: Lease): Promise<number> =>
  tx.run(sql`
    update pool_leases set holder = null where pool_id = ${poolId} and holder = ${holder} and fence = ${fence}`)

/** Ends every lease: for the one process that a data folder has, at its start. */
export const endLeases = (tx: Tx): Promise<number> =>
  tx.run(sql`update pool_leases set holder = null where holder is not null`)
