import { timestamp } from '../clock.ts'
import { join, sql, statement, type Tx } from '../db/sql.ts'
import { markGone } from '../resources/zones/store.ts'
import { catalogRevision } from './catalog-rows.ts'

/** A zone as its delivery sees it. */
export type ZoneRow = {
  readonly id: string
  readonly name: string
  readonly ttl: number
  readonly type: string
  readonly pool_id: string
  readonly serial: number
  readonly published_serial: number
  readonly ns_revision: number
  readonly attributes: string
  readonly transferred_at: string | null
  readonly trouble: string | null
  readonly changed_at: string
  readonly deleted_at: string | null
  readonly gone_at: string | null
}

/** Whether there is something to bring to servers or to take from them: a secondary zone may have no content yet, a catalog goes its own way. */
export const isDeliverable = ({ type, transferred_at, deleted_at, gone_at }: ZoneRow): boolean =>
  gone_at === null && type !== 'CATALOG' && (type !== 'SECONDARY' || transferred_at !== null || deleted_at !== null)

/** A zone that a target has or may have. */
export type TargetZoneRow = {
  readonly target_id: string
  readonly pool_id: string
  readonly zone_id: string
  readonly name: string
  readonly added_at: string | null
  readonly leave_serial: number | null
  readonly error: string | null
}

/** Whether a target has a zone as it should: it was given since some moments, and is not to leave. */
export const isGiven = (row: TargetZoneRow | undefined, ...since: readonly string[]): boolean =>
  row !== undefined && row.leave_serial === null && since.every((at) => row.added_at !== null && row.added_at >= at)

/** What a server was last seen to have of a zone. */
export type SeenRow = {
  readonly zone_id: string
  readonly server_id: string
  readonly serial: number | null
  readonly error: string | null
}

const columns = sql`id, name, ttl, type, pool_id, serial, published_serial, ns_revision, attributes, transferred_at, trouble, changed_at,
  deleted_at, gone_at`

export const zonesWithIds = async (tx: Tx, ids: readonly string[]): Promise<ZoneRow[]> =>
  ids.length === 0 ? [] : tx.all(sql`select ${columns} from zones where id in (${join([...ids])})`)

/** A part of the zones of a pool that are not deleted, after one of them. */
export const zonesAfter = (
  tx: Tx,
  poolId: string,
  after: Pick<ZoneRow, 'ns_revision' | 'id'> | undefined,
  limit: number,
): Promise<ZoneRow[]> =>
  tx.all(sql`
    select ${columns} from zones
    where pool_id = ${poolId} and deleted_at is null and (ns_revision, id) > (${after?.ns_revision ?? -1}, ${after?.id ?? ''})
    order by ns_revision, id limit ${limit}`)

/** Zones of a pool that are deleted and not known to have left its servers, after one of them. */
export const leavingAfter = (tx: Tx, poolId: string, after: string, limit: number): Promise<ZoneRow[]> =>
  tx.all(sql`
    select ${columns} from zones
    where pool_id = ${poolId} and deleted_at is not null and gone_at is null and id > ${after} order by id limit ${limit}`)

/** The names, in lower case, of zones of a pool that are not deleted among those that deleted ones had. */
export async function namesakesOf(tx: Tx, poolId: string, zones: readonly ZoneRow[]): Promise<Set<string>> {
  const names = zones.filter(({ deleted_at }) => deleted_at !== null).map(({ name }) => name.toLowerCase())
  if (names.length === 0) return new Set()
  const found = await tx.all<{ name: string }>(sql`
    select name_key as name from zones where name_key in (${join(names)}) and pool_id = ${poolId} and deleted_at is null`)
  return new Set(found.map(({ name }) => name))
}

/** The catalog zone of a pool as it is now; by the revision that it alone has, since the pool may have very many zones. */
export const catalogSerialOf = (tx: Tx, poolId: string): Promise<{ name: string; serial: number } | undefined> =>
  tx.get(sql`
    select name, serial from zones
    where pool_id = ${poolId} and ns_revision = ${catalogRevision} and type = 'CATALOG' and deleted_at is null`)

const targetColumns = sql`tz.target_id, t.pool_id, tz.zone_id, tz.name, tz.added_at, tz.leave_serial, tz.error`

