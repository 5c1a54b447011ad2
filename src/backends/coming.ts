import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import { type TargetZoneRow, targetsOfZones } from './rows.ts'

export type ComingOptions = {
  readonly db: Pick<Database, 'read'>
  readonly log: Logger
  readonly poolId: string
  /** Lists a zone now, unless it is wanted no more. */
  readonly list: (zoneId: string, present: readonly TargetZoneRow[]) => void
}

// Whoever delivers the other pool may be away: then a gap is better than a zone that does not come.
const patience = 15_000

/** Zones that come from other pools, and are listed in this pool's catalog once the other one's servers know of that. */
export class Coming {
  readonly #options: ComingOptions
  readonly #zones = new Map<string, number>()

  constructor(options: ComingOptions) {
    this.#options = options
  }

  /** Whether a zone must wait; if so it is looked after from now on. */
  mustWait(zoneId: string, present: readonly TargetZoneRow[]): boolean {
    if (!this.#isHeldElsewhere(present)) return false
    const since = this.#zones.get(zoneId) ?? performance.now()
    this.#zones.set(zoneId, since)
    return performance.now() - since < patience
  }

  /** Looks which of them may be listed by now. */
  async look(): Promise<void> {
    const ids = [...this.#zones.keys()]
    if (ids.length === 0) return
    try {
      const present = Map.groupBy(await this.#options.db.read((tx) => targetsOfZones(tx, ids)), (row) => row.zone_id)
      for (const id of ids) {
        const rows = present.get(id) ?? []
        if (this.mustWait(id, rows)) continue
        this.#options.list(id, rows)
        this.#zones.delete(id)
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'zones that come to a pool could not be looked up; it is tried again')
    }
  }

  #isHeldElsewhere(present: readonly TargetZoneRow[]): boolean {
    return present.some(({ pool_id, leave_serial }) => pool_id !== this.#options.poolId && leave_serial === null)
  }
}
