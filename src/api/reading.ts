import { atMost } from '../db/at-most.ts'
import { join, raw, type Sql, sql, type Tx, type Value } from '../db/sql.ts'
import { type Filter, tested } from './filter.ts'

/** Rows that a list is over. */
export type Rows = {
  /** What they are read from, when it is not the resource's own source. */
  readonly from?: Sql
  /** The table itself where that is a view of more: its indexes are looked into. */
  readonly table?: Sql
  /** Columns of which the caller may see one value alone; every index of the list begins with them. */
  readonly only?: Readonly<Record<string, string>>
  /** Other conditions of what the caller may see. */
  readonly scope?: readonly Sql[]
}

export type Part = Required<Rows>

/** The order of a list, and the row it goes on from. */
export type Order = {
  readonly column: string
  readonly isNumeric: boolean
  /** Whether the index of this order does not begin with what the list is only over. */
  readonly isApart: boolean
  readonly descending: boolean
  readonly limit: number
  readonly after: { readonly at: Value; readonly id: string } | undefined
}

/** Up to so many rows are found first and sorted then. */
const few = { usually: 2000, ifCostly: 500 }
/** So many rows are looked at in order before those that match are all found and sorted. */
const far = { usually: 5000, ifCostly: 10_000 }
/** So many are looked at in order before it is asked how many would be found in a costly way. */
const near = 1000
/** Rather than to find more than this in a costly way, all rows are looked at in order. */
const many = 10_000

/** The rows of a page: of each part of the list by itself, then put together. */
export async function readRows(
  tx: Tx,
  parts: readonly Part[],
  columns: readonly string[],
  filters: readonly Filter[],
  order: Order,
): Promise<unknown[][]> {
  const [own, ...others] = parts as [Part, ...Part[]]
  if (others.length === 0) return readPart(tx, own, raw(columns.join(', ')), filters, order)
  const wanted = raw([...columns, order.column, 'id'].join(', '))
  const rows = await readPart(tx, own, wanted, filters, order)
  for (const part of others) rows.push(...(await tx.values(walk(part, wanted, filters, order, undefined, undefined))))
  const way = order.descending ? -1 : 1
  return rows
    .toSorted((a, b) => way * (compare(a.at(-2), b.at(-2)) || compare(a.at(-1), b.at(-1))))
    .slice(0, order.limit)
    .map((row) => row.slice(0, columns.length))
}

/** As databases do: text by its code points. */
const compare = (a: unknown, b: unknown): number =>
  typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/**
 * The rows of a page, read the cheaper way: where a filter finds few rows, those are sorted; where it finds many, rows
 * are looked at in the order of the list until the page is full. How many it finds is counted up to a bound first.
 */
async function readPart(
  tx: Tx,
  part: Part,
  wanted: Sql,
  filters: readonly Filter[],
  order: Order,
): Promise<unknown[][]> {
  const find = (by: By) => tx.values(sortFound(part, wanted, filters, order, by))
  const lookOn = async (by: Filter | undefined, bound: Order['after']) => {
    const rows = await tx.values(walk(part, wanted, filters, order, by, bound))
    return { rows, isWhole: bound === undefined || rows.length >= order.limit }
  }
  if (filters.some(({ isCostly }) => isCostly)) {
    const by = filters.find((filter) => isInOrder(filter, order))
    const { rows, isWhole } = await lookOn(by, await placeAt(tx, part, order, by, near))
    if (isWhole) return rows
  }
  const way = await wayOf(tx, part, filters, order)
  if ('found' in way) return find(way.found)
  const { walked, otherwise } = way
  const bound = otherwise && (await placeAt(tx, part, order, walked, dependingOn(otherwise, far)))
  const { rows, isWhole } = await lookOn(walked, bound)
  if (isWhole) return rows
  if (!(await isTooMany(tx, part, otherwise!))) return find(otherwise!)
  const rest = { ...order, after: bound, limit: order.limit - rows.length }
  return [...rows, ...(await tx.values(walk(part, wanted, filters, rest, walked, undefined)))]
}

