import type { RowValues } from '../../db/bulk-rows.ts'
import { type FillBlock, type Filled, type Filler, fillIn } from '../../db/filler.ts'
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
const atOnce = 100

type Block = { readonly sets: readonly StagedSet[]; readonly steps: FillBlock }

export type StagerOptions = {
  readonly db: LinkedStore
  /** What writes while the file is read on. */
  readonly filler: Pick<Filler, 'fill'>
  readonly place: SetPlace
  readonly now: Date
  /** Awaited after every turn. */
  readonly between: () => Promise<void>
}

/** Puts the records of a file, as they come, where nobody sees them yet: in short turns, so that others write between them. */
export class Stager {
  sets = 0
  records = 0
  /** The most records that one set has. */
  largest = 0
  readonly #options: StagerOptions
  #owner = ''
  #atOwner = new Map<number, GrowingSet>()
  #large = new Map<GrowingSet, Set<string>>()
  #gathered: GrowingSet[] = []
  #octets = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(options: StagerOptions) {
    this.#options = options
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

  /** Stores what has gathered, once it is much, while more is gathered. */
  async flush(): Promise<void> {
    if (this.#gathered.length >= mostGathered || this.#octets >= mostOctets) await this.#store()
  }

  /** Lets go of what has gathered: none of it is to be stored. */
  forget(): void {
    this.#leaveOwner('')
    this.#gathered = []
    this.#octets = 0
  }

  /** Stores the rest. */
  async finish(): Promise<void> {
    this.#leaveOwner('')
    await this.#store()
    await this.#writing
  }

  /** Resolves once nothing is being written any more, whatever became of it. */
  quiet(): Promise<void> {
    return this.#writing.catch(() => {})
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
    const { place, now, db, filler } = this.#options
    // What is little is not worth another thread.
    const write = sets.length <= mostInTurn ? (blocks: FillBlock[]) => fillIn(db, blocks) : filler.fill.bind(filler)
    for (let at = 0; at < sets.length; at += mostInTurn) {
      const blocks: Block[] = []
      for (let from = at; from < Math.min(at + mostInTurn, sets.length); from += atOnce) {
        const some = sets.slice(from, from + atOnce).map((set) => staged(set, now))
        blocks.push({ sets: some, steps: place.steps(some) })
      }
      await this.#writing
      this.#writing = this.#write(blocks, write)
      // Who waits for it next is told.
      this.#writing.catch(() => {})
    }
  }

  async #write(blocks: readonly Block[], write: (blocks: FillBlock[]) => Promise<Filled>): Promise<void> {
    for (let rest = blocks; rest.length > 0; ) {
      const filled = await write(rest.map(({ steps }) => steps))
      for (const [i, counts] of filled.entries()) await this.#written(rest[i]!, counts)
      rest = rest.slice(filled.length)
      await this.#options.between()
    }
  }

  async #written({ sets, steps }: Block, counts: readonly number[]): Promise<void> {
    for (const { found } of sets) this.largest = Math.max(this.largest, found.length)
    if (counts.length === steps.length && counts.every((n, i) => n === steps[i]!.expected)) {
      this.sets += sets.length
      for (const { found } of sets) this.records += found.length
      return
    }
    const joined = await this.#options.db.bulk((tx) => this.#joinAll(tx, sets))
    this.sets += joined.sets
    this.records += joined.records
    this.largest = Math.max(this.largest, joined.largest)
  }

  /** A set that the file has in several places far apart: what comes later joins what is there. */
  async #joinAll(tx: Tx, sets: readonly StagedSet[]): Promise<{ sets: number; records: number; largest: number }> {
    const { table, own, insertRecords } = this.#options.place
    const keys = sets.map(({ set }) => set.name.toLowerCase())
    const present = await tx.all<{ id: string }>(
      sql`select id from ${table} where ${own} and name_key in (${join(keys)})`,
    )
    const stored = new Set(present.map(({ id }) => id))
    const fresh = sets.filter(({ id }) => stored.has(id))
    const counted = { sets: fresh.length, records: 0, largest: 0 }
    counted.records = await insertRecords(
      tx,
      fresh.flatMap(({ found }) => found),
    )
    for (const { set } of sets.filter(({ id }) => !stored.has(id))) {
      const { added, size } = await this.#join(tx, set)
      counted.records += added
      counted.largest = Math.max(counted.largest, size)
    }
    return counted
  }

  async #join(tx: Tx, set: GrowingSet): Promise<{ added: number; size: number }> {
    const { name, type, ttl } = set
    const { table, own, insertRecords } = this.#options.place
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
