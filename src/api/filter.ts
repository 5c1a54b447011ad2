import { raw, type Sql, sql } from '../db/sql.ts'

/** A filter value: text to equal, or the pieces between its `*`s. */
type Pattern = { readonly exact: string } | { readonly pieces: readonly string[] }

/** `*` stands for any run of characters and `\*` for itself; every other character is literal. */
export function parsePattern(value: string): Pattern {
  const pieces = value.split(/(?<!\\)\*/).map((piece) => piece.replaceAll('\\*', '*'))
  return pieces.length === 1 ? { exact: pieces[0]! } : { pieces }
}

/** The condition that a text column matches a filter; what stands before the first `*` narrows it through the index. */
export function textMatches(column: string, value: string): Sql {
  // No stored text holds NUL, and PostgreSQL refuses to compare with one.
  if (value.includes('\0')) return sql`1 = 0`
  const name = raw(column)
  const pattern = parsePattern(value)
  if ('exact' in pattern) return sql`${name} = ${pattern.exact}`
  const like = pattern.pieces.map((piece) => piece.replaceAll(/[\\%_]/g, '\\$&')).join('%')
  const prefix = pattern.pieces[0]!
  const matches = sql`${name} like ${like} escape '\\'`
  return prefix === '' ? matches : sql`${startsWith(column, prefix)} and ${matches}`
}

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

/** The condition that a number column matches a filter; what is no number matches nothing. */
export function numberMatches(column: string, value: string): Sql {
  if (/^\d{1,15}$/.test(value)) return sql`${raw(column)} = ${Number(value)}`
  return value.includes('*') ? textMatches(`cast(${column} as text)`, value) : sql`1 = 0`
}
