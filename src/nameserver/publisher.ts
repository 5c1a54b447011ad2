import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { markGone, markPublished } from '../resources/zones/store.ts'
import type { Served } from './load.ts'

const batch = 500

/** Writes down what is served, so that statuses follow; what comes while a write is under way goes with the next. */
export class Publisher {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #published = new Map<string, number>()
  readonly #gone = new Set<string>()
  #writing: Promise<void> | undefined
  #stopped = false

  constructor(db: Database, clock: Clock, log: Logger) {
    this.#db = db
    this.#clock = clock
    this.#log = log
  }

  add({ published, gone }: Served): void {
    for (const { id, serial } of published) this.#published.set(id, serial)
    for (const id of gone) this.#gone.add(id)
    this.#writing ??= this.#write()
  }

  /** Waits for what is under way; what is not written is found again at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#writing
  }

  async #write(): Promise<void> {
    while ((this.#published.size > 0 || this.#gone.size > 0) && !this.#stopped) {
      const published = [...this.#published].slice(0, batch).map(([id, serial]) => ({ id, serial }))
      const gone = [...this.#gone].slice(0, batch)
      try {
        await this.#db.write(async (tx) => {
          await markPublished(tx, published)
          await markGone(tx, gone, timestamp(this.#clock()))
        })
        for (const { id, serial } of published) if (this.#published.get(id) === serial) this.#published.delete(id)
        for (const id of gone) this.#gone.delete(id)
      } catch (error) {
        this.#log.warn({ err: error }, 'what is served could not be written down; it is tried again')
        await sleep(500)
      }
    }
    this.#writing = undefined
  }
}
