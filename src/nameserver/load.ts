import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Database, join, sql } from '../db/sql.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { namesAfter, type ServedZone, shadowedZones, zonesToLeave, zonesWithIds } from '../journal/content.ts'
import type { ChangedZone } from '../journal/feed.ts'
import { type Since, sinceMany } from '../journal/since.ts'
import type { Change } from '../zonedata/change.ts'
import { Expired, idsOf, inBatches, loadZones, type ZoneHolder } from './load-zones.ts'

/** Told what is served now. */
export type Served = {
  readonly published: readonly { readonly id: string; readonly serial: number }[]
  readonly gone: readonly string[]
}

export type LoaderOptions = {
  readonly db: Database
  readonly holder: ZoneHolder
  readonly log: Logger
  readonly onServed: (served: Served) => void
}

/** A zone that cannot be served. */
export type FailedZone = { readonly name: string; readonly reason: string }

const namesAtOnce = 5000
const zonesAtOnce = 200
const retryMilliseconds = 200

/** Brings zones from the database to where they are served, and keeps them there up to date. */
export class Loader {
  readonly failed = new Map<string, FailedZone>()
  readonly #options: LoaderOptions
  /** Zones to be brought up to date, the first asked for first; those with `true` are read whole whatever is there. */
  readonly #queue = new Map<string, boolean>()
  readonly #underWay = new Set<string>()
  /** Of those that failed, zones from elsewhere that are too old. */
  readonly #expired = new Set<string>()
  /** Zones from elsewhere that have no content yet. */
  readonly #empty = new Set<string>()
  /** Zones that were deleted while others were being read: what was read of them is stale. */
  readonly #dropped = new Set<string>()
  #loads = 0
  #working: Promise<void> | undefined
  #stopped = false

  constructor(options: LoaderOptions) {
    this.#options = options
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#working
  }

  /**
   * Makes every zone known by name; a name costs little, so this takes seconds even for a million. Zones with changes that are
   * not published are read soon, and those that were deleted are reported gone.
   */
  async nameAll(): Promise<void> {
    const { db, holder, onServed } = this.#options
    const shadowed = await db.read(shadowedZones)
    for await (const zones of inBatches(db, namesAtOnce, namesAfter)) {
      for (const zone of zones) {
        if (shadowed.has(zone.id)) continue
        holder.awaitZone(zone)
        if (zone.published_serial < zone.serial) this.#queue.set(zone.id, false)
      }
    }
    const gone = await db.read(zonesToLeave)
    if (gone.length > 0) onServed({ published: [], gone: idsOf(gone) })
    this.#work()
  }

