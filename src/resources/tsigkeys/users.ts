import { type Row, sql, type Tx } from '../../db/sql.ts'
import { fail, refuse } from '../../errors.ts'
import { dnsName } from './dns-name.ts'
import type { Owner } from './store.ts'

/** Refuses a body whose `tsigkey_id` is not that of a key for pools; the key stays as long as the transaction lasts. */
export async function mustBeKeyForPools(tx: Tx, id: string | null): Promise<void> {
  if (id === null) return
  const row = await tx.get<{ scope: string }>(sql`select scope from tsigkeys where id = ${id} ${tx.forUpdate}`)
  if (row?.scope === 'POOL') return
  const message =
    row === undefined
      ? `must be the id of a TSIG key; none is ${id}`
      : `must be a TSIG key with scope POOL; that of ${id} is ${row.scope}`
  refuse([{ path: ['tsigkey_id'], message, validator: 'format', validator_value: 'tsigkey' }])
}

/** Refuses to take a key from the servers of pools that sign with it. */
export async function mustBeUnused(tx: Tx, id: string): Promise<void> {
  await tx.get(sql`select id from tsigkeys where id = ${id} ${tx.forUpdate}`)
  const user = await userAmong(tx, sql`tsigkey_id = ${id}`)
  if (user !== undefined) fail('tsigkey_in_use', `${user} signs with this key; give that another key, or none, first`)
}

/** A server of another pool that signs with a key of this pool, in words; undefined when there is none. */
export const userElsewhere = (tx: Tx, { scope, resource_id }: Owner): Promise<string | undefined> =>
  userAmong(
    tx,
    sql`pool_id <> ${resource_id} and tsigkey_id in (
      select id from tsigkeys where scope = ${scope} and resource_id = ${resource_id})`,
  )

async function userAmong(tx: Tx, condition: ReturnType<typeof sql>): Promise<string | undefined> {
  const target = await tx.get<Row>(sql`select id, pool_id from pool_targets where ${condition} limit 1`)
  if (target !== undefined) return `target ${target.id} of pool ${target.pool_id}`
  const server = await tx.get<Row>(sql`select id, pool_id from pool_nameservers where ${condition} limit 1`)
  return server && `name server ${server.id} of pool ${server.pool_id}`
}

/** The id of the key that goes by a name, in whatever letter case. */
export async function idByName(tx: Tx, name: string): Promise<string | undefined> {
  const parsed = dnsName(name)
  if ('fault' in parsed) return undefined
  return (await tx.get<{ id: string }>(sql`select id from tsigkeys where dns_name = ${parsed.name}`))?.id
}
