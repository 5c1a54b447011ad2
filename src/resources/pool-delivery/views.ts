import { timestamp } from '../../clock.ts'
import type { Tx } from '../../db/sql.ts'
import type { Zone } from '../zones/fields.ts'
import type { PoolServers, ZoneServers } from './fields.ts'
import * as servers from './servers-store.ts'
import { settingsOf } from './store.ts'
import { neededOf } from './threshold.ts'

/** What is known of the servers of a pool. */
export async function viewPool(tx: Tx, poolId: string, now: Date): Promise<PoolServers> {
  const states = await servers.statesOf(tx, poolId)
  const rows: PoolServers['servers'][number][] = []
  for (const server of await servers.serversOf(tx, poolId)) {
    const { created_at: _, ...rest } = server
    const state = server.id === null ? builtIn : (states.get(server.id) ?? unknown)
    rows.push({ ...rest, ...state, zones_behind: await servers.zonesBehind(tx, poolId, server) })
  }
  const { threshold_percentage, catalog_zone } = await settingsOf(tx, poolId)
  const isProof = (id: string) => rows.some((row) => row.id === id)
  const targets: PoolServers['targets'][number][] = []
  // Those that follow a catalog have no channel of their own that could be down.
  for (const { id, type, host, port } of catalog_zone === null ? await servers.targetsOf(tx, poolId) : []) {
    if (type === 'catalog' || isProof(id)) continue
    const { seen_at: _, ...state } = states.get(id) ?? unknown
    targets.push({ id, type, host, port, ...state })
  }
  const delivered_by = await servers.leaseOf(tx, poolId, timestamp(now))
  const up = rows.filter(({ status }) => status === 'UP').length
  const isEnough = up >= neededOf(rows.length, threshold_percentage)
  const isWell = up === rows.length && targets.every((target) => target.status !== 'DOWN')
  const status = isWell ? 'ACTIVE' : isEnough ? 'DEGRADED' : 'ERROR'
  return { pool_id: poolId, status, delivered_by, servers: rows, targets }
}

const unknown = { status: 'UNKNOWN', since: null, seen_at: null, error: null } as const
const builtIn = { status: 'UP', since: null, seen_at: null, error: null } as const

/** What is known of a zone at the servers of its pool. */
export async function viewZone(tx: Tx, zone: Zone, now: Date): Promise<ZoneServers> {
  const { id, pool_id, serial, published_serial, status } = zone
  const seen = await servers.seenOf(tx, id)
  const all = await servers.serversOf(tx, pool_id)
  const states = await servers.statesOf(tx, pool_id)
  const rows: ZoneServers['servers'][number][] = []
  for (const server of all) {
    const { type: _, created_at, ...rest } = server
    const last = server.id === null ? servedHere(zone) : (seen.get(server.id) ?? unseen)
    const standing = standingOf(last, serial, server.id === null)
    const known = standing === 'CURRENT' ? last : withState(last, states.get(server.id ?? ''))
    const since = await behindSince(tx, zone, { standing, serial: known.serial, created_at })
    const lag_seconds =
      since === undefined ? null : Math.max(0, Math.floor((now.getTime() - millisecondsOf(since)) / 1000))
    rows.push({ ...rest, ...known, lag_seconds: standing === 'CURRENT' ? 0 : lag_seconds, status: standing })
  }
  const { threshold_percentage } = await settingsOf(tx, pool_id)
  const threshold = neededOf(all.length, threshold_percentage)
  return { zone_id: id, pool_id, serial, published_serial, status, threshold, servers: rows }
}

const unseen = { serial: null, seen_at: null, error: null, error_at: null }

/** What is known of a zone at a server, with why it does not become better, where the server itself is not well. */
function withState(known: servers.Seen, state: servers.State | undefined): servers.Seen {
  if (known.error !== null || state?.status !== 'DOWN') return known
  return { ...known, error: 'the server does not answer or cannot be given zones now', error_at: state.since }
}

const servedHere = ({ published_serial }: Zone) => ({
  ...unseen,
  serial: published_serial === 0 ? null : published_serial,
})

type Standing = ZoneServers['servers'][number]['status']

function standingOf(
  known: { serial: number | null; seen_at: string | null },
  serial: number,
  isHere: boolean,
): Standing {
  if (known.serial === null) return known.seen_at === null && !isHere ? 'UNKNOWN' : 'MISSING'
  // One that is newer than ours did not come from here.
  return known.serial === serial ? 'CURRENT' : 'BEHIND'
}

/** Since when a server should have had what it does not have. */
async function behindSince(
  tx: Tx,
  zone: Zone,
  server: { readonly standing: Standing; readonly serial: number | null; readonly created_at: string | null },
): Promise<string | undefined> {
  switch (server.standing) {
    case 'CURRENT':
    case 'UNKNOWN':
      return undefined
    case 'BEHIND':
      return servers.leftBehindAt(tx, zone.id, server.serial!)
    case 'MISSING':
      return server.created_at !== null && server.created_at > zone.created_at ? server.created_at : zone.created_at
  }
}

const millisecondsOf = (at: string): number => Date.parse(`${at.slice(0, 23)}Z`)
