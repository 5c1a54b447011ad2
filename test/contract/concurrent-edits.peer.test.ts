import { after, before } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { concurrentEditRules } from './concurrent-edits.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

concurrentEditRules('PostgreSQL', async () => {
  const url = await server.createDatabase()
  return { args: ['--database-url', url], open: () => openPostgres(url, () => {}) }
})
