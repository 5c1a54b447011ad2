import { raw, type Sql, sql } from './sql.ts'

/**
 * What to select from to have the rows of a table whose text may hold some pieces, in any order: found by three
 * characters in a row, through the index `TABLE_trigrams`. Undefined where that cannot find them.
 */
export type Trigrams = (table: string, column: string, pieces: readonly string[]) => Sql | undefined

/** No more are looked up: so many leave few rows. */
const most = 32

/** By an FTS5 table that holds trigrams alone. */
export const fts5Trigrams: Trigrams = (table, _column, pieces) => {
  const found = new Set(pieces.flatMap(trigramsOf))
  if (found.size === 0) return undefined
  const index = raw(`${table}_trigrams`)
  const query = [...found].slice(0, most).map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
  return sql`from ${index} where ${index} match ${query.join(' AND ')}`
}

/** By pg_trgm, which knows only words of letters and digits. */
export const pgTrigrams: Trigrams = (table, column, pieces) => {
  if (!pieces.some((piece) => /[a-z0-9]{3}/i.test(piece))) return undefined
  const like = pieces.map((piece) => piece.replaceAll(/[\\%_]/g, '\\$&')).join('%')
  return sql`from ${raw(table)} where ${raw(column)} like ${`%${like}%`} escape '\\'`
}

/** No index at all. */
export const noTrigrams: Trigrams = () => undefined

/** So many that each character is in one, and the fewer the quicker: rows found are compared whole anyway. */
function trigramsOf(piece: string): string[] {
  const characters = [...piece]
  const last = characters.length - 3
  if (last < 0) return []
  const starts = Array.from({ length: Math.ceil(last / 3) }, (_, i) => i * 3)
  return [...starts, last].map((start) => characters.slice(start, start + 3).join(''))
}
