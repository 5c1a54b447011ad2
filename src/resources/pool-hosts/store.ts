import { type Row, raw, sql, type Tx } from '../../db/sql.ts'
import { deliveryTopic, noteDelivered } from '../pools/store.ts'
import { type AlsoNotify, alsoNotify, type Nameserver, nameserver } from './fields.ts'

/** The name servers of a pool that are asked for proof, oldest first. */
export const nameserversOf = (
  tx: Tx,
  poolId: string,
): Promise<Pick<Nameserver, 'id' | 'host' | 'port' | 'tsigkey_id'>[]> =>
  tx.all(sql`select id, host, port, tsigkey_id from pool_nameservers where pool_id = ${poolId} order by id`)

/** Who else is told of changes of a pool's zones, oldest first. */
export const alsoNotifiesOf = (tx: Tx, poolId: string): Promise<Pick<AlsoNotify, 'id' | 'host' | 'port'>[]> =>
  tx.all(sql`select id, host, port from pool_also_notifies where pool_id = ${poolId} order by id`)

/** The name servers of every pool and those who are told of its changes, and whether they were given a key. */
export const hosts = async (
  tx: Tx,
): Promise<{ readonly pool_id: string; readonly host: string; readonly hasKey: boolean }[]> =>
  (
    await tx.all<{ pool_id: string; host: string; tsigkey_id: string | null }>(sql`
      select pool_id, host, tsigkey_id from pool_nameservers
      union all select pool_id, host, null from pool_also_notifies`)
  ).map(({ pool_id, host, tsigkey_id }) => ({ pool_id, host, hasKey: tsigkey_id !== null }))

/** One that a pool has. */
export const getNameserver = async (tx: Tx, poolId: string, id: string): Promise<Nameserver | undefined> =>
  (await one(tx, nameserver.source, poolId, id)) as Nameserver | undefined

/** One that a pool has. */
export const getAlsoNotify = async (tx: Tx, poolId: string, id: string): Promise<AlsoNotify | undefined> =>
  (await one(tx, alsoNotify.source, poolId, id)) as AlsoNotify | undefined

const one = (tx: Tx, table: string, poolId: string, id: string): Promise<Row | undefined> =>
  tx.get(sql`select * from ${raw(table)} where id = ${id} and pool_id = ${poolId}`)

/** Stores a new one; throws UniqueViolation when the pool has the same host and port. */
export async function insertNameserver(tx: Tx, row: Nameserver): Promise<void> {
  await tx.run(sql`
    insert into pool_nameservers (id, pool_id, host, port, tsigkey_id, created_at)
    values (${row.id}, ${row.pool_id}, ${row.host}, ${row.port}, ${row.tsigkey_id}, ${row.created_at})`)
  await noteDelivered(tx, row.pool_id)
}

/** Stores changes; throws UniqueViolation when the pool has the same host and port. What another address was seen to have is forgotten. */
export async function updateNameserver(tx: Tx, row: Nameserver, hasMoved: boolean): Promise<void> {
  await tx.run(sql`
    update pool_nameservers set host = ${row.host}, port = ${row.port}, tsigkey_id = ${row.tsigkey_id},
      updated_at = ${row.updated_at}
    where id = ${row.id}`)
  if (hasMoved) await forget(tx, row.id)
  await noteDelivered(tx, row.pool_id)
}

/** Removes a name server and what was known of it; tells whether there was one. */
export async function removeNameserver(tx: Tx, poolId: string, id: string): Promise<boolean> {
  if ((await tx.run(sql`delete from pool_nameservers where id = ${id} and pool_id = ${poolId}`)) === 0) return false
  await forget(tx, id)
  await noteDelivered(tx, poolId)
  return true
}

async function forget(tx: Tx, serverId: string): Promise<void> {
  await tx.run(sql`delete from pool_server_states where server_id = ${serverId}`)
  await tx.run(sql`delete from zone_servers where server_id = ${serverId}`)
}

/** Stores a new one; throws UniqueViolation when the pool has the same host and port. */
export async function insertAlsoNotify(tx: Tx, row: AlsoNotify): Promise<void> {
  await tx.run(sql`
    insert into pool_also_notifies (id, pool_id, host, port, created_at)
    values (${row.id}, ${row.pool_id}, ${row.host}, ${row.port}, ${row.created_at})`)
  tx.wake(deliveryTopic)
}

/** Stores changes; throws UniqueViolation when the pool has the same host and port. */
export async function updateAlsoNotify(tx: Tx, row: AlsoNotify): Promise<void> {
  await tx.run(sql`
    update pool_also_notifies set host = ${row.host}, port = ${row.port}, updated_at = ${row.updated_at}
    where id = ${row.id}`)
  tx.wake(deliveryTopic)
}

export async function removeAlsoNotify(tx: Tx, poolId: string, id: string): Promise<boolean> {
  tx.wake(deliveryTopic)
  return (await tx.run(sql`delete from pool_also_notifies where id = ${id} and pool_id = ${poolId}`)) === 1
}
