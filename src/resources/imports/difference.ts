import { type Sql, sql, type Tx } from '../../db/sql.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { typeCode } from '../../dns/types/index.ts'
import { rdataKey } from '../../zonedata/zone.ts'
import type { Difference, Mode, SetDifference } from './fields.ts'

/** A record set in one of the two zones that are compared. */
export type SetRow = {
  readonly id: string
  readonly name: string
  readonly name_key: string
  readonly type: string
  readonly ttl: number | null
  readonly records: string
  readonly managed: number
}

/** What is to become of one set: `after` is what it shall hold. */
export type SetChange = {
  readonly before: SetRow | undefined
  readonly staged: SetRow | undefined
  readonly after: { readonly ttl: number; readonly records: readonly string[] } | undefined
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
  readonly texts: { readonly removed: readonly string[]; readonly added: readonly string[] }
}

const page = 500
const mostShown = 100

export type Comparison = {
  readonly stagingId: string
  readonly mode: Exclude<Mode, 'create'>
  /** Told of a set that the service keeps itself, and that stays though the file has another. */
  readonly onKept: (kept: SetRow, staged: SetRow) => void
}

/** What a file changes in a zone. */
export async function* differences(
  tx: Tx,
  zone: { readonly id: string; readonly ttl: number },
  { stagingId, mode, onKept }: Comparison,
): AsyncGenerator<SetChange, void> {
  const staged = new Walk(tx, sql`0 as managed from staged_sets where staging_id = ${stagingId}`)
  for await (const { old, fresh } of mode === 'merge' ? named(tx, zone.id, staged) : all(tx, zone.id, staged)) {
    if (old?.managed && fresh && !isSame(old, fresh)) onKept(old, fresh)
    const change = changeOf(old, fresh, zone.ttl, mode)
    if (change !== undefined) yield change
  }
}

/** A set of the zone and the one of its name and type in the file; where one has none, the other alone. */
type Pair = { readonly old: SetRow | undefined; readonly fresh: SetRow | undefined }

/** The staged sets beside those of the zone, both in the same order, a page at a time. */
async function* all(tx: Tx, zoneId: string, staged: Walk): AsyncGenerator<Pair, void> {
  const before = new Walk(tx, sql`managed from recordsets where zone_id = ${zoneId}`)
  for (;;) {
    const [old, fresh] = [await before.peek(), await staged.peek()]
    if (old === undefined && fresh === undefined) return
    const order = old === undefined ? 1 : fresh === undefined ? -1 : compareRows(old, fresh)
    if (order <= 0) before.next()
    if (order >= 0) staged.next()
    yield { old: order <= 0 ? old : undefined, fresh: order >= 0 ? fresh : undefined }
  }
}

/** The staged sets with what the zone has of them: costs what the file holds, however large the zone is. */
async function* named(tx: Tx, zoneId: string, staged: Walk): AsyncGenerator<Pair, void> {
  for (let some = await staged.page(); some.length > 0; some = await staged.page()) {
    const keys = JSON.stringify(Object.fromEntries(some.map(({ name_key }) => [name_key, 0])))
    const present = await tx.all<SetRow>(sql`
      select id, name, name_key, type, ttl, records, managed from recordsets
      where zone_id = ${zoneId} and name_key in (select e.key from json_each(${keys}) e)`)
    const found = new Map(present.map((row) => [`${row.name_key} ${row.type}`, row]))
    for (const fresh of some) yield { old: found.get(`${fresh.name_key} ${fresh.type}`), fresh }
  }
}

/** Adds up changes, and keeps some of them to show. */
export class Tally {
  readonly #shown: SetDifference[] = []
  #records = { added: 0, removed: 0 }
  #sets = { create: 0, update: 0, delete: 0 }

