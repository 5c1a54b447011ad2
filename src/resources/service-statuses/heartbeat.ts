import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/sql.ts'
import type { ServiceName } from './fields.ts'
import * as store from './store.ts'

export type HeartbeatOptions = store.Process & {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  /** The roles of this process that are alive now; asked before every beat. */
  readonly roles: () => readonly ServiceName[]
  readonly everyMilliseconds?: number
}

/** Says every ten seconds which roles of this process are there, and at the end that they have stopped. */
export function startHeartbeat(options: HeartbeatOptions): { stop(): Promise<void> } {
  const { db, clock, log, roles, everyMilliseconds = 10_000 } = options
  const stopped = new AbortController()
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await db
        .write((tx) => store.beat(tx, options, roles(), clock()))
        .catch((error: unknown) => log.warn({ err: error }, 'the heartbeat was not written; the next one will be'))
      await sleep(everyMilliseconds, undefined, { signal: stopped.signal, ref: false }).catch(() => {})
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await running
      await db
        .write((tx) => store.stop(tx, options, clock()))
        .catch((error: unknown) => log.warn({ err: error }, 'that the service stops was not written'))
    },
  }
}
