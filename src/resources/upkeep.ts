import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { beginning, changesAfter, type Place, prunableBelow, pruneBelow, type Retention } from '../journal/prune.ts'
import * as zoneExports from './exports/store.ts'
import * as zoneImports from './imports/store.ts'
import { poolTopic } from './pools/fields.ts'
import { behind, remakeSome } from './zones/remake.ts'
import { duePurges, purgeSome } from './zones/store.ts'

export type UpkeepOptions = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly purgeAgeSeconds: number
  readonly journalAgeSeconds: number
  readonly journalChangesPerZone: number
  readonly everyMilliseconds?: number
}

const batch = 500

/** Does what no request waits for: zones follow their pool's name servers, and what is old is removed. */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { db, clock, log } = options
  const stopped = new AbortController()
  const prune = journalPruner(options, stopped.signal)
  let ring = () => {}
  const unfollow = db.follow((topics) => {
    if (topics.includes(poolTopic)) ring()
  })
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      try {
        await followPools(db, clock, log, stopped.signal)
        await purge(db, clock, stopped.signal)
        await forgetTasks(options, stopped.signal)
        await prune()
      } catch (error) {
        log.warn({ err: error }, 'upkeep did not finish; it is tried again')
      }
      await Promise.race([rung, sleep(options.everyMilliseconds ?? 60_000, undefined, { ref: false })])
    }
  })()
  return {
    async stop() {
      stopped.abort()
      unfollow()
      ring()
      await running
    },
  }
}

async function followPools(db: Database, clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
  for (const { pool, left } of await behind(db)) {
    log.info({ pool: pool.name, zones: left }, 'zones follow the new name servers of their pool')
    let done = 0
    let told = 0
    for (let n = 1; n > 0 && !signal.aborted; ) {
      n = await remakeSome(db, pool.id, clock())
      done += n
      if (done - told >= 5000) {
        told = done
        log.info({ pool: pool.name, done, of: left }, 'zones follow the new name servers of their pool')
      }
    }
    log.info({ pool: pool.name, done, of: left }, 'zones have followed')
  }
}

async function purge(db: Database, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    const due = await db.read((tx) => duePurges(tx, timestamp(clock()), 100))
    for (const { id } of due) {
      let done = false
      while (!done && !signal.aborted) done = await db.write((tx) => purgeSome(tx, id, batch))
    }
    if (due.length < 100 || signal.aborted) return
  }
}

/** Removes imports and exports that were done long ago; what they made stays. */
async function forgetTasks({ db, clock, purgeAgeSeconds }: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const before = timestamp(new Date(clock().getTime() - purgeAgeSeconds * 1000))
  for (const { endedBefore, forget } of [zoneImports, zoneExports]) {
    // Looked for first: most of the time there are none, and a write would wait for others.
    for (let ids = [''] as string[]; ids.length > 0 && !signal.aborted; ) {
      ids = await db.read((tx) => endedBefore(tx, before, batch))
      if (ids.length > 0) await db.write((tx) => forget(tx, ids))
    }
  }
}

/**
 * Removes what the journal need not keep. A zone is looked at when one of its changes has become old, and when it
 * has changed, for having too many: so a round costs what happened since the last one, not what there is.
 */
function journalPruner({ db, clock, ...options }: UpkeepOptions, signal: AbortSignal): () => Promise<void> {
  const reached = { old: beginning, all: beginning }
  return async () => {
    const now = clock()
    const before = timestamp(new Date(now.getTime() - options.journalAgeSeconds * 1000))
    const retention = { before, perZone: options.journalChangesPerZone }
    reached.old = await pruneUntil(db, reached.old, before, retention, signal)
    reached.all = await pruneUntil(db, reached.all, timestamp(now), retention, signal)
  }
}

async function pruneUntil(
  db: Database,
  from: Place,
  until: string,
  retention: Retention,
  signal: AbortSignal,
): Promise<Place> {
  let place = from
  for (let found = batch; found === batch && !signal.aborted; ) {
    const { places, due } = await db.scan(async (tx) => {
      const places = await changesAfter(tx, place, until, batch)
      const due = new Map<string, number>()
      for (const id of new Set(places.map(({ zone_id }) => zone_id))) {
        const below = await prunableBelow(tx, id, retention)
        if (below !== undefined) due.set(id, below)
      }
      return { places, due }
    })
    for (const [id, below] of due) {
      for (let removed = batch; removed === batch; ) removed = await db.write((tx) => pruneBelow(tx, id, below, batch))
    }
    found = places.length
    place = places.at(-1) ?? place
  }
  return place
}
