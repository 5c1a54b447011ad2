import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { adminRules } from './admin.ts'
import { serviceStatusRules } from './service-statuses.ts'
import { shareRules } from './shares.ts'
import { transferRules } from './transfers.ts'
import { zoneTaskRules } from './zone-tasks.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

for (const rules of [transferRules, shareRules, zoneTaskRules, serviceStatusRules, adminRules]) {
  rules('PostgreSQL', postgresStore)
}