/** How many rows there are. */
export async function countRows(tx: Tx, parts: readonly Part[], filters: readonly Filter[]): Promise<number> {
  let total = 0
  for (const part of parts) {
    const conditions = await toCount(tx, part, filters)
    const row = await tx.get<{ n: number }>(sql`select count(*) as n from ${part.from} ${where(conditions)}`)
    total += row!.n
  }
  return total
}

async function toCount(tx: Tx, part: Part, filters: readonly Filter[]): Promise<Sql[]> {
  const costly = filters.find(({ isCostly }) => isCostly)
  if (costly !== undefined && !(await isTooMany(tx, part, costly))) {
    return [
      ...onlyTested(part),
      ...part.scope,
      ...filters.map((filter) => (filter === costly ? filter.find! : filter.test)),
    ]
  }
  const others = filters.filter((filter) => filter !== costly)
  const isApart = others.some((filter) => filter.isApart)
  const matching = others.map(({ find, test }) => find ?? test)
  return [...(isApart ? onlyTested(part) : onlyFound(part)), ...part.scope, ...matching]
}

/** Where the row of an id stands in the order of a list; undefined when the list has none of that id. */
export async function placeOf(tx: Tx, parts: readonly Part[], column: string, id: string): Promise<Order['after']> {
  for (const part of parts) {
    const conditions = [sql`id = ${id}`, ...onlyTested(part), ...part.scope]
    const row = await tx.get<{ at: Value }>(sql`select ${raw(column)} as at from ${part.from} ${where(conditions)}`)
    if (row !== undefined) return { at: row.at, id }
  }
  return undefined
}

type By = Filter | 'scope'

/** How a page is read: rows found by something are sorted, or walked in order, through one filter's index where that has them in order. */
type Way = { readonly found: By } | { readonly walked: Filter | undefined; readonly otherwise: By | undefined }

async function wayOf(tx: Tx, part: Part, filters: readonly Filter[], order: Order): Promise<Way> {
  const through = (by: By): Way =>
    by !== 'scope' && isInOrder(by, order) ? { walked: by, otherwise: undefined } : { found: by }
  const finding = filters.filter(({ find }) => find !== undefined)
  const sure = finding.find(({ isFew }) => isFew)
  if (sure !== undefined) return through(sure)
  const inOrder = finding.find((filter) => isInOrder(filter, order))
  if (inOrder !== undefined && filters.length === 1) return through(inOrder)
  const candidates: By[] = [...finding]
  if (order.isApart && Object.keys(part.only).length > 0) candidates.push('scope')
  let best: By | undefined
  let least = Number.POSITIVE_INFINITY
  for (const by of candidates) {
    const bound = Math.min(least, dependingOn(by, few) + 1)
    const n = await countFound(tx, part, by, bound)
    if (n >= bound) continue
    best = by
    least = Math.max(1, n)
  }
  return best === undefined ? { walked: inOrder, otherwise: candidates.find((by) => by !== inOrder) } : through(best)
}

/** How many rows something finds, counted up to a bound. */
async function countFound(tx: Tx, part: Part, by: By, bound: number): Promise<number> {
  const row = await tx.get<{ n: number }>(sql`
    select count(*) as n from (${sampleOf(by, part, bound)} ${atMost(bound)}) as sample`)
  return row!.n
}

const isCostly = (by: By): boolean => by !== 'scope' && by.isCostly === true

const dependingOn = (by: By, { usually, ifCostly }: { readonly usually: number; readonly ifCostly: number }): number =>
  isCostly(by) ? ifCostly : usually

const isTooMany = async (tx: Tx, part: Part, by: By): Promise<boolean> =>
  isCostly(by) && (await countFound(tx, part, by, many)) >= many

/** Whether the index that a filter finds rows by has them in the order of the list. */
const isInOrder = ({ column, isExact, isApart }: Filter, order: Order): boolean =>
  column !== undefined && (column === order.column || (isExact === true && order.column === 'id' && !isApart))

