import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { type Clock, timestamp } from '../clock.ts'
import type { Database, Tx } from '../db/sql.ts'
import { untilCalm } from './calm.ts'
import { type Driver, type Refusal, type TargetZone, Unreachable } from './kind.ts'
import { type Lease, LeaseLost, mustHold } from './leases.ts'
import * as rows from './rows.ts'

export type TargetOptions = {
  readonly targetId: string
  readonly driver: Driver
  /** How many zones the driver takes at a time. */
  readonly batch: number
  readonly db: Pick<Database, 'write'>
  readonly lease: Lease
  readonly clock: Clock
  readonly log: Logger
  /** Which zones of targets of other pools are at the very same server. */
  readonly sharedWith: (others: readonly rows.Elsewhere[]) => ReadonlySet<string>
  /** Zones that the target has now, or has no more. */
  readonly onAdded: (zones: readonly TargetZone[]) => void
  readonly onDropped: (zones: readonly TargetZone[]) => void
  readonly onRefused: (refusals: readonly Refusal[]) => void
  /** It cannot be spoken to, or, without a reason, it can again. */
  readonly onState: (reason: string | undefined) => void
}

type Order = { readonly zone: TargetZone; readonly drop: boolean; refusals: number; notBefore: number }

const mostWait = 60_000
const mostRefusedWait = 300_000
const burst = { quiet: 15, most: 250 }

/** Gives zones to one target and takes them from it, in the order that names need; what fails is tried again. */
export class TargetWorker {
  readonly #options: TargetOptions
  readonly #orders = new Map<string, Order>()
  readonly #stopped = new AbortController()
  readonly #changed = new Map<string, TargetZone>()
  #working: Promise<void> | undefined
  #refreshing: Promise<void> | undefined
  #ring = () => {}
  #trouble: string | undefined | null = null

  constructor(options: TargetOptions) {
    this.#options = options
  }

  /** Whether something is still to be done with a zone: it is given or taken away. */
  isAbout(zoneId: string): boolean {
    return this.#orders.has(zoneId)
  }

