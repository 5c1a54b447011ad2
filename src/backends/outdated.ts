import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import { type ZoneRow, zonesWithIds } from './rows.ts'

export type OutdatedOptions = {
  readonly db: Pick<Database, 'read'>
  readonly log: Logger
  readonly take: (zones: readonly ZoneRow[]) => Promise<void>
}

/** Zones of which a server shows more than they were known to have: they may have changed since their rows were read. */
export class Outdated {
  readonly #options: OutdatedOptions
  readonly #zones = new Set<string>()

  constructor(options: OutdatedOptions) {
    this.#options = options
  }

  add(zoneId: string): void {
    this.#zones.add(zoneId)
  }

  /** Reads them again. */
  async look(): Promise<void> {
    const ids = [...this.#zones]
    this.#zones.clear()
    if (ids.length === 0) return
    const { db, log, take } = this.#options
    try {
      await take(await db.read((tx) => zonesWithIds(tx, ids)))
    } catch (error) {
      log.warn({ err: error }, 'zones that servers show newer than ours could not be read')
    }
  }
}
