import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { contentOf, contentOfMany, type ServedZone, zonesAfter, zonesWithIds } from '../journal/content.ts'
import type { ChangedZone } from '../journal/feed.ts'
import { since } from '../journal/since.ts'
import type { Change } from '../zonedata/change.ts'

type Zone = { readonly id: string; readonly name: string; readonly serial: number }

/** What holds the zones that are served. */
export type ZoneHolder = {
  /** Makes a zone known whose content comes later. */
  awaitZone(zone: Zone): void
  putZone(zone: Zone, records: Iterable<ResourceRecord>): void
  apply(id: string, change: Change): void
  dropZone(id: string): void
  /** Keeps a zone that cannot be served, with the reason. */
  failZone(zone: Zone, reason: string): void
  /** The serial of a zone whose content is there. */
  serialOf(id: string): number | undefined
}

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

const namesAtOnce = 5000
const zonesAtOnce = 200

/** Brings zones from the database to where they are served, and keeps them there up to date. */
export class Loader {
  readonly #options: LoaderOptions
  /** Zones that were deleted while the first load was under way: what it read of them is stale. */
  readonly #dropped = new Set<string>()
  readonly failed = new Map<string, { readonly name: string; readonly reason: string }>()
  #stopped = false

  constructor(options: LoaderOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  /** Makes every zone known by name; a name costs little, so this takes seconds even for a million. */
  async nameAll(): Promise<number> {
    let named = 0
    await this.#eachBatch(namesAtOnce, async (zones) => {
      for (const zone of zones) this.#options.holder.awaitZone(zone)
      named += zones.length
    })
    return named
  }

  /** Loads the content of every zone that is not there yet. */
  async loadAll(): Promise<void> {
    let [done, told] = [0, Date.now()]
    await this.#eachBatch(zonesAtOnce, async (zones) => {
      await this.#load(zones.filter(({ id }) => this.#options.holder.serialOf(id) === undefined))
      done += zones.length
      if (Date.now() - told < 5000) return
      told = Date.now()
      this.#options.log.info({ zones: done }, 'zones loaded so far')
    })
    this.#dropped.clear()
  }

  /** Brings these zones up to what the database has. */
  async refresh(zones: readonly ChangedZone[]): Promise<void> {
    const { db, holder, onServed } = this.#options
    const deleted = zones.filter(({ deleted_at }) => deleted_at !== null)
    for (const { id } of deleted) {
      this.#dropped.add(id)
      this.failed.delete(id)
      holder.dropZone(id)
    }
    if (deleted.length > 0) onServed({ published: [], gone: deleted.map(({ id }) => id) })
    const live = zones.filter(({ deleted_at }) => deleted_at === null)
    const behind = live.filter(({ id }) => holder.serialOf(id) !== undefined)
    const published: { id: string; serial: number }[] = []
    const reload = live.filter((zone) => !behind.includes(zone)).map(({ id }) => id)
    await db.read(async (tx) => {
      for (const zone of behind) {
        const changes = await since(tx, zone.id, holder.serialOf(zone.id)!)
        if (changes === undefined || !this.#applied(zone, changes)) reload.push(zone.id)
        else published.push({ id: zone.id, serial: holder.serialOf(zone.id)! })
      }
    })
    if (published.length > 0) onServed({ published, gone: [] })
    await this.load(reload)
  }

  /** Loads these zones now, whatever is held of them. */
  async load(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#load(await this.#options.db.read((tx) => zonesWithIds(tx, ids)))
  }

  #applied(zone: Zone, changes: readonly Change[]): boolean {
    try {
      for (const change of changes) this.#options.holder.apply(zone.id, change)
      return true
    } catch (error) {
      this.#options.log.warn(
        { err: error, zone: zone.name },
        'a change did not fit the zone that is served; it is loaded anew',
      )
      return false
    }
  }

  async #load(zones: readonly ServedZone[]): Promise<void> {
    if (zones.length === 0) return
    const { db, onServed } = this.#options
    const loaded = await db.read(async (tx) => {
      // The rows again in this transaction: serial and content must be of one state.
      const fresh = await zonesWithIds(
        tx,
        zones.map(({ id }) => id),
      )
      if (fresh.length > 1) {
        const contents = await contentOfMany(tx, fresh).catch(() => undefined)
        if (contents !== undefined) return fresh.filter((zone) => this.#put(zone, contents.get(zone.id)!))
      }
      const put: ServedZone[] = []
      for (const zone of fresh) {
        try {
          const records: ResourceRecord[] = []
          for await (const some of contentOf(tx, zone)) for (const record of some) records.push(record)
          if (this.#put(zone, records)) put.push(zone)
        } catch (error) {
          this.#fail(zone, error)
        }
      }
      return put
    })
    const published = loaded.filter((zone) => zone.published_serial < zone.serial)
    if (published.length > 0) onServed({ published: published.map(({ id, serial }) => ({ id, serial })), gone: [] })
  }

  #put(zone: ServedZone, records: readonly ResourceRecord[]): boolean {
    const { holder } = this.#options
    const present = holder.serialOf(zone.id)
    if (this.#dropped.has(zone.id) || (present !== undefined && isNewerSerial(present, zone.serial))) return false
    try {
      holder.putZone(zone, records)
      this.failed.delete(zone.id)
      return true
    } catch (error) {
      this.#fail(zone, error)
      return false
    }
  }

  #fail(zone: ServedZone, error: unknown): void {
    const reason = (error as Error).message
    this.#options.log.error({ err: error, zone: zone.name }, 'a zone cannot be served; it answers SERVFAIL')
    this.failed.set(zone.id, { name: zone.name, reason })
    this.#options.holder.failZone(zone, reason)
  }

  async #eachBatch(size: number, work: (zones: readonly ServedZone[]) => Promise<void>): Promise<void> {
    const { db } = this.#options
    let after = ''
    while (!this.#stopped) {
      const zones = await db.read((tx) => zonesAfter(tx, after, size))
      if (zones.length > 0) await work(zones)
      if (zones.length < size) return
      after = zones.at(-1)!.id
      // Changes and questions come first; the load has all the time that is left.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
