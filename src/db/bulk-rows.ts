import { type Sql, sql, type Tx } from './sql.ts'

/** One row of a table, as its values in the order of the columns. */
export type RowValues = readonly (string | number | null)[]

const most = 40

/** Inserts many rows of a table; `tail` may say what to do on a conflict. Returns how many it inserted. */
export function bulkInsert(
  table: string,
  columns: readonly string[],
  tail = '',
): (tx: Tx, rows: readonly RowValues[]) => Promise<number> {
  const texts = new Map<number, TemplateStringsArray>()
  // One text for full statements and few for the rest, so that each is prepared once.
  const statement = (rows: readonly RowValues[]): Sql => {
    let strings = texts.get(rows.length)
    if (strings === undefined) {
      strings = statementText(table, columns, rows.length, tail)
      texts.set(rows.length, strings)
    }
    return sql(strings, ...rows.flat())
  }
  return async (tx, rows) => {
    let inserted = 0
    let at = 0
    for (const size of [most, 8, 1]) {
      for (; rows.length - at >= size; at += size) inserted += await tx.run(statement(rows.slice(at, at + size)))
    }
    return inserted
  }
}

function statementText(table: string, columns: readonly string[], rows: number, tail: string): TemplateStringsArray {
  const strings = [`insert into ${table} (${columns.join(', ')}) values (`]
  for (let i = 1; i < rows * columns.length; i++) strings.push(i % columns.length === 0 ? '), (' : ', ')
  strings.push(`) ${tail}`)
  return Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray
}
