import { raw, type Sql, sql } from '../db/sql.ts'

/** A filter value: text to equal, or the pieces between its `*`s. */
type Pattern = { readonly exact: string } | { readonly pieces: readonly string[] }

/** `*` stands for any run of characters and `\*` for itself; every other character is literal. */
export function parsePattern(value: string): Pattern {
  const pieces = value.split(/(?<!\\)\*/).map((piece) => piece.replaceAll('\\*', '*'))
  return pieces.length === 1 ? { exact: pieces[0]! } : { pieces }
}

const last = '\u{10ffff}'

/** The condition that a text column matches a filter; what stands before the first `*` narrows it through the index. */
export function textMatches(column: string, value: string): Sql {
  const name = raw(column)
  const pattern = parsePattern(value)
  if ('exact' in pattern) return sql`${name} = ${pattern.exact}`
  const like = pattern.pieces.map((piece) => piece.replaceAll(/[\\%_]/g, '\\$&')).join('%')
  const prefix = pattern.pieces[0]!
  const matches = sql`${name} like ${like} escape '\\'`
  return prefix === '' ? matches : sql`${name} >= ${prefix} and ${name} < ${prefix + last} and ${matches}`
}
