import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/sqlite.ts'

/** Opens and migrates the named file as a starting program does, and tells which migrations it applied itself. */
const db = openSqlite(process.argv[2]!)
const { applied } = await migrate(db, new Date(0))
await db.close()
process.stdout.write(JSON.stringify(applied))