/** At which targets, of any pool, zones are or may be. */
export const targetsOfZones = async (tx: Tx, zoneIds: readonly string[]): Promise<TargetZoneRow[]> =>
  zoneIds.length === 0
    ? []
    : tx.all(sql`
        select ${targetColumns} from target_zones tz join pool_targets t on t.id = tz.target_id
        where tz.zone_id in (${join([...zoneIds])})`)

/** What a target has or may have though its pool does not any more, after one of them. */
export const strangersAt = (
  tx: Tx,
  target: { readonly id: string; readonly poolId: string },
  after: string,
  limit: number,
): Promise<TargetZoneRow[]> =>
  tx.all(sql`
    select ${targetColumns} from target_zones tz join pool_targets t on t.id = tz.target_id left join zones z on z.id = tz.zone_id
    where tz.target_id = ${target.id} and tz.zone_id > ${after}
      and (z.id is null or z.gone_at is not null or z.pool_id <> ${target.poolId})
    order by tz.zone_id limit ${limit}`)

/** Those of some names, in lower case, under which zones were given to a target and not taken away yet. */
export const namesGivenTo = async (tx: Tx, targetId: string, names: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tx.all<{ name: string }>(sql`
        select lower(name) as name from target_zones where target_id = ${targetId} and lower(name) in (${join([...names])})`)
    ).map(({ name }) => name),
  )

/** What the servers of a pool were last seen to have of zones. */
export const seenOf = async (tx: Tx, zoneIds: readonly string[], serverIds: readonly string[]): Promise<SeenRow[]> =>
  zoneIds.length === 0 || serverIds.length === 0
    ? []
    : tx.all(sql`
        select zone_id, server_id, serial, error from zone_servers
        where zone_id in (${join([...zoneIds])}) and server_id in (${join([...serverIds])})`)

/** The next zone that a server of a pool was seen to have, in a round over all of them; for a look whether it still does. */
export async function nextZoneAt(
  tx: Tx,
  { serverId, poolId }: { readonly serverId: string; readonly poolId: string },
  after: string,
): Promise<ZoneRow | undefined> {
  const next = (from: string) =>
    tx.get<ZoneRow>(sql`
      select ${prefixed} from zone_servers s join zones z on z.id = s.zone_id
      where s.server_id = ${serverId} and s.zone_id > ${from} and s.serial is not null and z.deleted_at is null
        and z.pool_id = ${poolId}
      order by s.zone_id limit 1`)
  return (await next(after)) ?? next('')
}

const prefixed = sql`z.id, z.name, z.ttl, z.type, z.pool_id, z.serial, z.published_serial, z.ns_revision, z.attributes, z.transferred_at,
  z.trouble, z.changed_at, z.deleted_at, z.gone_at`

/** Those of some zones that are in a pool and not deleted. */
export const livingIn = async (tx: Tx, poolId: string, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    ids.length === 0
      ? []
      : (
          await tx.all<{ id: string }>(sql`
            select id from zones where id in (${join([...ids])}) and pool_id = ${poolId} and deleted_at is null`)
        ).map(({ id }) => id),
  )

/** All that is known of where zones are: at which targets, by which servers they are shown, and which deleted ones have a namesake. */
export async function knownOf(
  tx: Tx,
  zones: readonly ZoneRow[],
  { poolId, servers }: { readonly poolId: string; readonly servers: readonly string[] },
) {
  const ids = zones.map(({ id }) => id)
  return {
    targets: Map.groupBy(await targetsOfZones(tx, ids), ({ zone_id }) => zone_id),
    seen: Map.groupBy(await seenOf(tx, ids, servers), ({ zone_id }) => zone_id),
    namesakes: await namesakesOf(tx, poolId, zones),
  }
}

/** What a catalog zone lists, after one of its record sets. */
export const listedAfter = (
  tx: Tx,
  catalogId: string,
  after: string,
  limit: number,
): Promise<{ id: string; name: string; records: string }[]> =>
  tx.all(sql`
    select id, name, records from recordsets
    where zone_id = ${catalogId} and type = 'PTR' and id > ${after} order by id limit ${limit}`)

/** A zone that another target has or may have, too. */
export type Elsewhere = { readonly zone_id: string; readonly type: string; readonly options: string }

