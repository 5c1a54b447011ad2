import { sql, type Tx } from '../../db/sql.ts'
import { type TargetKind, targetKinds } from '../../target-kinds.ts'
import type { PoolServers, ZoneServers } from './fields.ts'

type Role = PoolServers['servers'][number]['role']

/** A server that answers for the zones of a pool. The built-in one has no id, and listens where its settings say. */
export type Server = {
  readonly id: string | null
  readonly role: Role
  readonly type: string | null
  readonly host: string | null
  readonly port: number | null
  readonly created_at: string | null
}

const builtIn: Server = { id: null, role: 'built-in', type: null, host: null, port: null, created_at: null }

/** The servers of a pool, oldest first: its name servers, or its targets where it has none, or else the built-in one. */
export async function serversOf(tx: Tx, poolId: string): Promise<readonly Server[]> {
  const nameservers = await tx.all<Server>(sql`
    select id, 'nameserver' as role, null as type, host, port, created_at from pool_nameservers
    where pool_id = ${poolId} order by id`)
  if (nameservers.length > 0) return nameservers
  const targets = await targetsOf(tx, poolId)
  return targets.length === 0 ? [builtIn] : targets
}

/** The targets of a pool, oldest first. */
export async function targetsOf(tx: Tx, poolId: string): Promise<(Server & { id: string; type: string })[]> {
  const targets = await tx.all<{ id: string; type: string; options: string; created_at: string }>(sql`
    select id, type, options, created_at from pool_targets where pool_id = ${poolId} order by id`)
  return targets.map(({ id, type, options, created_at }) => ({
    id,
    role: 'target',
    type,
    ...addressOf(type, options),
    created_at,
  }))
}

function addressOf(type: string, stored: string): { readonly host: string; readonly port: number } {
  const kind: TargetKind | undefined = targetKinds[type as keyof typeof targetKinds]
  const { host = kind?.options.host?.preset, port = kind?.options.port?.preset } = JSON.parse(stored)
  return { host, port }
}

/** What a server was last seen to be. */
export type State = Pick<PoolServers['servers'][number], 'status' | 'since' | 'seen_at' | 'error'>

/** What the servers of a pool were last seen to be, by id. */
export async function statesOf(tx: Tx, poolId: string): Promise<ReadonlyMap<string, State>> {
  const rows = await tx.all<State & { server_id: string }>(sql`
    select server_id, status, since, seen_at, error from pool_server_states where pool_id = ${poolId}`)
  return new Map(rows.map(({ server_id, ...state }) => [server_id, state]))
}

/** How many zones of a pool a server is not known to have as they are. */
export async function zonesBehind(tx: Tx, poolId: string, { id }: Server): Promise<number> {
  const row =
    id === null
      ? await tx.get<{ n: number }>(sql`
          select count(*) as n from zones
          where pool_id = ${poolId} and deleted_at is null and serial > published_serial`)
      : await tx.get<{ n: number }>(sql`
          select count(*) as n from zones z left join zone_servers s on s.zone_id = z.id and s.server_id = ${id}
          where z.pool_id = ${poolId} and z.deleted_at is null and z.type <> 'CATALOG'
            and (z.type <> 'SECONDARY' or z.transferred_at is not null) and (s.serial is null or s.serial <> z.serial)`)
  return row!.n
}

/** Who delivers a pool now. */
export const leaseOf = async (tx: Tx, poolId: string, now: string): Promise<PoolServers['delivered_by']> =>
  (await tx.get<{ holder: string; until: string }>(sql`
    select holder, until from pool_leases where pool_id = ${poolId} and holder is not null and until > ${now}`)) ?? null

/** What a server was last seen to have of a zone. */
export type Seen = Pick<ZoneServers['servers'][number], 'serial' | 'seen_at' | 'error' | 'error_at'>

/** What servers were last seen to have of a zone, by their ids. */
export async function seenOf(tx: Tx, zoneId: string): Promise<ReadonlyMap<string, Seen>> {
  const rows = await tx.all<Seen & { server_id: string }>(sql`
    select server_id, serial, seen_at, error, error_at from zone_servers where zone_id = ${zoneId}`)
  return new Map(rows.map(({ server_id, ...seen }) => [server_id, seen]))
}

/** When a zone first was another than it was at a serial; undefined when the journal does not tell. */
export const leftBehindAt = async (tx: Tx, zoneId: string, serial: number): Promise<string | undefined> =>
  (
    await tx.get<{ at: string }>(sql`
      select at from changes where zone_id = ${zoneId} and serial > ${serial} order by serial limit 1`)
  )?.at
