import type { Database } from '../db/sql.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { Exchange, NoAnswer } from '../exchange/exchange.ts'
import { addressOf, followsCatalog, type PoolConfig } from './config.ts'
import type { TargetZone } from './kind.ts'
import { catalogSerialOf } from './rows.ts'
import type { TargetWorker } from './target.ts'

export type HandOverOptions = {
  readonly db: Pick<Database, 'read'>
  readonly config: PoolConfig
  readonly worker: (targetId: string) => TargetWorker | undefined
}

const answerMilliseconds = 1000
const patience = 10_000

/**
 * Has the catalog that lists a zone say which other one does now (RFC 9432 4.4.1). Servers that follow both keep what they
 * have when they read that before they find the zone in the other catalog, so the other one waits for it.
 */
export class HandOver {
  readonly #options: HandOverOptions
  readonly #begun = new Map<string, number>()

  constructor(options: HandOverOptions) {
    this.#options = options
  }

  /** Which of these zones, each at a target, all servers know to be another catalog's; those that take too long count too. */
  async done(moves: readonly { readonly target_id: string; readonly zone: TargetZone }[]): Promise<Set<string>> {
    const now = performance.now()
    const told = moves.filter(({ target_id, zone }) => this.#isTold(target_id, zone, now))
    if (told.length === 0) return new Set()
    const isKnown = await this.#isCatalogKnown()
    const over = told.filter(({ zone }) => isKnown || now - (this.#begun.get(zone.id) ?? now) > patience)
    for (const { zone } of over) this.#begun.delete(zone.id)
    return new Set(over.map(({ zone }) => zone.id))
  }

  /** Whether the catalog says so; where it does not yet, it will. */
  #isTold(targetId: string, zone: TargetZone, now: number): boolean {
    const { config, worker } = this.#options
    const target = config.targets.find(({ id }) => id === targetId)
    if (target === undefined || zone.newCatalog === undefined || !followsCatalog(config, target)) return true
    if (this.#begun.has(zone.id)) return worker(targetId)?.isAbout(zone.id) !== true
    this.#begun.set(zone.id, now)
    worker(targetId)?.add(zone)
    return false
  }

  /** Whether every server that follows the catalog, answers, and does not refuse to tell has it as it is. */
  async #isCatalogKnown(): Promise<boolean> {
    const { db, config } = this.#options
    const followers = config.targets.filter((target) => followsCatalog(config, target))
    const catalog = followers.length === 0 ? undefined : await db.read((tx) => catalogSerialOf(tx, config.id))
    if (catalog === undefined) return true
    const { name, serial } = catalog
    const answers = followers.map(async (target) => {
      const exchange = new Exchange({ ...addressOf(target), key: target.key })
      try {
        // Knot answers for catalogs over TCP alone.
        const overUdp = await exchange.serial(name, answerMilliseconds)
        const shown = 'serial' in overUdp ? overUdp : await exchange.serialOverTcp(name, answerMilliseconds)
        return 'absent' in shown || !isNewerSerial(serial, shown.serial)
      } catch (error) {
        if (error instanceof NoAnswer) return true
        throw error
      } finally {
        exchange.close()
      }
    })
    return (await Promise.all(answers)).every((isKnown) => isKnown)
  }
}
