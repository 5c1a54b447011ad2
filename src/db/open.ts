import { join } from 'node:path'
import { openPostgres } from './postgres.ts'
import type { Database } from './sql.ts'
import { openSqlite } from './sqlite.ts'

/** Opens the store the settings name: PostgreSQL by its URL, else SQLite in the data folder. */
export function openDatabase(options: {
  readonly url: string | undefined
  readonly dataDir: string
  readonly onIdleError: (error: Error) => void
}): Database {
  if (options.url === undefined) return openSqlite(join(options.dataDir, 'nameplane.db'))
  return openPostgres(options.url, options.onIdleError)
}
