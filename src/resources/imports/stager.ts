import { bulkInsert, type RowValues } from '../../db/bulk-rows.ts'
import type { LinkedStore } from '../../db/link.ts'
import { join, sql, type Tx } from '../../db/sql.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import { typeName } from '../../dns/types/index.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { type GrowingSet, grow } from '../../zonedata/zone.ts'
import { inOrder, recordColumns, recordRow, type StagedSet, setColumns, toRows } from './staged-sets.ts'

/** Where staged record sets go. */
export type Stage = {
  readonly zoneId: string
  readonly projectId: string
  readonly serial: number
  readonly at: string
}

// What is gathered in memory, to be stored in the order of names.
const mostGathered = 50_000
const mostOctets = 32_000_000
const octetsOfRecord = 200
// Alone, a turn is long, which costs less; once another waits it ends with the next few sets.
const mostInTurn = 2000
const atOnce = 200

const insertSets = bulkInsert('recordsets', setColumns, 'on conflict (zone_id, name_key, type) do nothing')
const insertRecords = bulkInsert('records', recordColumns)

/** Puts the records of a file, as they come, into a zone that nobody sees yet: in short turns, so that others write between them. */
export class Stager {
  sets = 0
  records = 0
  /** The most records that one set has. */
  largest = 0
  readonly #db: LinkedStore
  readonly #stage: Stage
  readonly #now: Date
  readonly #between: () => Promise<void>
  #owner = ''
  #atOwner = new Map<number, GrowingSet>()
  #large = new Map<GrowingSet, Set<string>>()
  #gathered: GrowingSet[] = []
  #octets = 0

  /** `between` is awaited after every turn. */
  constructor(db: LinkedStore, stage: Stage, now: Date, between: () => Promise<void>) {
    this.#db = db
    this.#stage = stage
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
        blocks.push(sets.slice(at, at + atOnce).map((set) => toRows(set, this.#now)))
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
    const { zoneId, projectId, serial, at } = this.#stage
    const same = { zone_id: zoneId, project_id: projectId, managed: 0, serial, version: 1, created_at: at }
    const rows = block.map(({ row }) => row)
    const inserted = await insertSets(tx, rows, same)
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
    const ids = block.map(({ id }) => id)
    const present = await tx.all<{ id: string }>(sql`select id from recordsets where id in (${join(ids)})`)
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
    const row = (await tx.get<{ id: string; ttl: number; records: string }>(sql`
      select id, ttl, records from recordsets
      where zone_id = ${this.#stage.zoneId} and name_key = ${name.toLowerCase()} and type = ${typeName(type)}`))!
    const texts = JSON.parse(row.records) as string[]
    const whole: GrowingSet = { name, type, ttl: row.ttl, rdatas: [] }
    const large = new Map<GrowingSet, Set<string>>()
    const joins = (rdata: Uint8Array, at: number) => grow(whole, { name, type, class: 1, ttl: at, rdata }, large)
    for (const text of texts) joins(rdataFromText(type, text), row.ttl)
    const fresh = set.rdatas.filter((rdata) => joins(rdata, ttl))
    const found: RowValues[] = fresh.map((rdata) => recordRow(row.id, type, rdata))
    texts.push(...found.map(([, text]) => text as string))
    await tx.run(sql`update recordsets set records = ${JSON.stringify(texts)}, ttl = ${whole.ttl} where id = ${row.id}`)
    await insertRecords(tx, found)
    return { added: fresh.length, size: texts.length }
  }
}
