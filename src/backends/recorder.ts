import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { markGone, markProven } from '../resources/zones/store.ts'
import { untilCalm } from './calm.ts'
import { type Lease, LeaseLost, mustHold } from './leases.ts'
import { noteSights, noteStates, noteTroubles, type ServerState, type Sight } from './rows.ts'

const batch = 500
const burst = { quiet: 10, most: 100 }

/** Writes down what was seen at the servers of a pool, so that statuses follow; what comes during a write goes with the next. */
export class Recorder {
  readonly #db: Pick<Database, 'write'>
  readonly #lease: Lease
  readonly #clock: Clock
  readonly #log: Logger
  readonly #sights = new Map<string, Sight>()
  readonly #published = new Map<string, number>()
  readonly #gone = new Set<string>()
  readonly #troubles = new Map<string, string | null>()
  readonly #states = new Map<string, ServerState>()
  #writing: Promise<void> | undefined
  #stopped = false

  constructor({ db, lease, clock, log }: { db: Pick<Database, 'write'>; lease: Lease; clock: Clock; log: Logger }) {
    this.#db = db
    this.#lease = lease
    this.#clock = clock
    this.#log = log
  }

  saw(sight: Sight): void {
    this.#sights.set(`${sight.zone_id} ${sight.server_id}`, sight)
    this.#begin()
  }

  /** Enough servers show a zone up to a serial. */
  published(zoneId: string, serial: number): void {
    this.#published.set(zoneId, serial)
    this.#begin()
  }

  /** Enough servers do not have a deleted zone any more. */
  gone(zoneId: string): void {
    this.#gone.add(zoneId)
    this.#begin()
  }

  /** Something that a person must look at keeps a zone from being published, or, with null, nothing does any more. */
  trouble(zoneId: string, trouble: string | null): void {
    this.#troubles.set(zoneId, trouble)
    this.#begin()
  }

  state(state: ServerState): void {
    this.#states.set(state.server_id, state)
    this.#begin()
  }

  /** Waits for what is under way; what is not written is seen again by whoever delivers next. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#writing
  }

  get #waiting(): number {
    return this.#sights.size + this.#published.size + this.#gone.size + this.#troubles.size + this.#states.size
  }

  #begin(): void {
    if (!this.#stopped) this.#writing ??= this.#write()
  }

  async #write(): Promise<void> {
    // What is seen at about the same time is written together: each write keeps other writers waiting.
    await nextTurn()
    while (this.#waiting > 0 && !this.#stopped) {
      const sights = taken(this.#sights)
      const published = taken(this.#published)
      const gone = [...this.#gone].slice(0, batch)
      const troubles = taken(this.#troubles)
      const states = taken(this.#states)
      try {
        await this.#db.write(async (tx) => {
          await mustHold(tx, this.#lease)
          const at = timestamp(this.#clock())
          await noteStates(tx, this.#lease.poolId, [...states.values()], at)
          // Rows of zones are locked in one order, by all who lock several.
          await markProven(tx, published, this.#lease.poolId)
          await noteTroubles(tx, troubles)
          await noteSights(tx, [...sights.values()], at)
          await markGone(tx, gone, at)
        })
        forget(this.#sights, sights)
        forget(this.#published, published)
        forget(this.#troubles, troubles)
        forget(this.#states, states)
        for (const id of gone) this.#gone.delete(id)
        if (sights.size > 1) await untilCalm(() => this.#waiting, burst)
      } catch (error) {
        // Whoever took over sees everything for itself.
        if (error instanceof LeaseLost) this.#stopped = true
        else this.#log.warn({ err: error }, 'what servers show could not be written down; it is tried again')
        if (!this.#stopped) await sleep(500)
      }
    }
    this.#writing = undefined
  }
}

const taken = <T>(all: ReadonlyMap<string, T>): Map<string, T> => new Map([...all.entries().take(batch)])

/** Removes what was written and has not become something else meanwhile. */
function forget<T>(all: Map<string, T>, written: ReadonlyMap<string, T>): void {
  for (const [key, value] of written) if (all.get(key) === value) all.delete(key)
}
