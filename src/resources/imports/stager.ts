import type { RowValues } from '../../db/bulk-rows.ts'
import type { LinkedStore } from '../../db/link.ts'
import { join, sql, type Tx } from '../../db/sql.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import { typeName } from '../../dns/types/index.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { type GrowingSet, grow } from '../../zonedata/zone.ts'
import type { SetPlace } from './set-rows.ts'
import { inOrder, recordRow, type StagedSet, staged } from './staged-sets.ts'

// What is gathered in memory, to be stored in the order of names.
const mostGathered = 50_000
const mostOctets = 32_000_000
const octetsOfRecord = 200
// Alone, a turn is long, which costs less; once another waits it ends with the next few sets.
const mostInTurn = 2000
const atOnce = 200

/** Puts the records of a file, as they come, where nobody sees them yet: in short turns, so that others write between them. */
export class Stager {
  sets = 0
  records = 0
  /** The most records that one set has. */
  largest = 0
  readonly #db: LinkedStore
  readonly #place: SetPlace
  readonly #now: Date
  readonly #between: () => Promise<void>
  #owner = ''
  #atOwner = new Map<number, GrowingSet>()
  #large = new Map<GrowingSet, Set<string>>()
  #gathered: GrowingSet[] = []
  #octets = 0

  /** `between` is awaited after every turn. */
  constructor(db: LinkedStore, place: SetPlace, now: Date, between: () => Promise<void>) {
    this.#db = db
    this.#place = place
    this.#now = now
    this.#between = between
  }

  /** Takes a record that is allowed where it is; tells whether the file had it before, as far as can be seen here. */
  add(record: ZoneFileRecord): boolean {
    const owner = record.name
    if (owner !== this.#owner && owner.toLowerCase() !== this.#owner.toLowerCase()) this.#leaveOwner(owner)
    let set = this.#atOwner.get(record.type)
    if (set === undefined) {
      const { name, type, ttl } = record
      set = { name, type, ttl, rdatas: [] }
      this.#atOwner.set(type, set)
    }
    this.#octets += record.rdata.length + octetsOfRecord
    return grow(set, record, this.#large)
  }

  /** How many records there are that are not stored yet: of the largest set that is not complete, and of all. */
  get open(): number {
    return Math.max(0, ...[...this.#atOwner.values()].map(({ rdatas }) => rdatas.length))
  }

  /** Stores what has gathered, once it is much. */
  async flush(): Promise<void> {
    if (this.#gathered.length >= mostGathered || this.#octets >= mostOctets) await this.#store()
  }

  /** Stores the rest. */
  async finish(): Promise<void> {
    this.#leaveOwner('')
    await this.#store()
  }

  #leaveOwner(next: string): void {
    for (const set of this.#atOwner.values()) this.#gathered.push(set)
    this.#owner = next
    if (this.#atOwner.size > 0) this.#atOwner = new Map()
    if (this.#large.size > 0) this.#large = new Map()
  }

  async #store(): Promise<void> {
    const sets = inOrder(this.#gathered)
    this.#gathered = []
    this.#octets = 0
    let blocks: StagedSet[][] = []
    for (let at = 0; at < sets.length || blocks.length > 0; ) {
      for (; at < sets.length && blocks.length * atOnce < mostInTurn; at += atOnce) {
        blocks.push(sets.slice(at, at + atOnce).map((set) => staged(set, this.#now)))
      }
      blocks = blocks.slice(await this.#turn(blocks))
      await this.#between()
    }
  }

  /** Stores some blocks; tells how many. */
  async #turn(blocks: readonly StagedSet[][]): Promise<number> {
    const counted = await this.#db.bulk(async (tx, isAwaited) => {
      const total = { taken: 0, sets: 0, records: 0, largest: 0 }
      for (const block of blocks) {
        const stored = await this.#put(tx, block)
        total.taken += 1
        total.sets += stored.sets
        total.records += stored.records
        total.largest = Math.max(total.largest, stored.largest)
        if (isAwaited()) break
      }
      return total
    })
    this.sets += counted.sets
    this.records += counted.records
    this.largest = Math.max(this.largest, counted.largest)
    return counted.taken
  }

  async #put(tx: Tx, block: readonly StagedSet[]): Promise<{ sets: number; records: number; largest: number }> {
    const { table, own, insert, insertRecords } = this.#place
    const inserted = await insert(tx, block)
    const counted = { sets: inserted, records: 0, largest: 0 }
    for (const { found } of block) counted.largest = Math.max(counted.largest, found.length)
    if (inserted === block.length) {
      counted.records = await insertRecords(
        tx,
        block.flatMap(({ found }) => found),
      )
      return counted
    }
    // A set that the file has in several places far apart: what comes later joins what is there.
    const keys = block.map(({ set }) => set.name.toLowerCase())
    const present = await tx.all<{ id: string }>(
      sql`select id from ${table} where ${own} and name_key in (${join(keys)})`,
    )
    const fresh = new Set(present.map(({ id }) => id))
    counted.records = await insertRecords(
      tx,
      block.filter(({ id }) => fresh.has(id)).flatMap(({ found }) => found),
    )
    for (const { set } of block.filter(({ id }) => !fresh.has(id))) {
      const { added, size } = await this.#join(tx, set)
      counted.records += added
      counted.largest = Math.max(counted.largest, size)
    }
    return counted
  }

  async #join(tx: Tx, set: GrowingSet): Promise<{ added: number; size: number }> {
    const { name, type, ttl } = set
    const { table, own, insertRecords } = this.#place
    const place = sql`${own} and name_key = ${name.toLowerCase()} and type = ${typeName(type)}`
    const row = (await tx.get<{ id: string; ttl: number; records: string }>(sql`
      select id, ttl, records from ${table} where ${place}`))!
    const texts = JSON.parse(row.records) as string[]
    const whole: GrowingSet = { name, type, ttl: row.ttl, rdatas: [] }
    const large = new Map<GrowingSet, Set<string>>()
    const joins = (rdata: Uint8Array, at: number) => grow(whole, { name, type, class: 1, ttl: at, rdata }, large)
    for (const text of texts) joins(rdataFromText(type, text), row.ttl)
    const fresh = set.rdatas.filter((rdata) => joins(rdata, ttl))
    const found: RowValues[] = fresh.map((rdata) => recordRow(row.id, type, rdata))
    for (const [, text] of found) texts.push(text as string)
    await tx.run(sql`update ${table} set records = ${JSON.stringify(texts)}, ttl = ${whole.ttl} where ${place}`)
    await insertRecords(tx, found)
    return { added: fresh.length, size: texts.length }
  }
}
