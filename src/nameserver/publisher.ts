import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { askRefresh, markGone, markPublished, ownToLeave } from '../resources/zones/store.ts'
import type { Served } from './load.ts'

const batch = 500

/** Writes down what is served, so that statuses follow; what comes while a write is under way goes with the next. */
export class Publisher {
  readonly #db: Database
  readonly #clock: Clock
  readonly #log: Logger
  readonly #published = new Map<string, number>()
  readonly #gone = new Set<string>()
  readonly #notified = new Set<string>()
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
    this.#begin()
  }

  /** A master has announced a change of a zone. */
  notified(zoneId: string): void {
    this.#notified.add(zoneId)
    this.#begin()
  }

  /** How much waits to be written down. */
  get waiting(): number {
    return this.#published.size + this.#gone.size + this.#notified.size
  }

  /** Waits for what is under way; what is not written is found again at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#writing
  }

  #begin(): void {
    if (!this.#stopped) this.#writing ??= this.#write()
  }

  async #write(): Promise<void> {
    while (this.waiting > 0 && !this.#stopped) {
      const published = [...this.#published.entries().take(batch)].map(([id, serial]) => ({ id, serial }))
      const gone = [...this.#gone.values().take(batch)]
      const notified = [...this.#notified.values().take(batch)].toSorted()
      try {
        await this.#db.write(async (tx) => {
          await markPublished(tx, published)
          await markGone(tx, await ownToLeave(tx, gone), timestamp(this.#clock()))
        })
        for (const { id, serial } of published) if (this.#published.get(id) === serial) this.#published.delete(id)
        for (const id of gone) this.#gone.delete(id)
        await this.#askMasters(notified)
      } catch (error) {
        this.#log.warn({ err: error }, 'what is served could not be written down; it is tried again')
        await sleep(500)
      }
    }
    this.#writing = undefined
  }

  async #askMasters(zoneIds: readonly string[]): Promise<void> {
    for (const id of zoneIds) this.#notified.delete(id)
    if (zoneIds.length === 0) return
    // A zone may just have been removed for good, and an announcement that is lost comes again.
    await this.#db
      .write(async (tx) => {
        for (const id of zoneIds) await askRefresh(tx, id, timestamp(this.#clock()))
      })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'an announcement of masters is lost'))
  }
}
