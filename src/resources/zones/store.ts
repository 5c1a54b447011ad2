import type { Caller } from '../../api/auth.ts'
import type { ValuesOf } from '../../api/flat.ts'
import type { Rows } from '../../api/reading.ts'
import { join, type Row, raw, type Sql, sql, statement, type Tx } from '../../db/sql.ts'
import { refreshTopic } from '../../refresh-topic.ts'
import { addToCounts, shardOf } from '../quotas/counts.ts'
import { removeOf as removeKeysOf } from '../tsigkeys/store.ts'
import { type masterState, type Zone, zone } from './fields.ts'
import { namesAbove, treeKey } from './rules.ts'

export { treeKey }

/** The zones of the caller's project, or of all when the caller asked for that. */
export const ownedBy = ({ allProjects, project_id }: Caller): Rows => ({
  only: allProjects ? {} : { project_id },
  scope: [sql`gone_at is null`],
})

/** The zones of others that are shared with the caller's project. */
export const sharedWith = ({ project_id }: Caller): Rows => ({
  from: raw('shared_zone_rows'),
  only: { shared_with: project_id },
})

/** Whether any zone is shared with the caller's project. */
export const sharesAny = async (tx: Tx, { project_id }: Caller): Promise<boolean> =>
  (await tx.get(statement`select 1 as one from zone_shares where target_project_id = ${project_id} limit 1`)) !==
  undefined

const isVisibleTo = ({ allProjects, project_id }: Caller): Sql =>
  allProjects
    ? sql`gone_at is null`
    : sql`gone_at is null and (project_id = ${project_id} or exists (
        select 1 from zone_shares where target_project_id = ${project_id} and zone_id = zones.id))`

const parsed = (row: Row | undefined): Zone | undefined =>
  row === undefined ? undefined : (zone.fromRow(row) as unknown as Zone)

/** A zone the caller may see: of its own project, or shared with that. */
export const get = async (tx: Tx, id: string, caller: Caller): Promise<Zone | undefined> =>
  parsed(await tx.get(sql`select * from zones where id = ${id} and ${isVisibleTo(caller)}`))

/** As get, the values of these columns alone. */
export const valuesOf = async (
  tx: Tx,
  columns: readonly string[],
  id: string,
  caller: Caller,
): Promise<unknown[] | undefined> =>
  (await tx.values(sql`select ${raw(columns.join(', '))} from zones where id = ${id} and ${isVisibleTo(caller)}`))[0]

/** As get, and no other transaction changes the zone or its content until this one ends. */
export const lock = async (tx: Tx, id: string, caller: Caller): Promise<Zone | undefined> =>
  parsed(await tx.get(sql`select * from zones where id = ${id} and ${isVisibleTo(caller)} ${tx.forUpdate}`))

/** As lock, for the service itself: any zone that is not deleted. */
export const lockAny = async (tx: Tx, id: string): Promise<Zone | undefined> =>
  parsed(await tx.get(sql`select * from zones where id = ${id} and deleted_at is null ${tx.forUpdate}`))

/** Stores a new zone; throws UniqueViolation when its name is taken in its pool. */
export async function insert(tx: Tx, row: Zone): Promise<void> {
  await tx.run(statement`
    insert into zones (id, name, tree_key, type, project_id, pool_id, email, description, ttl, attributes, masters,
      primary_ns, contact, refresh, retry, expire, minimum, ns_revision, serial, created_serial, published_serial, version,
      recordset_count, record_count, created_at, changed_at)
    values (${row.id}, ${row.name}, ${row.tree_key}, ${row.type}, ${row.project_id}, ${row.pool_id}, ${row.email},
      ${row.description}, ${row.ttl}, ${JSON.stringify(row.attributes)}, ${JSON.stringify(row.masters)}, ${row.primary_ns},
      ${row.contact}, ${row.refresh}, ${row.retry}, ${row.expire}, ${row.minimum}, ${row.ns_revision}, ${row.serial},
      ${row.created_serial}, ${row.published_serial}, ${row.version}, ${row.recordset_count}, ${row.record_count},
      ${row.created_at}, ${row.created_at})`)
  if (tx.engine === 'sqlite') await addName(tx, row)
}

/** Has a new zone be found by pieces of its name, as a trigger does on PostgreSQL. */
async function addName(tx: Tx, { id, name }: Zone): Promise<void> {
  const key = name.toLowerCase()
  await tx.run(statement`insert into zone_names (zone_id, name_key) values (${id}, ${key})`)
  await tx.run(statement`
    insert into zone_names_trigrams (rowid, zone_id, name_key) values (last_insert_rowid(), ${id}, ${key})`)
}

/** Keeps everyone else from creating a zone above or below this name until the transaction ends. */
export async function lockTree(tx: Tx, name: string): Promise<void> {
  // There, nobody else writes anyway.
  if (tx.engine === 'sqlite') return
  const root = [name.toLowerCase(), ...namesAbove(name)].at(-2) ?? name.toLowerCase()
  await tx.run(sql`insert into name_roots (root) values (${root}) on conflict do nothing`)
  await tx.get(sql`select root from name_roots where root = ${root} ${tx.forUpdate}`)
}