  /** Does what failed or was refused again at once: the server is back, or was changed. */
  tryNow(): void {
    for (const order of this.#orders.values()) order.notBefore = 0
    this.#ring()
  }

  add(zone: TargetZone): void {
    this.#order({ zone, drop: false, refusals: 0, notBefore: 0 })
  }

  drop(zone: TargetZone): void {
    this.#order({ zone, drop: true, refusals: 0, notBefore: 0 })
  }

  /** Has the target take a zone that changed, where it does not do so at once when it is told. */
  refresh({ id, name }: TargetZone): void {
    if (this.#options.driver.refreshZones === undefined || this.isAbout(id)) return
    this.#changed.set(id, { id, name })
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#ring()
    await this.#working
    await this.#refreshing
    await this.#options.driver.close()
  }

  async #refresh(): Promise<void> {
    while (this.#changed.size > 0 && !this.#stopped.signal.aborted) {
      const zones = [...this.#changed.values().take(this.#options.batch)]
      for (const { id } of zones) this.#changed.delete(id)
      // What does not work is told again with the next NOTIFY, and shows at the server.
      await this.#options.driver.refreshZones!(zones, this.#stopped.signal).catch(() => {})
    }
  }

  #order(order: Order): void {
    const present = this.#orders.get(order.zone.id)
    // The same thing again changes nothing of what is waited for.
    if (present !== undefined && present.drop === order.drop && isDeepStrictEqual(present.zone, order.zone)) return
    this.#orders.set(order.zone.id, order)
    this.#ring()
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    const { log } = this.#options
    let failures = 0
    // What comes together in one turn of the event loop is done together.
    await sleep(0)
    while (this.#orders.size > 0 && !this.#stopped.signal.aborted) {
      const due = this.#due()
      if (due.length === 0) {
        await this.#wait(this.#untilDue())
        continue
      }
      try {
        await (due[0]!.drop ? this.#drop(due) : this.#add(due))
        failures = 0
        this.#note(undefined)
        if (this.#options.driver.gathers && due.length > 1)
          await untilCalm(() => this.#orders.size, { ...burst, signal: this.#stopped.signal })
      } catch (error) {
        if (error instanceof LeaseLost || this.#stopped.signal.aborted) return
        if (error instanceof Unreachable) this.#note(error.message)
        else log.error({ err: error, target_id: this.#options.targetId }, 'zones could not be given to a target')
        await this.#wait(Math.min(mostWait, 500 * 2 ** failures++))
      }
    }
  }

  /** What may be done now, drops before adds: a zone made anew under a name comes after the one that had it. */
  #due(): Order[] {
    const now = performance.now()
    const { batch } = this.#options
    const pick = (drop: boolean) => [
      ...this.#orders
        .values()
        .filter((order) => order.drop === drop && order.notBefore <= now)
        .take(batch),
    ]
    const drops = pick(true)
    return drops.length > 0 ? drops : pick(false)
  }

  #untilDue(): number {
    const next = this.#orders.values().reduce((first, { notBefore }) => Math.min(first, notBefore), Infinity)
    return Math.max(1, next - performance.now())
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #add(orders: readonly Order[]): Promise<void> {
    const { targetId, driver, lease, onAdded } = this.#options
    const asked = orders.map(({ zone }) => zone)
    const { zones, wanted, former } = await this.#write(async (tx) => {
      await mustHold(tx, lease)
      const living = await rows.livingIn(
        tx,
        lease.poolId,
        asked.map(({ id }) => id),
      )
      // What was deleted or moved meanwhile is not given any more; what is handed over is another pool's already.
      const wanted = asked.filter(({ id, newCatalog }) => living.has(id) || newCatalog !== undefined)
      const former = await rows.otherNamesakes(tx, targetId, wanted)
      const names = new Set(former.map(({ name }) => name.toLowerCase()))
      const zones = wanted.filter(({ name }) => !names.has(name.toLowerCase()))
      await rows.willAdd(tx, targetId, zones)
      return { zones, wanted, former }
    })
    this.#forget(orders, wanted)
    this.#putBehind(orders, former)
    const refusals = zones.length === 0 ? [] : await driver.addZones(zones, this.#stopped.signal)
    const done = this.#without(zones, refusals)
    await this.#write(async (tx) => {
      await mustHold(tx, lease)
      await rows.added(
        tx,
        targetId,
        done.map(({ id }) => id),
        timestamp(this.#options.clock()),
      )
      await rows.refused(tx, targetId, refusals)
    })
    this.#finish(orders, done, refusals)
    onAdded(done)
  }

  /** Lets go of orders for zones that nobody wants there any more. */
  #forget(orders: readonly Order[], wanted: readonly TargetZone[]): void {
    const ids = new Set(wanted.map(({ id }) => id))
    for (const order of orders) {
      if (!ids.has(order.zone.id) && this.#orders.get(order.zone.id) === order) this.#orders.delete(order.zone.id)
    }
  }

  /** Has zones dropped that must go before others of their names come, which wait for as long as they do. */
  #putBehind(orders: readonly Order[], former: readonly { readonly zone_id: string; readonly name: string }[]): void {
    const waits = new Map<string, number>()
    for (const { zone_id, name } of former) {
      this.drop({ id: zone_id, name })
      waits.set(name.toLowerCase(), this.#orders.get(zone_id)!.notBefore)
    }
    for (const order of orders) order.notBefore = waits.get(order.zone.name.toLowerCase()) ?? order.notBefore
  }

  async #drop(orders: readonly Order[]): Promise<void> {
    const { targetId, driver, lease, onDropped } = this.#options
    const zones = orders.map(({ zone }) => zone)
    const shared = await this.#write(async (tx) => {
      await mustHold(tx, lease)
      return this.#options.sharedWith(await rows.elsewhere(tx, targetId, zones))
    })
    // A server of two pools has what came from one to the other: it is the other's to drop.
    const ours = zones.filter(({ id }) => !shared.has(id))
    const refusals = ours.length === 0 ? [] : await driver.dropZones(ours, this.#stopped.signal)
    const done = this.#without(zones, refusals)
    await this.#write(async (tx) => {
      await mustHold(tx, lease)
      await rows.dropped(
        tx,
        targetId,
        done.map(({ id }) => id),
      )
      await rows.refused(tx, targetId, refusals)
    })
    this.#finish(orders, done, refusals)
    onDropped(done)
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#options.db.write(work)
  }

  #without(zones: readonly TargetZone[], refusals: readonly Refusal[]): TargetZone[] {
    const refused = new Set(refusals.map(({ id }) => id))
    return zones.filter(({ id }) => !refused.has(id))
  }

  #finish(orders: readonly Order[], done: readonly TargetZone[], refusals: readonly Refusal[]): void {
    const ids = new Set(done.map(({ id }) => id))
    const refused = new Set(refusals.map(({ id }) => id))
    for (const order of orders) {
      const { id } = order.zone
      // Another order for the zone may have come meanwhile; it stands.
      if (ids.has(id) && this.#orders.get(id) === order) this.#orders.delete(id)
      if (!refused.has(id)) continue
      order.notBefore = performance.now() + Math.min(mostRefusedWait, 1000 * 2 ** order.refusals++)
    }
    if (refusals.length > 0) this.#options.onRefused(refusals)
  }

  #note(trouble: string | undefined): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.onState(trouble)
  }
}
