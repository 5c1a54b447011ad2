import { type Sql, sql } from './sql.ts'

/** A `limit` that SQLite plans once: of a bare parameter it looks at the value, and so plans anew each time it is given one. */
export const atMost = (rows: number): Sql => sql`limit (${rows} + 0)`
