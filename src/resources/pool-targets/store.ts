import { type Row, sql, type Tx } from '../../db/sql.ts'
import type { Secrets } from '../../secrets.ts'
import { type TargetKind, targetKinds } from '../../target-kinds.ts'
import { noteDelivered } from '../pools/store.ts'
import { type OptionValues, type PoolTarget, poolTarget } from './fields.ts'

/** A target as those who deliver to it need it: the presets of its kind and its secrets are among its options. */
export type TargetRow = Pick<PoolTarget, 'id' | 'pool_id' | 'type' | 'tsigkey_id' | 'masters' | 'options'>

/** A target with its secrets readable. */
export type Opened = Omit<PoolTarget, 'secrets_set'> & { readonly secrets: Readonly<Record<string, string>> }

/** Every target of a pool, oldest first. */
export const allOf = async (tx: Tx, secrets: Secrets, poolId: string): Promise<TargetRow[]> =>
  (await tx.all(sql`select * from pool_targets where pool_id = ${poolId} order by id`)).map((row) => {
    const { id, pool_id, type, tsigkey_id, masters, options, secrets: hidden } = open(secrets, row)
    return { id, pool_id, type, tsigkey_id, masters, options: { ...presetsOf(type), ...options, ...hidden } }
  })

/** Where the targets of every pool answer, and whether they were given a key. */
export const hosts = async (
  tx: Tx,
): Promise<{ readonly pool_id: string; readonly host: string; readonly hasKey: boolean }[]> =>
  (
    await tx.all<{ pool_id: string; type: string; options: string; tsigkey_id: string | null }>(sql`
      select pool_id, type, options, tsigkey_id from pool_targets`)
  ).map(({ pool_id, type, options, tsigkey_id }) => ({
    pool_id,
    host: String({ ...presetsOf(type), ...JSON.parse(options) }.host),
    hasKey: tsigkey_id !== null,
  }))

/** Stores a new one, its secrets encrypted. */
export async function insert(tx: Tx, secrets: Secrets, row: Opened): Promise<void> {
  await tx.run(sql`
    insert into pool_targets (id, pool_id, type, description, tsigkey_id, masters, options, secrets, created_at)
    values (${row.id}, ${row.pool_id}, ${row.type}, ${row.description}, ${row.tsigkey_id}, ${JSON.stringify(row.masters)},
      ${JSON.stringify(row.options)}, ${sealed(secrets, row)}, ${row.created_at})`)
  await noteDelivered(tx, row.pool_id)
}

export async function get(tx: Tx, secrets: Secrets, poolId: string, id: string): Promise<Opened | undefined> {
  const row = await tx.get(sql`select * from pool_targets where id = ${id} and pool_id = ${poolId}`)
  return row === undefined ? undefined : open(secrets, row)
}

/** Stores changes. What another address was seen to have is forgotten. */
export async function update(tx: Tx, secrets: Secrets, row: Opened, hasMoved: boolean): Promise<void> {
  await tx.run(sql`
    update pool_targets set description = ${row.description}, tsigkey_id = ${row.tsigkey_id},
      masters = ${JSON.stringify(row.masters)}, options = ${JSON.stringify(row.options)}, secrets = ${sealed(secrets, row)},
      updated_at = ${row.updated_at}
    where id = ${row.id}`)
  if (hasMoved) await forget(tx, row.id)
  await noteDelivered(tx, row.pool_id)
}

/** Has the zones that a target was given count as given since a change that does not concern them; they would be given again else. */
export async function keepGiven(tx: Tx, { id, tsigkey_id, created_at, updated_at }: Opened, at: string): Promise<void> {
  await tx.run(sql`
    update target_zones set added_at = ${at}
    where target_id = ${id} and added_at >= ${updated_at ?? created_at}
      and added_at >= coalesce((select updated_at from tsigkeys where id = ${tsigkey_id}), '')`)
}

/** Removes a target of a pool and what was known of it; tells whether there was one. What its server holds stays there. */
export async function remove(tx: Tx, poolId: string, id: string): Promise<boolean> {
  if ((await tx.run(sql`delete from pool_targets where id = ${id} and pool_id = ${poolId}`)) === 0) return false
  await forget(tx, id)
  await noteDelivered(tx, poolId)
  return true
}

async function forget(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from pool_server_states where server_id = ${id}`)
  await tx.run(sql`delete from zone_servers where server_id = ${id}`)
}

/** A row of the table with its secrets readable. */
export function open(secrets: Secrets, row: Row): Opened {
  const { secrets_set: _, ...rest } = poolTarget.fromRow(row) as PoolTarget
  const hidden = row.secrets as string | null
  return { ...rest, secrets: hidden === null ? {} : JSON.parse(secrets.open(hidden, place(rest.id))) }
}

/** What a target may show of itself. */
export const shownOf = ({ secrets, ...rest }: Opened): PoolTarget => ({ ...rest, secrets_set: Object.keys(secrets) })

function presetsOf(type: string): OptionValues {
  const kind: TargetKind | undefined = targetKinds[type as keyof typeof targetKinds]
  if (kind === undefined) throw new Error(`a stored target is of the unknown kind ${JSON.stringify(type)}`)
  const presets: Record<string, string | number | boolean> = {}
  for (const [name, { preset }] of Object.entries(kind.options)) if (preset !== undefined) presets[name] = preset
  return presets
}

const sealed = (secrets: Secrets, row: Opened): string | null =>
  Object.keys(row.secrets).length === 0 ? null : secrets.seal(JSON.stringify(row.secrets), place(row.id))

/** Where secrets belong, so that they open in their own row alone. */
const place = (id: string): string => `pool_targets/${id}`
