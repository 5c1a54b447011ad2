import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { poolDeliveryRules } from './pool-delivery.ts'
import { poolServerRules } from './pool-servers.ts'
import { poolTargetRules } from './pool-targets.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

for (const rules of [poolTargetRules, poolDeliveryRules, poolServerRules]) rules('PostgreSQL', postgresStore)
