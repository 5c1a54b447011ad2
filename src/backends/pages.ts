import type { Database } from '../db/sql.ts'
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
