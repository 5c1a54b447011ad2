import { bulkInsert, type RowValues } from '../../db/bulk-rows.ts'
import type { LinkedStore } from '../../db/link.ts'
import { join, sql, type Tx } from '../../db/sql.ts'
import { canonicalRdata, rdataFromText, rdataToText } from '../../dns/rdata.ts'
import { typeName } from '../../dns/types/index.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { newId } from '../../ids.ts'
import { type GrowingSet, grow } from '../../zonedata/zone.ts'
import { treeKey } from '../zones/rules.ts'

/** Where staged record sets go. */
export type Stage = {
  readonly zoneId: string
  readonly projectId: string
  readonly serial: number
  readonly at: string
}

type Staged = GrowingSet & { readonly id: string; readonly line: number }

// Alone, a turn is long, which costs less; once another waits it ends with the next few sets.
const mostInTurn = 1500
const leastInTurn = 160
const atOnce = 40

const insertSets = bulkInsert(
  'recordsets',
  [
    'id',
    'zone_id',
    'project_id',
    'name',
    'tree_key',
    'type',
    'ttl',
    'records',
    'managed',
    'serial',
    'version',
    'created_at',
  ],
  'on conflict (zone_id, name_key, type) do nothing',
)
const insertRecords = bulkInsert('records', ['recordset_id', 'data', 'canonical'])

/** Puts the records of a file, as they come, into a zone that nobody sees yet: in short turns, so that others write between them. */
export class Stager {
  sets = 0
  records = 0
  /** The most records that one set has. */
  largest = 0
  readonly #db: LinkedStore
  readonly #stage: Stage
  readonly #now: Date
  #owner = ''
  #atOwner = new Map<number, Staged>()
  #large = new Map<GrowingSet, Set<string>>()
  #waiting: Staged[] = []

  constructor(db: LinkedStore, stage: Stage, now: Date) {
    this.#db = db
    this.#stage = stage
    this.#now = now
  }

  /** Takes a record that is allowed where it is; tells whether the file had it before, as far as can be seen here. */
  add(record: ZoneFileRecord): boolean {
    const owner = record.name
    if (owner !== this.#owner && owner.toLowerCase() !== this.#owner.toLowerCase()) this.#leaveOwner(owner)
    let set = this.#atOwner.get(record.type)
    if (set === undefined) {
      const { name, type, ttl, line } = record
      set = { id: newId(this.#now), name, type, ttl, rdatas: [], line }
      this.#atOwner.set(type, set)
    }
    return grow(set, record, this.#large)
  }

  /** How many records the largest set has that is not complete yet. */
  get open(): number {
    return Math.max(0, ...[...this.#atOwner.values()].map(({ rdatas }) => rdatas.length))
  }

  /** Stores what is complete. */
  async flush(): Promise<void> {
    while (this.#waiting.length >= mostInTurn) await this.#turn()
  }

  /** Stores the rest. */
  async finish(): Promise<void> {
    this.#leaveOwner('')
    while (this.#waiting.length > 0) await this.#turn()
  }

  #leaveOwner(next: string): void {
    for (const set of this.#atOwner.values()) this.#waiting.push(set)
    this.#owner = next
    if (this.#atOwner.size > 0) this.#atOwner = new Map()
    if (this.#large.size > 0) this.#large = new Map()
  }

  async #turn(): Promise<void> {
    const counted = await this.#db.bulk(async (tx, isAwaited) => {
      const total = { taken: 0, sets: 0, records: 0, largest: 0 }
      do {
        const sets = this.#waiting.slice(total.taken, Math.min(total.taken + atOnce, mostInTurn))
        const stored = await this.#store(tx, sets)
        total.taken += sets.length
        total.sets += stored.sets
        total.records += stored.records
        total.largest = Math.max(total.largest, stored.largest)
      } while (total.taken < Math.min(isAwaited() ? leastInTurn : mostInTurn, this.#waiting.length))
      return total
    })
    this.#waiting.splice(0, counted.taken)
    this.sets += counted.sets
    this.records += counted.records
    this.largest = Math.max(this.largest, counted.largest)
  }

  #toRows(set: Staged, rows: RowValues[], found: RowValues[]): void {
    const { zoneId, projectId, serial, at } = this.#stage
    const texts: string[] = []
    for (const rdata of set.rdatas) {
      const text = rdataToText(set.type, rdata)
      const canonical = canonicalRdata(set.type, rdata)
      texts.push(text)
      found.push([
        set.id,
        text,
        canonical === rdata || Buffer.compare(canonical, rdata) === 0 ? null : otherText(set.type, canonical, text),
      ])
    }
    const type = typeName(set.type)
    rows.push([
      set.id,
      zoneId,
      projectId,
      set.name,
      treeKey(set.name),
      type,
      set.ttl,
      JSON.stringify(texts),
      0,
      serial,
      1,
      at,
    ])
  }

  async #store(tx: Tx, sets: readonly Staged[]): Promise<{ sets: number; records: number; largest: number }> {
    const rows: RowValues[] = []
    const found: RowValues[] = []
    for (const set of sets) this.#toRows(set, rows, found)
    const inserted = await insertSets(tx, rows)
    const counted = { sets: inserted, records: 0, largest: 0 }
    for (const set of sets) counted.largest = Math.max(counted.largest, set.rdatas.length)
    if (inserted === sets.length) {
      counted.records = await insertRecords(tx, found)
      return counted
    }
    // A set that the file has in several places: what comes later joins what is there.
    const ids = sets.map(({ id }) => id)
    const present = await tx.all<{ id: string }>(sql`select id from recordsets where id in (${join(ids)})`)
    const fresh = new Set(present.map(({ id }) => id))
    counted.records = await insertRecords(
      tx,
      found.filter(([id]) => fresh.has(id as string)),
    )
    for (const set of sets.filter(({ id }) => !fresh.has(id))) {
      const { added, size } = await this.#join(tx, set)
      counted.records += added
      counted.largest = Math.max(counted.largest, size)
    }
    return counted
  }

  async #join(tx: Tx, set: Staged): Promise<{ added: number; size: number }> {
    const type = typeName(set.type)
    const row = (await tx.get<{ id: string; ttl: number; records: string }>(sql`
      select id, ttl, records from recordsets
      where zone_id = ${this.#stage.zoneId} and name_key = ${set.name.toLowerCase()} and type = ${type}`))!
    const texts = JSON.parse(row.records) as string[]
    const whole: GrowingSet = { name: set.name, type: set.type, ttl: row.ttl, rdatas: [] }
    const large = new Map<GrowingSet, Set<string>>()
    const record = { name: set.name, type: set.type, class: 1 }
    for (const text of texts) grow(whole, { ...record, ttl: row.ttl, rdata: rdataFromText(set.type, text) }, large)
    const fresh = set.rdatas.filter((rdata) => grow(whole, { ...record, ttl: set.ttl, rdata }, large))
    const [rows, found]: [RowValues[], RowValues[]] = [[], []]
    this.#toRows({ ...set, id: row.id, rdatas: fresh }, rows, found)
    texts.push(...found.map(([, text]) => text as string))
    await tx.run(sql`update recordsets set records = ${JSON.stringify(texts)}, ttl = ${whole.ttl} where id = ${row.id}`)
    await insertRecords(tx, found)
    return { added: fresh.length, size: texts.length }
  }
}

function otherText(type: number, canonical: Uint8Array, text: string): string | null {
  const other = rdataToText(type, canonical)
  return other === text ? null : other
}
