import { join } from 'node:path'
import type { Database } from './sql.ts'
import { openSqlite } from './sqlite.ts'

/** Opens the store the settings name: PostgreSQL by its URL, else SQLite in the data folder. */
export async function openDatabase(options: {
  readonly url: string | undefined
  readonly dataDir: string
  readonly onIdleError: (error: Error) => void
}): Promise<Database> {
  if (options.url === undefined) return openSqlite(join(options.dataDir, 'nameplane.db'))
  // Its driver is read only by those who use it.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(options.url, options.onIdleError)
}
