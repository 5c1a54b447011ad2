import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { networkAddressRules } from './network-addresses.ts'
import { reverseNameRules } from './reverse-names.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

for (const rules of [reverseNameRules, networkAddressRules]) rules('PostgreSQL', postgresStore)