type Relative = { readonly id: string; readonly name: string; readonly project_id: string }

/** The zones with this name, in any pool. */
export const sameName = (tx: Tx, name: string): Promise<Relative[]> =>
  tx.all(sql`select id, name, project_id from zones where name_key = ${name.toLowerCase()} and deleted_at is null`)

/** What has a name or one above it, in any pool. */
export type Ancestry = {
  readonly same: readonly Relative[]
  /** The nearest zone above. A catalog is for servers alone, so it stands in nobody's way, here and below. */
  readonly above: Relative | undefined
  /** The newest serial of deleted zones of the name that servers may have still: what takes the name must be told from them. */
  readonly formerSerial: number | undefined
}

type Ancestor = Relative & {
  readonly key: string
  readonly type: string
  readonly serial: number
  readonly deleted_at: string | null
}

export async function ancestryOf(tx: Tx, name: string): Promise<Ancestry> {
  const key = name.toLowerCase()
  const found = await tx.all<Ancestor>(sql`
    select id, name, project_id, name_key as key, type, serial, deleted_at from zones
    where name_key in (${join([key, ...namesAbove(name)])}) and gone_at is null`)
  const living = found.filter(({ deleted_at }) => deleted_at === null)
  const former = found.filter((one) => one.key === key && one.deleted_at !== null)
  return {
    same: living.filter((one) => one.key === key),
    above: living
      .filter((one) => one.key !== key && one.type !== 'CATALOG')
      .toSorted((a, b) => b.key.length - a.key.length)[0],
    formerSerial: former.map(({ serial }) => serial).toSorted((a, b) => b - a)[0],
  }
}

/** A zone below a name. */
export const below = (tx: Tx, name: string): Promise<Relative | undefined> => belowWhere(tx, name, sql``)

/** A zone below a name that belongs to another project. */
export const belowOfOthers = (tx: Tx, name: string, projectId: string): Promise<Relative | undefined> =>
  belowWhere(tx, name, sql`and project_id <> ${projectId}`)

/** A zone below a name that belongs to a project. */
export const belowOf = (tx: Tx, name: string, projectId: string): Promise<Relative | undefined> =>
  belowWhere(tx, name, sql`and project_id = ${projectId}`)

function belowWhere(tx: Tx, name: string, whose: Sql): Promise<Relative | undefined> {
  const key = treeKey(name)
  return tx.get<Relative>(sql`
    select id, name, project_id from zones
    where tree_key > ${key} and tree_key < ${`${key}\u{10ffff}`} and type <> 'CATALOG' and deleted_at is null ${whose}
    order by tree_key limit 1`)
}

/** Frees the zone's name; it is listed until every server has dropped it, and kept until `purgeAt`. */
export const markDeleted = (tx: Tx, id: string, at: string, purgeAt: string): Promise<number> =>
  tx.run(sql`update zones set deleted_at = ${at}, purge_at = ${purgeAt}, changed_at = ${at} where id = ${id}`)

/**
 * Notes that the built-in name server serves zones up to a serial; what is published already stays so. Of pools that other
 * servers answer for, those servers decide, save of catalog zones, which nobody asks for but them.
 */
export async function markPublished(
  tx: Tx,
  zones: readonly { readonly id: string; readonly serial: number }[],
): Promise<void> {
  for (const { id, serial } of inOneOrder(zones)) {
    await tx.run(statement`
      update zones set published_serial = ${serial}
      where id = ${id} and published_serial < ${serial} and (type = 'CATALOG' or not exists (
        select 1 from pools where pools.id = zones.pool_id and pools.delivered = 1))`)
  }
}

/** Notes that enough servers of a pool show zones up to a serial, unless the zones are another pool's by now. */
export async function markProven(tx: Tx, zones: ReadonlyMap<string, number>, poolId: string): Promise<void> {
  for (const { id, serial } of inOneOrder([...zones].map(([id, serial]) => ({ id, serial })))) {
    await tx.run(statement`
      update zones set published_serial = ${serial}
      where id = ${id} and published_serial < ${serial} and serial >= ${serial} and pool_id = ${poolId}`)
  }
}

/** Forgets at which targets a zone is, so that it stays there. A catalog lists no zone that is not the service's, so it drops it. */
export const leaveAtTargets = (tx: Tx, { id, pool_id }: Pick<Zone, 'id' | 'pool_id'>): Promise<number> =>
  tx.run(sql`
    delete from target_zones where zone_id = ${id}
      and not exists (select 1 from pool_targets t where t.id = target_zones.target_id and t.type = 'catalog')
      and not exists (select 1 from pool_delivery d where d.pool_id = ${pool_id} and d.catalog_zone is not null)`)

