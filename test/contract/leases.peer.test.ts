import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { leaseRules } from './leases.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

leaseRules('PostgreSQL', postgresStore)
