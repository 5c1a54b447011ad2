import type { Database } from '../db/sql.ts'
import type { TargetZone } from './kind.ts'
import * as rows from './rows.ts'

const size = 500

/** The zones of a pool that are not deleted, a page at a time. */
export async function* pagesOf(
  db: Pick<Database, 'read'>,
  poolId: string,
  signal: AbortSignal,
): AsyncGenerator<rows.ZoneRow[]> {
  let last: rows.ZoneRow | undefined
  for (let isFull = true; isFull; ) {
    const zones = await db.read((tx) => rows.zonesAfter(tx, poolId, last, size))
    if (signal.aborted) return
    yield zones
    last = zones.at(-1)
    isFull = zones.length === size
  }
}

/** Zones of a pool that are deleted and may be at its servers still. */
export async function* deletedOf(
  db: Pick<Database, 'read'>,
  poolId: string,
  signal: AbortSignal,
): AsyncGenerator<rows.ZoneRow[]> {
  for (let after = '', isFull = true; isFull; ) {
    const zones = await db.read((tx) => rows.leavingAfter(tx, poolId, after, size))
    if (signal.aborted) return
    yield zones
    after = zones.at(-1)?.id ?? after
    isFull = zones.length === size
  }
}

/** What a target has or may have though its pool does not any more. */
export async function* strangersOf(
  db: Pick<Database, 'read'>,
  target: { readonly id: string; readonly poolId: string },
  signal: AbortSignal,
): AsyncGenerator<rows.TargetZoneRow[]> {
  for (let after = '', isFull = true; isFull; ) {
    const found = await db.read((tx) => rows.strangersAt(tx, target, after, size))
    if (signal.aborted) return
    yield found
    after = found.at(-1)?.zone_id ?? after
    isFull = found.length === size
  }
}

/** Tells one zone after another that a server was seen to have, round and round. */
export function samplesOf(
  db: Pick<Database, 'read'>,
  at: { readonly serverId: string; readonly poolId: string },
): () => Promise<rows.ZoneRow | undefined> {
  let last = ''
  return async () => {
    const zone = await db.read((tx) => rows.nextZoneAt(tx, at, last))
    last = zone?.id ?? ''
    return zone
  }
}

const memberName = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.zones\./

/** What a catalog lists though its pool does not have it: a zone that is no more, or is published by another pool. */
export async function* unlistedOf(
  db: Pick<Database, 'read'>,
  catalog: { readonly id: string; readonly pool_id: string },
  signal: AbortSignal,
): AsyncGenerator<TargetZone[]> {
  for (let after = '', isFull = true; isFull; ) {
    const { members, zones } = await db.read(async (tx) => {
      const members = await rows.listedAfter(tx, catalog.id, after, size)
      const ids = members.map(({ name }) => idOf(name)).filter((id) => id !== undefined)
      return { members, zones: new Map((await rows.zonesWithIds(tx, ids)).map((zone) => [zone.id, zone])) }
    })
    if (signal.aborted) return
    yield members.flatMap(({ name, records }) => {
      const id = idOf(name)
      const zone = id === undefined ? undefined : zones.get(id)
      const isWanted = zone !== undefined && zone.deleted_at === null && zone.pool_id === catalog.pool_id
      const isMoving = zone !== undefined && zone.deleted_at === null && zone.published_serial < zone.serial
      return id === undefined || isWanted || isMoving ? [] : [{ id, name: String(JSON.parse(records)[0]) }]
    })
    after = members.at(-1)?.id ?? after
    isFull = members.length === size
  }
}

const idOf = (name: string): string | undefined => memberName.exec(name)?.slice(1).join('-')