  add({ before, staged, after, texts }: SetChange): void {
    const action = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    this.#sets[action]++
    this.#records.added += texts.added.length
    this.#records.removed += texts.removed.length
    const { name, type } = (before ?? staged)!
    if (this.#shown.length < mostShown) this.#shown.push({ action, name, type, ...texts })
  }

  get difference(): Difference {
    return {
      records_added: this.#records.added,
      records_removed: this.#records.removed,
      recordsets_created: this.#sets.create,
      recordsets_updated: this.#sets.update,
      recordsets_deleted: this.#sets.delete,
      recordsets: this.#shown,
    }
  }
}

function changeOf(
  before: SetRow | undefined,
  staged: SetRow | undefined,
  zoneTtl: number,
  mode: Exclude<Mode, 'create'>,
): SetChange | undefined {
  if (before?.managed || (mode === 'merge' && staged === undefined)) return undefined
  const { name, type } = (before ?? staged)!
  const code = typeCode(type)!
  const [had, given] = [contentOf(code, before), contentOf(code, staged)]
  const wanted = mode === 'merge' ? new Map([...had, ...[...given].filter(([key]) => !had.has(key))]) : given
  const oldTtl = before?.ttl ?? zoneTtl
  const ttl = staged?.ttl ?? oldTtl
  const sameTtl = ttl === oldTtl
  const gone = [...had].filter(([key]) => !wanted.has(key))
  const fresh = [...wanted].filter(([key]) => !had.has(key))
  if (before !== undefined && staged !== undefined && sameTtl && gone.length === 0 && fresh.length === 0)
    return undefined
  const asRecords = (entries: readonly Entry[], at: number): ResourceRecord[] =>
    entries.map(([, { rdata }]) => ({ name, type: code, class: 1, ttl: at, rdata }))
  const texts = (entries: readonly Entry[]) => entries.map(([, { text }]) => text)
  return {
    before,
    staged,
    after: wanted.size === 0 ? undefined : { ttl, records: texts([...wanted]) },
    // One TTL for all (RFC 2181 5.2): where it changes, every record of the set does.
    removed: asRecords(sameTtl ? gone : [...had], oldTtl),
    added: asRecords(sameTtl ? fresh : [...wanted], ttl),
    texts: { removed: texts(gone), added: texts(fresh) },
  }
}

/** Whether two sets have the same records; their TTL does not matter. */
function isSame(one: SetRow, other: SetRow): boolean {
  const code = typeCode(one.type)!
  const [some, others] = [contentOf(code, one), contentOf(code, other)]
  return some.size === others.size && some.keys().every((key) => others.has(key))
}

type Entry = readonly [string, { readonly text: string; readonly rdata: Uint8Array }]

function contentOf(code: number, row: SetRow | undefined): Map<string, { text: string; rdata: Uint8Array }> {
  const texts = row === undefined ? [] : (JSON.parse(row.records) as string[])
  return new Map(
    texts.map((text) => {
      const rdata = rdataFromText(code, text)
      return [rdataKey(code, rdata), { text, rdata }]
    }),
  )
}

const compareRows = (a: SetRow, b: SetRow): number =>
  a.name_key === b.name_key ? order(a.type, b.type) : order(a.name_key, b.name_key)

// By code point, as both engines order text.
const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** Sets in the order of their names and types. */
class Walk {
  readonly #tx: Tx
  readonly #rest: Sql
  #rows: SetRow[] = []
  #at = 0
  #last: SetRow | undefined
  #ended = false

  /** `rest` is the end of what is selected, and from where. */
  constructor(tx: Tx, rest: Sql) {
    this.#tx = tx
    this.#rest = rest
  }

  async peek(): Promise<SetRow | undefined> {
    if (this.#at === this.#rows.length && !this.#ended) await this.#read()
    return this.#rows[this.#at]
  }

  /** All of the next page; empty after the last. */
  async page(): Promise<readonly SetRow[]> {
    await this.peek()
    const rows = this.#rows.slice(this.#at)
    this.#last = rows.at(-1) ?? this.#last
    this.#at = this.#rows.length
    return rows
  }

  next(): void {
    this.#last = this.#rows[this.#at++]
  }

  async #read(): Promise<void> {
    const after =
      this.#last === undefined ? sql`` : sql`and (name_key, type) > (${this.#last.name_key}, ${this.#last.type})`
    this.#rows = await this.#tx.all<SetRow>(sql`
      select id, name, name_key, type, ttl, records, ${this.#rest} ${after}
      order by name_key, type limit ${page}`)
    this.#at = 0
    this.#ended = this.#rows.length < page
  }
}