/** At which other targets zones are, that are not about to leave those. */
export const elsewhere = async (tx: Tx, targetId: string, zones: readonly { id: string }[]): Promise<Elsewhere[]> =>
  zones.length === 0
    ? []
    : tx.all(sql`
        select tz.zone_id, t.type, t.options from target_zones tz join pool_targets t on t.id = tz.target_id
        where tz.zone_id in (${join(zones.map(({ id }) => id))}) and tz.target_id <> ${targetId} and tz.leave_serial is null`)

/** Notes that a target may have zones from now on; those that were to leave it for another pool and are not handed over stay. */
export async function willAdd(
  tx: Tx,
  targetId: string,
  zones: readonly { readonly id: string; readonly name: string; readonly newCatalog?: string }[],
): Promise<void> {
  for (const { id, name, newCatalog } of zones) {
    await tx.run(
      newCatalog === undefined
        ? statement`
            insert into target_zones (target_id, zone_id, name) values (${targetId}, ${id}, ${name})
            on conflict (target_id, zone_id) do update set name = excluded.name, leave_serial = null`
        : statement`
            insert into target_zones (target_id, zone_id, name) values (${targetId}, ${id}, ${name})
            on conflict (target_id, zone_id) do update set name = excluded.name`,
    )
  }
}

/** Notes that a target has zones. */
export async function added(tx: Tx, targetId: string, zoneIds: readonly string[], at: string): Promise<void> {
  for (const id of zoneIds) {
    await tx.run(statement`
      update target_zones set added_at = ${at}, error = null where target_id = ${targetId} and zone_id = ${id}`)
  }
}

/** Has every zone of a pool be given to its targets again: they get them in another way from now on. */
export const toBeGivenAgain = (tx: Tx, poolId: string): Promise<number> =>
  tx.run(sql`
    update target_zones set added_at = null
    where target_id in (select id from pool_targets where pool_id = ${poolId}) and added_at is not null`)

/** Notes that a target does not have zones any more. */
export async function dropped(tx: Tx, targetId: string, zoneIds: readonly string[]): Promise<void> {
  for (const id of zoneIds) {
    await tx.run(sql`delete from target_zones where target_id = ${targetId} and zone_id = ${id}`)
  }
}

/** Notes why a target did not take zones or let them go. */
export async function refused(
  tx: Tx,
  targetId: string,
  refusals: readonly { readonly id: string; readonly reason: string }[],
): Promise<void> {
  for (const { id, reason } of refusals) {
    await tx.run(sql`
      update target_zones set error = ${reason} where target_id = ${targetId} and zone_id = ${id}`)
  }
}

/** Other zones of these names that a target has or may have: they must go before the new ones come. */
export const otherNamesakes = async (
  tx: Tx,
  targetId: string,
  zones: readonly { id: string; name: string }[],
): Promise<{ zone_id: string; name: string }[]> =>
  zones.length === 0
    ? []
    : tx.all(sql`
        select zone_id, name from target_zones
        where target_id = ${targetId} and lower(name) in (${join(zones.map(({ name }) => name.toLowerCase()))})
          and zone_id not in (${join(zones.map(({ id }) => id))})`)

/** Notes from which serial on a zone that was moved to another pool need not be at a target any more. */
export const willLeave = (tx: Tx, targetId: string, zoneId: string, serial: number): Promise<number> =>
  tx.run(sql`
    update target_zones set leave_serial = ${serial}
    where target_id = ${targetId} and zone_id = ${zoneId} and leave_serial is null`)

/** What was seen of a zone at a server. */
export type Sight = {
  readonly zone_id: string
  readonly server_id: string
  /** Null: the server does not have the zone; undefined: it could not be asked, and what it had before stands. */
  readonly serial: number | null | undefined
  readonly error: string | null
}