/** Of deleted zones, those whose pool no other server answers for: the built-in one alone decides when they are gone. */
export const ownToLeave = async (tx: Tx, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (
        await tx.all<{ id: string }>(sql`
          select z.id from zones z join pools p on p.id = z.pool_id
          where z.id in (${join([...ids])}) and (p.delivered = 0 or z.type = 'CATALOG')`)
      ).map(({ id }) => id)

/** Notes that no server has these deleted zones any more: they leave every list, and their project's counts. */
export async function markGone(tx: Tx, ids: readonly string[], at: string): Promise<void> {
  const gone: Pick<Zone, 'id' | 'project_id' | 'recordset_count' | 'record_count'>[] = []
  for (const { id } of inOneOrder(ids.map((id) => ({ id })))) {
    const row = await tx.get<(typeof gone)[number]>(sql`
      update zones set gone_at = ${at} where id = ${id} and deleted_at is not null and gone_at is null
      returning id, project_id, recordset_count, record_count`)
    if (row !== undefined) gone.push(row)
  }
  const inShardOrder = gone.toSorted((a, b) => shardOf(a.id) - shardOf(b.id) || (a.project_id < b.project_id ? -1 : 1))
  for (const { id, project_id } of inShardOrder) await addToCounts(tx, [{ project_id, what: 'zones', n: -1 }], id)
  for (const { id, project_id, recordset_count, record_count } of inShardOrder) {
    const sets = { project_id, what: 'recordsets', n: -recordset_count } as const
    await addToCounts(tx, [sets, { project_id, what: 'records', n: -record_count }], id)
  }
}

/** Two who lock many zones wait in a line, not in a circle. */
const inOneOrder = <T extends { readonly id: string }>(zones: readonly T[]): T[] =>
  zones.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** The next deleted zones whose time has come. */
export const duePurges = (tx: Tx, at: string, limit: number): Promise<{ id: string }[]> =>
  tx.all(sql`
    select id from zones where deleted_at is not null and gone_at is not null and purge_at <= ${at} order by purge_at limit ${limit}`)

/** Removes a part of what a deleted zone held, and the zone with the last part; tells whether it is done. */
export async function purgeSome(tx: Tx, id: string, limit: number): Promise<boolean> {
  const removed = await tx.run(sql`
    delete from recordsets where id in (select id from recordsets where zone_id = ${id} limit ${limit})`)
  if (removed === limit) return false
  const changes = await tx.run(sql`
    delete from changes where zone_id = ${id} and serial in (select serial from changes where zone_id = ${id} limit ${limit})`)
  if (changes === limit) return false
  await removeKeysOf(tx, { scope: 'ZONE', resource_id: id })
  await tx.run(sql`delete from zones where id = ${id}`)
  return true
}

/** Asks for a look at the masters of a secondary zone. The row stays until that was done. */
export async function askRefresh(tx: Tx, id: string, at: string): Promise<void> {
  await tx.run(sql`
    insert into zone_refreshes (zone_id, asked_at) values (${id}, ${at})
    on conflict (zone_id) do update set asked_at = excluded.asked_at`)
  tx.wake(refreshTopic)
}

/** Adds to what a project's counts have of a zone and its content; the last thing done in a transaction. */
export const countContent = (
  tx: Tx,
  { id, project_id }: Pick<Zone, 'id' | 'project_id'>,
  grown: { readonly zones?: number; readonly sets: number; readonly records: number },
): Promise<void> =>
  addToCounts(
    tx,
    [
      { project_id, what: 'zones', n: grown.zones ?? 0 },
      { project_id, what: 'recordsets', n: grown.sets },
      { project_id, what: 'records', n: grown.records },
    ],
    id,
  )

/** Changes what a secondary zone does not have from its masters: its serial stays theirs. Other masters are asked at once, for all they have. */
export async function updateSecondary(tx: Tx, row: Zone, hasOtherMasters: boolean, at: string): Promise<void> {
  await tx.run(sql`
    update zones set description = ${row.description}, attributes = ${JSON.stringify(row.attributes)},
      masters = ${JSON.stringify(row.masters)}, version = ${row.version}, updated_at = ${row.updated_at}, changed_at = ${at}
    where id = ${row.id}`)
  tx.wake(row.id)
  if (!hasOtherMasters) return
  // What the masters before them failed in is not theirs.
  await tx.run(sql`update secondary_state set serial = null, failures = 0, last_error = null where zone_id = ${row.id}`)
  await tx.run(sql`update zones set trouble = null where id = ${row.id} and transferred_at is null`)
  await askRefresh(tx, row.id, at)
}

/** What is known of the masters of a secondary zone; nothing yet of one that is new. */
export const masterStateOf = async (tx: Tx, id: string): Promise<ValuesOf<typeof masterState>> =>
  (await tx.get(sql`
    select master, serial, checked_at, next_at, expires_at, failures, last_error from secondary_state where zone_id = ${id}`)) ?? {
    master: null,
    serial: null,
    checked_at: null,
    next_at: null,
    expires_at: null,
    failures: 0,
    last_error: null,
  }