  /** Reads every zone that is not there yet; false where it was stopped before that. */
  async loadAll(): Promise<boolean> {
    const { db, holder, log } = this.#options
    let [done, told] = [0, Date.now()]
    for await (const zones of inBatches(db, zonesAtOnce, namesAfter)) {
      if (this.#stopped) return false
      const awaited = idsOf(zones).filter((id) => holder.stateOf(id)?.state === 'awaited' && !this.#underWay.has(id))
      await this.#load(awaited)
      done += zones.length
      if (Date.now() - told < 5000) continue
      told = Date.now()
      log.info({ zones: done }, 'zones loaded so far')
    }
    return true
  }

  /** Reads these zones soon; where that fails for want of the database, it is tried again. */
  want(ids: readonly string[]): void {
    for (const id of ids) if (!this.#queue.has(id)) this.#queue.set(id, false)
    this.#work()
  }

  /** Whether what is held of a zone is what its row says. */
  isKnown({ id, serial, deleted_at, gone_at, expired_at }: Omit<ChangedZone, 'name' | 'changed_at'>): boolean {
    const held = this.#options.holder.stateOf(id)
    if (deleted_at !== null) return held === undefined && gone_at !== null
    // A zone without content may get its first under the very serial it is known with.
    if (held?.serial !== serial || this.#empty.has(id)) return false
    return (expired_at !== null) === this.#expired.has(id)
  }

  /** Brings these zones up to what the database has: at once where there are changes to apply, else soon. */
  async refresh(zones: readonly ChangedZone[]): Promise<void> {
    await this.#drop(zones.filter(({ deleted_at }) => deleted_at !== null))
    const live = idsOf(zones.filter(({ deleted_at }) => deleted_at === null))
    const left = await this.#catchUp(live)
    for (const id of left.anew) this.#queue.set(id, true)
    this.want(left.awaited)
  }

  /** Compares everything held with everything there is, whatever was told of it; for what polling cannot find. */
  async reconcile(): Promise<void> {
    const { db, holder } = this.#options
    const pause = () => sleep(20, undefined, { ref: false })
    const shadowed = await db.read(shadowedZones)
    for await (const zones of inBatches(db, namesAtOnce, namesAfter)) {
      if (this.#stopped) return
      const unknown = zones.filter(({ id, serial }) => holder.stateOf(id)?.serial !== serial && !shadowed.has(id))
      if (unknown.length > 0) await this.refresh(unknown.map((zone) => ({ ...zone, ...present })))
      await pause()
    }
    let ids: string[] = []
    for (const id of [...holder.ids, undefined]) {
      if (id !== undefined) ids.push(id)
      if (id !== undefined && ids.length < namesAtOnce) continue
      await this.#dropMissing(ids)
      ids = []
      if (this.#stopped) return
      await pause()
    }
  }

  /** Tries zones again that could not be served. */
  retryFailed(): void {
    if (this.failed.size > 0) this.want([...this.failed.keys()])
  }

  /** Applies what changed in zones that are there; tells which are not, and which have to be read anew. */
  async #catchUp(ids: readonly string[]): Promise<{ readonly anew: string[]; readonly awaited: string[] }> {
    const { db, holder, onServed } = this.#options
    const ready = ids.filter((id) => holder.stateOf(id)?.state === 'ready')
    const awaited = ids.filter((id) => holder.stateOf(id)?.state !== 'ready')
    if (ready.length === 0) return { anew: [], awaited }
    const anew: string[] = []
    const published: { id: string; serial: number }[] = []
    await db.read(async (tx) => {
      const rows = await zonesWithIds(tx, ready)
      const held = rows.map(({ id }): Since => ({ id, serial: holder.stateOf(id)?.serial ?? 0 }))
      const changesOf = await sinceMany(tx, held)
      for (const [i, zone] of rows.entries()) {
        if (zone.expired_at === null && this.#follow(zone, held[i]!, changesOf))
          published.push({ id: zone.id, serial: zone.serial })
        else anew.push(zone.id)
      }
    })
    if (published.length > 0) onServed({ published, gone: [] })
    return { anew, awaited }
  }

  /** Applies what changed; false where the zone has to be read anew. */
  #follow(zone: ServedZone, held: Since, changesOf: (zone: Since) => Change[] | undefined): boolean {
    if (held.serial === zone.serial) return true
    if (!isNewerSerial(zone.serial, held.serial)) return false
    const { holder, log } = this.#options
    try {
      const changes = changesOf(held)
      if (changes?.at(-1)?.to !== zone.serial) return false
      for (const change of changes) holder.apply(zone.id, change)
      return true
    } catch (error) {
      log.warn({ err: error, zone: zone.name }, 'a change does not fit the zone that is served; it is loaded anew')
      return false
    }
  }

  async #drop(deleted: readonly ChangedZone[]): Promise<void> {
    if (deleted.length === 0) return
    const { db, holder, onServed } = this.#options
    for (const { id } of deleted) {
      if (this.#loads > 0) this.#dropped.add(id)
      this.#queue.delete(id)
      this.#forgive(id)
      holder.dropZone(id)
    }
    onServed({ published: [], gone: idsOf(deleted) })
    // Another pool may have a zone of the same name, which is served now.
    const names = deleted.map(({ name }) => name.toLowerCase())
    const heirs = await db.read((tx) =>
      tx.all<{ id: string }>(sql`select id from zones where name_key in (${join(names)}) and deleted_at is null`),
    )
    this.want(idsOf(heirs).filter((id) => holder.stateOf(id) === undefined))
  }

  async #dropMissing(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { db, holder } = this.#options
    const there = new Set(idsOf(await db.read((tx) => zonesWithIds(tx, ids))))
    for (const id of ids) {
      if (there.has(id) || this.#underWay.has(id)) continue
      this.#forgive(id)
      holder.dropZone(id)
    }
  }

  #work(): void {
    if (this.#queue.size > 0) this.#working ??= this.#workOff().finally(() => (this.#working = undefined))
  }

  async #workOff(): Promise<void> {
    while (this.#queue.size > 0 && !this.#stopped) {
      const taken = [...this.#queue.entries().take(zonesAtOnce)]
      for (const [id] of taken) this.#queue.delete(id)
      try {
        // Much may have happened to a zone since it was put into the queue; what is there only lacks its last changes.
        const left = await this.#catchUp(taken.filter(([, anew]) => !anew).map(([id]) => id))
        await this.#load([...taken.filter(([, anew]) => anew).map(([id]) => id), ...left.anew, ...left.awaited])
      } catch (error) {
        this.#options.log.warn({ err: error, zones: taken.length }, 'zones could not be loaded; it is tried again')
        for (const [id, anew] of taken) this.#queue.set(id, anew || this.#queue.get(id) === true)
        await sleep(retryMilliseconds)
      }
    }
  }

  async #load(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const { db, holder, onServed } = this.#options
    this.#loads++
    for (const id of ids) this.#underWay.add(id)
    try {
      await loadZones(ids, {
        db,
        holder,
        isDropped: (id) => this.#dropped.has(id),
        onLoaded: (loaded) => {
          for (const { id } of loaded) this.#forgive(id)
          const fresh = loaded.filter((zone) => zone.published_serial < zone.serial)
          if (fresh.length > 0) onServed({ published: fresh.map(({ id, serial }) => ({ id, serial })), gone: [] })
        },
        onFailed: (zone, error) => this.#fail(zone, error),
        onEmpty: ({ id }) => this.#empty.add(id),
      })
    } finally {
      for (const id of ids) this.#underWay.delete(id)
      if (--this.#loads === 0) this.#dropped.clear()
    }
  }

  #forgive(id: string): void {
    this.failed.delete(id)
    this.#expired.delete(id)
    this.#empty.delete(id)
  }

  #fail(zone: ServedZone, error: unknown): void {
    const { holder, log } = this.#options
    if (error instanceof Expired) this.#expired.add(zone.id)
    else this.#expired.delete(zone.id)
    const reason = (error as Error).message
    if (this.failed.get(zone.id)?.reason !== reason)
      log.error({ err: error, zone: zone.name }, 'a zone cannot be served; it answers SERVFAIL')
    this.failed.set(zone.id, { name: zone.name, reason })
    holder.failZone(zone, reason)
  }
}

const present = { deleted_at: null, gone_at: null, expired_at: null, changed_at: '' } as const