/** Notes what was seen; of zones that are there no more, nothing. */
export async function noteSights(tx: Tx, sights: readonly Sight[], at: string): Promise<void> {
  for (const { zone_id, server_id, serial, error } of sights) {
    const errorAt = error === null ? null : at
    await tx.run(
      serial === undefined
        ? statement`
            insert into zone_servers (zone_id, server_id, error, error_at)
            select id, ${server_id}, cast(${error} as text), cast(${errorAt} as text) from zones where id = ${zone_id}
            on conflict (zone_id, server_id) do update set error = excluded.error, error_at = excluded.error_at`
        : statement`
            insert into zone_servers (zone_id, server_id, serial, seen_at, error, error_at)
            select id, ${server_id}, cast(${serial} as bigint), cast(${at} as text), cast(${error} as text),
              cast(${errorAt} as text) from zones where id = ${zone_id}
            on conflict (zone_id, server_id) do update set serial = excluded.serial, seen_at = excluded.seen_at,
              error = excluded.error, error_at = excluded.error_at`,
    )
  }
}

/** Begins the text of what keeps a zone from being published: told from other trouble by it. */
const ofServers = 'servers: '

/** Notes what keeps zones from being published, or that nothing does any more; other trouble of theirs stays. */
export async function noteTroubles(tx: Tx, troubles: ReadonlyMap<string, string | null>): Promise<void> {
  for (const [id, trouble] of [...troubles].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await tx.run(sql`
      update zones set trouble = ${trouble === null ? null : ofServers + trouble}
      where id = ${id} and (trouble is null or trouble like ${`${ofServers}%`})`)
  }
}

/** Whether trouble of a zone is that its servers do not show it. */
export const isOfServers = (trouble: string | null): boolean => trouble?.startsWith(ofServers) ?? false

export type ServerState = { readonly server_id: string; readonly status: 'UP' | 'DOWN'; readonly error: string | null }

/** Notes how the servers of a pool are; `since` stays while a status does. */
export async function noteStates(tx: Tx, poolId: string, states: readonly ServerState[], at: string): Promise<void> {
  for (const { server_id, status, error } of states) {
    const seenAt = status === 'UP' ? at : null
    await tx.run(sql`
      insert into pool_server_states (server_id, pool_id, status, since, seen_at, error)
      select ${server_id}, id, ${status}, ${at}, cast(${seenAt} as text), cast(${error} as text) from pools where id = ${poolId}
      on conflict (server_id) do update set
        since = case when pool_server_states.status = excluded.status then pool_server_states.since else excluded.since end,
        seen_at = coalesce(excluded.seen_at, pool_server_states.seen_at), status = excluded.status, error = excluded.error`)
  }
}

/** Forgets what was seen at servers that the pool does not have any more. */
export async function forgetServers(tx: Tx, poolId: string, kept: readonly string[]): Promise<void> {
  const others = kept.length === 0 ? sql`` : sql`and server_id not in (${join([...kept])})`
  await tx.run(sql`
    delete from zone_servers where server_id in (
      select server_id from pool_server_states where pool_id = ${poolId} ${others})`)
  await tx.run(sql`delete from pool_server_states where pool_id = ${poolId} ${others}`)
}

const ownAtOnce = 500

/** Notes of some zones of a pool without other servers, after one of them, that they are published, or gone; gives the last where there may be more. */
export async function publishOwn(tx: Tx, poolId: string, after: string, now: Date): Promise<string | undefined> {
  const isOwn = sql`pool_id = ${poolId} and exists (select 1 from pools where id = ${poolId} and delivered = 0)`
  const zones = await tx.all<{ id: string; deleted_at: string | null }>(sql`
    select id, deleted_at from zones
    where ${isOwn} and id > ${after} and gone_at is null and (deleted_at is not null or trouble like ${`${ofServers}%`}
      or (serial > published_serial and (type <> 'SECONDARY' or transferred_at is not null)))
    order by id limit ${ownAtOnce}`)
  const [live, deleted] = [
    zones.filter(({ deleted_at }) => deleted_at === null),
    zones.filter(({ deleted_at }) => deleted_at !== null),
  ]
  if (live.length > 0) {
    await tx.run(sql`
      update zones set published_serial = serial, trouble = null where id in (${join(live.map(({ id }) => id))})`)
  }
  await markGone(
    tx,
    deleted.map(({ id }) => id),
    timestamp(now),
  )
  return zones.length === ownAtOnce ? zones.at(-1)!.id : undefined
}

/** A stored moment in milliseconds. */
export const momentOf = (at: string): number => Date.parse(`${at.slice(0, 23)}Z`)
