import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { exportRules } from './exports.ts'
import { importQueueRules } from './import-queue.ts'
import { importRules } from './imports.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

importRules('PostgreSQL', postgresStore)
importQueueRules('PostgreSQL', postgresStore)
exportRules('PostgreSQL', postgresStore)
