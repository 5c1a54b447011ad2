import { after, before } from 'node:test'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { secondaryRules } from './secondary.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

secondaryRules('PostgreSQL', () => server.createDatabase())
