import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import type { HandOver } from './hand-over.ts'
import type { TargetZone } from './kind.ts'
import * as rows from './rows.ts'

export type LeavingOptions = {
  readonly db: Pick<Database, 'read' | 'write'>
  readonly log: Logger
  readonly poolId: string
  readonly drop: (targetId: string, zone: TargetZone) => void
  readonly handOver: HandOver
}

const batch = 500

/** Zones that targets of a pool have though the pool does not any more. They go once they are published where they are now. */
export class Leaving {
  readonly #options: LeavingOptions
  readonly #zones = new Set<string>()
  #looking = false

  constructor(options: LeavingOptions) {
    this.#options = options
  }

  add(zoneId: string): void {
    this.#zones.add(zoneId)
  }

  delete(zoneId: string): void {
    this.#zones.delete(zoneId)
  }

  /** Looks which of them may be dropped by now. */
  async look(): Promise<void> {
    if (this.#looking || this.#zones.size === 0) return
    this.#looking = true
    try {
      await this.#look([...this.#zones].slice(0, batch))
    } catch (error) {
      this.#options.log.warn({ err: error }, 'zones that left a pool could not be looked up; it is tried again')
    } finally {
      this.#looking = false
    }
  }

  async #look(ids: readonly string[]): Promise<void> {
    const { db, poolId, drop, handOver } = this.#options
    const { zones, held } = await db.read(async (tx) => ({
      zones: new Map((await rows.zonesWithIds(tx, ids)).map((zone) => [zone.id, zone])),
      held: (await rows.targetsOfZones(tx, ids)).filter((row) => row.pool_id === poolId),
    }))
    const isBack = (id: string) => zones.get(id)?.pool_id === poolId && zones.get(id)?.gone_at === null
    const isHeld = new Set(held.map(({ zone_id }) => zone_id))
    for (const id of ids) {
      this.#zones.delete(id)
      // Those that are still waited for are looked at again, after the others.
      if (isHeld.has(id) && !isBack(id)) this.#zones.add(id)
    }
    const moved: { target_id: string; zone: TargetZone; serial: number }[] = []
    for (const { target_id, zone_id, name, leave_serial } of held) {
      if (isBack(zone_id)) continue
      const zone = zones.get(zone_id)
      const isLive = zone !== undefined && zone.deleted_at === null
      if (isLive && leave_serial === null) {
        const newCatalog = (await db.read((tx) => rows.catalogSerialOf(tx, zone.pool_id)))?.name
        const member = { id: zone_id, name, ...(newCatalog !== undefined && { newCatalog }) }
        moved.push({ target_id, zone: member, serial: zone.serial })
      } else if (!isLive || zone.published_serial >= leave_serial!) drop(target_id, { id: zone_id, name })
    }
    const isOver = moved.length === 0 ? new Set() : await handOver.done(moved)
    for (const { target_id, zone, serial } of moved) {
      if (isOver.has(zone.id)) await db.write((tx) => rows.willLeave(tx, target_id, zone.id, serial))
    }
  }
}
