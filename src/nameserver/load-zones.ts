import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Database, DatabaseUnavailable, TransactionSpoiled, type Tx } from '../db/sql.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { recordsIn, type ServedZone, type SetRow, setsOf, setsOfMany, zonesWithIds } from '../journal/content.ts'
import type { Change } from '../zonedata/change.ts'
import { SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'

type Zone = { readonly id: string; readonly name: string; readonly serial: number }

/** What holds the zones that are served. */
export type ZoneHolder = {
  /** Makes a zone known whose content comes later. */
  awaitZone(zone: Zone): void
  /** Takes the content of a zone record by record; it is there when it is finished. */
  build(zone: Zone): { add(record: ResourceRecord): void; finish(): void; abandon(): void }
  apply(id: string, change: Change): void
  dropZone(id: string): void
  /** Keeps a zone that cannot be served, with the reason. */
  failZone(zone: Zone, reason: string): void
  /** What is held of a zone. */
  stateOf(id: string): { readonly state: 'ready' | 'awaited' | 'failed'; readonly serial: number } | undefined
  readonly ids: Iterable<string>
}

export type LoadOptions = {
  readonly db: Database
  readonly holder: ZoneHolder
  /** Whether a zone has been deleted meanwhile. */
  readonly isDropped: (id: string) => boolean
  /** Called with zones that are served now. */
  readonly onLoaded: (zones: readonly ServedZone[]) => void
  readonly onFailed: (zone: ServedZone, error: unknown) => void
  /** Told of a zone whose content is still to come from its masters. */
  readonly onEmpty: (zone: ServedZone) => void
}

const smallZone = 500

/** Reads zones whole and puts them where they are served, the small ones first; tells of them as they were read. */
export async function loadZones(ids: readonly string[], options: LoadOptions): Promise<void> {
  const { db, holder, onLoaded } = options
  const before = new Map(ids.map((id) => [id, holder.stateOf(id)?.serial]))
  await db.read(async (tx) => {
    const zones = await zonesWithIds(tx, ids)
    const load = (zone: ServedZone, pieces: Pieces) =>
      loadZone(zone, pieces, { ...options, before: before.get(zone.id) })
    const small = zones.filter(({ record_count }) => record_count <= smallZone)
    const sets = small.length > 0 ? await setsOfMany(tx, idsOf(small)) : new Map<string, SetRow[]>()
    const loaded: ServedZone[] = []
    for (const zone of small) if (await load(zone, [sets.get(zone.id)!])) loaded.push(zone)
    if (loaded.length > 0) onLoaded(loaded)
    for (const zone of zones) if (!sets.has(zone.id) && (await load(zone, setsOf(tx, zone.id)))) onLoaded([zone])
  })
}

type Pieces = AsyncIterable<readonly SetRow[]> | readonly (readonly SetRow[])[]

/** Whether trouble is with the database, not with what it holds. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || error instanceof TransactionSpoiled

async function loadZone(
  zone: ServedZone,
  pieces: Pieces,
  { holder, before, isDropped, onFailed, onEmpty }: LoadOptions & { readonly before: number | undefined },
): Promise<boolean> {
  if (zone.expired_at !== null) {
    onFailed(zone, new Expired(`no master has confirmed it for too long; expired at ${zone.expired_at}`))
    return false
  }
  if (zone.type === 'SECONDARY' && (zone.transferred_at === null || zone.partial !== 0)) {
    // There is nothing to serve yet, and nothing wrong.
    holder.awaitZone(zone)
    onEmpty(zone)
    return false
  }
  const build = holder.build(zone)
  try {
    let serial: number | undefined
    for await (const rows of pieces) {
      for (const row of rows) {
        for (const record of decoded(row, zone)) {
          build.add(record)
          if (record.type === SOA) serial = soaNumber(record.rdata, 0)
        }
      }
      // SQLite gives rows without a turn of the event loop, and changes and questions of others must not wait.
      if (!Array.isArray(pieces)) await nextTurn()
    }
    if (isDropped(zone.id) || isOvertaken(holder.stateOf(zone.id)?.serial, before)) return false
    if (serial !== zone.serial) throw new BadContent(`the SOA has serial ${serial}, but the zone ${zone.serial}`)
    build.finish()
    return true
  } catch (error) {
    if (isOfDatabase(error)) throw error
    if (!isDropped(zone.id)) onFailed(zone, error)
    return false
  } finally {
    build.abandon()
  }
}

/** That a zone from elsewhere is too old to be served. */
export class Expired extends Error {}

/** That a zone cannot be served as it is stored. */
class BadContent extends Error {}

function decoded(row: SetRow, zone: ServedZone): ResourceRecord[] {
  try {
    return recordsIn(row, zone.ttl)
  } catch (error) {
    const [, , name, type] = row
    throw new BadContent(`${name} ${type} cannot be served: ${(error as Error).message}`, { cause: error })
  }
}

/** Whether changes were applied while the zone was read. */
const isOvertaken = (serial: number | undefined, before: number | undefined): boolean =>
  serial !== undefined && serial !== before

export const idsOf = (zones: readonly { readonly id: string }[]): string[] => zones.map(({ id }) => id)

/** Zones in the order of their ids, some at a time, each time in a transaction of its own. */
export async function* inBatches<T extends { readonly id: string }>(
  db: Database,
  size: number,
  next: (tx: Tx, after: string, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let after = ''
  for (;;) {
    const zones = await db.read((tx) => next(tx, after, size))
    if (zones.length > 0) yield zones
    if (zones.length < size) return
    after = zones.at(-1)!.id
    await nextTurn()
  }
}