function sampleOf(by: By, part: Part, limit: number): Sql {
  if (by === 'scope') return sql`select 1 as one from ${part.table} ${where([...onlyFound(part), ...part.scope])}`
  if (by.sample !== undefined) return by.sample(limit)
  const scope = by.isApart ? [] : [...onlyFound(part), ...part.scope]
  return sql`select 1 as one from ${part.table} ${where([...scope, by.find!])}`
}

/** Finds all rows that match by an index, and sorts them. */
function sortFound(part: Part, wanted: Sql, filters: readonly Filter[], order: Order, by: By): Sql {
  const matching = filters.map((filter) => (filter === by ? filter.find! : filter.test))
  const only = by !== 'scope' && by.isApart ? onlyTested(part) : onlyFound(part)
  const keys = hidden(order)
  const conditions = [...only, ...part.scope, ...matching, ...beyond(keys, order)]
  return sql`select ${wanted} from ${part.from} ${where(conditions)} ${orderBy(keys, order)}`
}

/** Looks at rows in the order of the list, through one filter's index or those of the list itself, up to a place. */
function walk(
  part: Part,
  wanted: Sql,
  filters: readonly Filter[],
  order: Order,
  by: Filter | undefined,
  bound: Order['after'],
): Sql {
  const matching = filters.map((filter) => (filter === by ? filter.find! : filter.test))
  const only = order.isApart ? onlyTested(part) : onlyFound(part)
  const keys = plain(order)
  const way = raw(order.descending ? '>=' : '<=')
  const within = bound === undefined ? [] : [sql`${keys.both} ${way} ${place(order, bound)}`]
  const conditions = [...only, ...part.scope, ...matching, ...beyond(keys, order), ...within]
  return sql`select ${wanted} from ${part.from} ${where(conditions)} ${orderBy(keys, order)}`
}

/** The place so many rows further on in a walk, whatever the other filters; undefined when there are not so many. */
async function placeAt(
  tx: Tx,
  part: Part,
  order: Order,
  by: Filter | undefined,
  rows: number,
): Promise<Order['after']> {
  const keys = plain(order)
  const only = order.isApart ? [] : onlyFound(part)
  const conditions = [...only, ...part.scope, ...(by ? [by.find!] : []), ...beyond(keys, order)]
  return tx.get<{ at: Value; id: string }>(sql`
    select ${raw(order.column)} as at, id from ${part.table} ${where(conditions)} ${orderBy(keys, { ...order, limit: 1 })}
    offset ${rows}`)
}

/** The columns of an order: as they are, so that its index is used, or written so that it is not. */
type Keys = { readonly first: Sql | undefined; readonly id: Sql; readonly both: Sql }

const keysOf = (first: Sql | undefined, id: Sql): Keys => ({
  first,
  id,
  both: first === undefined ? id : sql`(${first}, ${id})`,
})

const plain = ({ column }: Order): Keys => keysOf(column === 'id' ? undefined : raw(column), raw('id'))

const hidden = ({ column, isNumeric }: Order): Keys => {
  const first = column === 'id' ? undefined : raw(isNumeric ? `(${column} + 0)` : `(${column} || '')`)
  return keysOf(first, raw(`(id || '')`))
}

const place = ({ column }: Order, { at, id }: NonNullable<Order['after']>): Sql =>
  column === 'id' ? sql`${id}` : sql`(${at}, ${id})`

const beyond = ({ both }: Keys, order: Order): Sql[] =>
  order.after === undefined ? [] : [sql`${both} ${raw(order.descending ? '<' : '>')} ${place(order, order.after)}`]

function orderBy({ first, id }: Keys, { descending, limit }: Pick<Order, 'descending' | 'limit'>): Sql {
  const way = raw(descending ? 'desc' : 'asc')
  const keys = first === undefined ? sql`${id} ${way}` : sql`${first} ${way}, ${id} ${way}`
  return sql`order by ${keys} ${atMost(limit)}`
}

const onlyFound = ({ only }: Part): Sql[] => Object.entries(only).map(([name, value]) => sql`${raw(name)} = ${value}`)
const onlyTested = (part: Part): Sql[] => onlyFound(part).map(tested)

const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`` : sql`where ${join([...conditions], ' and ')}`
