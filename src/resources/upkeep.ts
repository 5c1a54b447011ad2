import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { prune } from '../journal/prune.ts'
import { poolTopic } from './pools/fields.ts'
import { behind, remakeSome } from './zones/remake.ts'
import { duePurges, purgeSome } from './zones/store.ts'

export type UpkeepOptions = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly journalAgeSeconds: number
  readonly journalChangesPerZone: number
  readonly everyMilliseconds?: number
}

const batch = 500

/** Does what no request waits for: zones follow their pool's name servers, old changes and deleted zones are removed. */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const { db, clock, log } = options
  const stopped = new AbortController()
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
        await pruneJournal(options, stopped.signal)
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

async function pruneJournal(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const before = timestamp(new Date(options.clock().getTime() - options.journalAgeSeconds * 1000))
  const retention = { before, perZone: options.journalChangesPerZone }
  let removed = batch
  while (removed === batch && !signal.aborted) removed = await options.db.write((tx) => prune(tx, retention, batch))
}
