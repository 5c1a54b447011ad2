import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import { type Database, sql } from '../db/sql.ts'
import { refreshTopic } from '../refresh-topic.ts'
import { type RefreshContext, refreshZone } from './refresh.ts'
import * as store from './store.ts'

export type ScheduleOptions = Omit<RefreshContext, 'db' | 'signal'> & {
  readonly db: Pick<Database, 'engine' | 'read' | 'write' | 'follow'>
  readonly clock: Clock
  readonly log: Logger
  /** How many zones are worked on at a time. */
  readonly atOnce?: number
  /** How often is looked for what nobody woke us for. */
  readonly everyMilliseconds?: number
}

const leaseMilliseconds = 60_000
const renewMilliseconds = 20_000
const troubleMilliseconds = 60_000

/** Asks the masters of every secondary zone when it is time to, some side by side; each zone is one process's at a time. */
export function startSchedule(options: ScheduleOptions): { stop(): Promise<void> } {
  const { db, clock, log, holder, atOnce = 8, everyMilliseconds = 5000 } = options
  const stopped = new AbortController()
  const context: RefreshContext = { ...options, signal: stopped.signal }
  const running = new Map<string, Promise<void>>()
  let [ring, renewed] = [() => {}, performance.now()]
  const unfollow = db.follow((topics) => {
    if (topics.includes(refreshTopic)) ring()
  })

  const loop = (async () => {
    let isStart = db.engine === 'sqlite'
    while (!stopped.signal.aborted) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      let wait = everyMilliseconds
      try {
        // A data folder is one process's alone: whoever held a lease in it is no more.
        if (isStart) await db.write(store.endLeases)
        isStart = false
        await keepLeases()
        wait = await begin()
      } catch (error) {
        log.warn({ err: error }, 'cannot look for secondary zones; it is tried again')
      }
      const late = new AbortController()
      await Promise.race([rung, sleep(wait, undefined, { signal: late.signal }).catch(() => {})])
      late.abort()
    }
  })()

  const until = () => timestamp(new Date(clock().getTime() + leaseMilliseconds))

  async function keepLeases(): Promise<void> {
    if (running.size === 0 || performance.now() - renewed < renewMilliseconds) return
    renewed = performance.now()
    await db.write((tx) => store.renew(tx, holder, until()))
  }

  /** Begins what is due; tells for how long there is nothing more to begin. */
  async function begin(): Promise<number> {
    const room = atOnce - running.size
    if (room === 0) return everyMilliseconds
    const now = timestamp(clock())
    const due = await db.read((tx) => store.nextDue(tx, now))
    if (due === undefined) return everyMilliseconds
    if (due > now)
      return Math.min(everyMilliseconds, Math.max(1, Date.parse(`${due.slice(0, 23)}Z`) - clock().getTime()))
    const claimed = await db.write(async (tx) => {
      await store.takeAsked(tx, 500)
      return store.claim(tx, { holder, now, until: until() }, room)
    })
    for (const state of claimed) work(state)
    return claimed.length === 0 ? 100 : 1
  }

  function work(state: store.State): void {
    const done = refreshZone(context, state)
      .catch((error: unknown) => setAside(state.zone_id, error))
      .catch((error: unknown) => log.warn({ err: error }, 'a secondary zone is left until its lease ends'))
      .finally(() => {
        running.delete(state.zone_id)
        ring()
      })
    running.set(state.zone_id, done)
  }

  /** What nobody foresaw must not come again at once. */
  async function setAside(zoneId: string, error: unknown): Promise<void> {
    log.error({ err: error, zone_id: zoneId }, 'a secondary zone cannot be refreshed')
    const nextAt = timestamp(new Date(clock().getTime() + troubleMilliseconds))
    const reason = (error as Error).message
    await db.write((tx) =>
      store.finish(tx, zoneId, holder, nextAt, sql`failures = failures + 1, last_error = ${reason}`),
    )
  }

  return {
    async stop() {
      stopped.abort()
      unfollow()
      ring()
      await loop
      await Promise.all(running.values())
    },
  }
}
