import { raw, type Sql, sql, type Tx } from './sql.ts'

type BulkValue = string | number | null

/** One row of a table, as its values in the order of the columns. */
export type RowValues = readonly BulkValue[]

type Shared = Readonly<Record<string, BulkValue>>

const mostRows = 500
const mostLength = 1_000_000

/**
 * Inserts many rows of a table; `tail` may say what to do on a conflict. Returns how many it inserted.
 *
 * They go to the engine as one JSON text, which costs less than binding every value and is the same on both engines.
 * What all rows have the `same` is told once.
 */
export function bulkInsert(
  table: string,
  columns: readonly string[],
  tail = '',
): (tx: Tx, rows: readonly RowValues[], same?: Shared) => Promise<number> {
  const statements = bulkStatements(table, columns, tail)
  return async (tx, rows, same) => {
    let inserted = 0
    for (const { statement } of statements(rows, same)) inserted += await tx.run(statement)
    return inserted
  }
}

/** The statements of such an insert, each with its number of rows. */
export function bulkStatements(
  table: string,
  columns: readonly string[],
  tail = '',
): (rows: readonly RowValues[], same?: Shared) => { readonly statement: Sql; readonly rows: number }[] {
  return (rows, same = {}) => {
    const names = [...columns, ...Object.keys(same)].join(', ')
    const given = Object.values(same)
    return [...blocks(rows)].map((block) => {
      const read = raw(columns.map((_, i) => readValue(block, i)).join(', '))
      const selected = given.reduce<Sql>((all, value) => sql`${all}, ${value}`, read)
      const statement = sql`
        insert into ${raw(table)} (${raw(names)}) select ${selected}
        from json_each(${asJson(block)}) e where true ${raw(tail)}`
      return { statement, rows: block.length }
    })
  }
}

/** How a column is read out of the JSON of a row: PostgreSQL has to be told what is no text. */
function readValue(rows: readonly RowValues[], i: number): string {
  const kind = typeof (rows.find((row) => row[i] !== null)?.[i] ?? null)
  if (kind === 'object') return 'null'
  return kind === 'number' ? `cast(e.value ->> ${i} as bigint)` : `e.value ->> ${i}`
}

/** An object, as json_each of PostgreSQL takes no list; nobody asks for its keys. */
const asJson = (rows: readonly RowValues[]): string => `{${rows.map((row) => `"":${JSON.stringify(row)}`).join(',')}}`

function* blocks(rows: readonly RowValues[]): Generator<readonly RowValues[]> {
  let [from, length] = [0, 0]
  for (let at = 0; at < rows.length; at++) {
    for (const value of rows[at]!) length += typeof value === 'string' ? value.length : 8
    if (at + 1 - from < mostRows && length < mostLength && at + 1 < rows.length) continue
    yield from === 0 && at + 1 === rows.length ? rows : rows.slice(from, at + 1)
    from = at + 1
    length = 0
  }
}
