import { raw, type Sql, sql } from '../db/sql.ts'

/** A filter value: text to equal, or the pieces between its `*`s. */
type Pattern = { readonly exact: string } | { readonly pieces: readonly string[] }

/** A filter of a list, as conditions on its rows. */
export type Filter = {
  /** Written so that an index finds the rows that match; undefined where none can. */
  readonly find?: Sql
  /** The same for a row at hand, written so that no index is used for it. */
  readonly test: Sql
  /** The column that `find` looks into; undefined where that is another table. */
  readonly column?: string
  /** Whether all that match have one value in that column, so that its index has them in the order of their ids. */
  readonly isExact?: boolean
  /** Whether never more than a few rows can match. */
  readonly isFew?: boolean
  /** Whether `find` uses an index that does not begin with what the list is only over. */
  readonly isApart?: boolean
  /** Whether to find a row so costs several times what it costs to pass one that is looked at in order. */
  readonly isCostly?: boolean
  /** A select of what `find` would look at, up to a bound, where that is not the rows themselves. */
  readonly sample?: (limit: number) => Sql
}

/** `*` stands for any run of characters and `\*` for itself; every other character is literal. */
export function parsePattern(value: string): Pattern {
  const pieces = value.split(/(?<!\\)\*/).map((piece) => piece.replaceAll('\\*', '*'))
  return pieces.length === 1 ? { exact: pieces[0]! } : { pieces }
}

/** The condition that a text column matches a filter; what stands before the first `*` narrows it through the index. */
export function textMatches(column: string, value: string): Sql {
  const { find, test } = textFilter(column, value)
  return find ?? test
}

/** A filter on a text column that has an index. */
export function textFilter(column: string, value: string): Filter {
  // No stored text holds NUL, and PostgreSQL refuses to compare with one.
  if (value.includes('\0')) return { test: sql`1 = 0`, isFew: true }
  const name = raw(column)
  const pattern = parsePattern(value)
  if ('exact' in pattern) {
    const find = sql`${name} = ${pattern.exact}`
    return { find, test: tested(find), column, isExact: true }
  }
  const like = pattern.pieces.map((piece) => piece.replaceAll(/[\\%_]/g, '\\$&')).join('%')
  const prefix = pattern.pieces[0]!
  // Of a bare parameter SQLite looks at the value, and plans anew each time it is given one.
  const matches = sql`${name} like (${like} || '') escape '\\'`
  const test = tested(matches)
  return prefix === '' ? { test } : { find: sql`${startsWith(column, prefix)} and ${matches}`, test, column }
}

/** A condition written so that no index is used for it, and no engine believes that it leaves few rows. */
export const tested = (condition: Sql): Sql => sql`case when ${condition} then true else false end`

/** The condition that a text column starts with a prefix, as a range of its index. */
export function startsWith(column: string, prefix: string): Sql {
  const name = raw(column)
  const end = firstAfter(prefix)
  return end === undefined ? sql`${name} >= ${prefix}` : sql`${name} >= ${prefix} and ${name} < ${end}`
}

/** Lower case as the database makes it: ASCII only. */
export const folded = (value: string): string => value.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The first text, by code point, after all that begin with a prefix; undefined when there is none. */
function firstAfter(prefix: string): string | undefined {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()!.codePointAt(0)!
    if (last < 0x10ffff) return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}

/** A filter on a number column that has an index; what is no number matches nothing. */
export function numberFilter(column: string, value: string): Filter {
  if (/^\d{1,15}$/.test(value)) {
    const find = sql`${raw(column)} = ${Number(value)}`
    return { find, test: tested(find), column, isExact: true }
  }
  if (!value.includes('*')) return { test: sql`1 = 0`, isFew: true }
  return { test: textMatches(`cast(${column} as text)`, value) }
}
