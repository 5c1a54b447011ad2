import { join } from 'node:path'
import { openSqlite } from '../../src/db/sqlite.ts'
import { concurrentEditRules } from './concurrent-edits.ts'

concurrentEditRules('SQLite', async () => ({
  args: [],
  open: ({ dataDir }) => openSqlite(join(dataDir, 'nameplane.db')),
}))
