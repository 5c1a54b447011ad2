import { migrate } from './migrate.ts'
import { sql } from './sql.ts'
import { openSqlite } from './sqlite.ts'

/** The golden file that shows the whole schema; `node scripts/schema.ts` writes it anew. */
export const schemaFile = new URL('schema.sql', import.meta.url)

/** What all migrations together make of an empty database, as SQL in a fixed order. */
export async function schemaText(): Promise<string> {
  const db = openSqlite(':memory:')
  try {
    await migrate(db, new Date(0))
    // An in-memory database is its writer's alone, so the reading is done there too.
    const rows = await db.write((tx) =>
      tx.all<{ sql: string }>(sql`
        select sql from sqlite_master where sql is not null and name not like 'sqlite_%'
        order by tbl_name, case type when 'table' then 0 else 1 end, name`),
    )
    return `${rows.map((row) => `${row.sql};`).join('\n\n')}\n`
  } finally {
    await db.close()
  }
}
