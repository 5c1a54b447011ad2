import { type Row, sql, type Tx } from '../../db/sql.ts'
import type { TsigKey } from '../../dns/tsig.ts'
import { refreshTopic } from '../../refresh-topic.ts'
import type { Secrets } from '../../secrets.ts'
import { dnsName } from './dns-name.ts'
import { type Tsigkey, tsigkey } from './fields.ts'

/** What a key is for: one pool or one zone. */
export type Owner = Pick<Tsigkey, 'scope' | 'resource_id'>

/** A key as messages are signed with it. */
export type SigningKey = TsigKey & Owner

/** Stores a new one, its secret encrypted; throws UniqueViolation when its name is taken. */
export const insert = (tx: Tx, secrets: Secrets, row: Tsigkey): Promise<number> =>
  tx.run(sql`
    insert into tsigkeys (id, name, dns_name, algorithm, secret, scope, resource_id, created_at)
    values (${row.id}, ${row.name}, ${nameOf(row)}, ${row.algorithm}, ${secrets.seal(row.secret, place(row.id))},
      ${row.scope}, ${row.resource_id}, ${row.created_at})`)

export const get = async (tx: Tx, secrets: Secrets, id: string): Promise<Tsigkey | undefined> =>
  opened(secrets, await tx.get(sql`select * from tsigkeys where id = ${id}`))

/** As get, and no other transaction changes the row until this one ends. */
export const lock = async (tx: Tx, secrets: Secrets, id: string): Promise<Tsigkey | undefined> =>
  opened(secrets, await tx.get(sql`select * from tsigkeys where id = ${id} ${tx.forUpdate}`))

/** Stores changes; throws UniqueViolation when the new name is taken. */
export const update = (tx: Tx, secrets: Secrets, row: Tsigkey): Promise<number> =>
  tx.run(sql`
    update tsigkeys set name = ${row.name}, dns_name = ${nameOf(row)}, algorithm = ${row.algorithm},
      secret = ${secrets.seal(row.secret, place(row.id))}, scope = ${row.scope}, resource_id = ${row.resource_id},
      updated_at = ${row.updated_at}
    where id = ${row.id}`)

export const remove = (tx: Tx, id: string): Promise<number> => tx.run(sql`delete from tsigkeys where id = ${id}`)

/** Removes the keys of a pool or zone that goes. */
export const removeOf = (tx: Tx, { scope, resource_id }: Owner): Promise<number> =>
  tx.run(sql`delete from tsigkeys where scope = ${scope} and resource_id = ${resource_id}`)

/** Whether there is such a pool or zone. */
export async function exists(tx: Tx, { scope, resource_id }: Owner): Promise<boolean> {
  const row =
    scope === 'POOL'
      ? await tx.get(sql`select 1 as one from pools where id = ${resource_id}`)
      : await tx.get(sql`select 1 as one from zones where id = ${resource_id} and gone_at is null`)
  return row !== undefined
}

/** The keys of one pool or zone, oldest first. */
export async function keysFor(tx: Tx, secrets: Secrets, { scope, resource_id }: Owner): Promise<SigningKey[]> {
  const rows = await tx.all(sql`
    select * from tsigkeys where scope = ${scope} and resource_id = ${resource_id} order by created_at, id`)
  return rows.map((row) => signingKey(open(secrets, row)))
}

/** The key of an id, as messages are signed with it. */
export async function keyById(tx: Tx, secrets: Secrets, id: string): Promise<SigningKey | undefined> {
  const row = await get(tx, secrets, id)
  return row && signingKey(row)
}

/** Every key there is. */
export const allKeys = async (tx: Tx, secrets: Secrets): Promise<SigningKey[]> =>
  (await tx.all(sql`select * from tsigkeys order by id`)).map((row) => signingKey(open(secrets, row)))

/** The key a message names, in whatever letter case. */
export async function keyByName(tx: Tx, secrets: Secrets, name: string): Promise<SigningKey | undefined> {
  const parsed = dnsName(name)
  if ('fault' in parsed) return undefined
  const row = await tx.get(sql`select * from tsigkeys where dns_name = ${parsed.name}`)
  return row === undefined ? undefined : signingKey(open(secrets, row))
}

/** A row of the table with its secret readable. */
export function open(secrets: Secrets, row: Row): Tsigkey {
  const { secret, ...rest } = tsigkey.fromRow(row)
  return { ...rest, secret: secrets.open(secret, place(rest.id)) }
}

const opened = (secrets: Secrets, row: Row | undefined): Tsigkey | undefined =>
  row === undefined ? undefined : open(secrets, row)

const signingKey = ({ name, algorithm, secret, scope, resource_id }: Tsigkey): SigningKey => ({
  name: nameOf({ name }),
  algorithm,
  secret: Buffer.from(secret, 'base64'),
  scope,
  resource_id,
})

function nameOf({ name }: Pick<Tsigkey, 'name'>): string {
  const parsed = dnsName(name)
  if ('fault' in parsed) throw new Error(`a stored TSIG key is named ${JSON.stringify(name)}, which ${parsed.fault}`)
  return parsed.name
}

/** Where a secret belongs, so that it opens in its own row alone. */
const place = (id: string): string => `tsigkeys/${id}`

/** Has the masters of a secondary zone be asked at once, with the key that it has now. */
export async function askMasters(tx: Tx, { scope, resource_id }: Owner, at: string): Promise<void> {
  if (scope !== 'ZONE') return
  const asked = await tx.run(sql`
    insert into zone_refreshes (zone_id, asked_at)
    select id, cast(${at} as text) from zones where id = ${resource_id} and type = 'SECONDARY' and deleted_at is null
    on conflict (zone_id) do update set asked_at = excluded.asked_at`)
  if (asked > 0) tx.wake(refreshTopic)
}
