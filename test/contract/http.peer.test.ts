import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openPostgres } from '../../src/db/postgres.ts'
import { type NewStore, type Problem, startTestApi } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { callerRules } from './callers.ts'
import { collectionRules } from './collections.ts'
import { poolRules } from './pools.ts'
import { requestRules } from './requests.ts'
import { tldAndBlacklistRules } from './tlds-blacklists.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

for (const rules of [collectionRules, requestRules, callerRules, poolRules, tldAndBlacklistRules])
  rules('PostgreSQL', postgresStore)

test('[H27] while the database is away requests are answered 503 with Retry-After, and as usual once it is back', async () => {
  const api = await startTestApi(postgresStore)
  try {
    await Promise.all(Array.from({ length: 8 }, (_, i) => api.post('/v2/tlds', { name: `n${i}` })))
    await server.kill()
    for (const answer of [
      await api.get<Problem>('/v2/tlds'),
      await api.post<Problem>('/v2/tlds', { name: 'away' }),
      await api.get<Problem>('/readyz'),
    ]) {
      deepEqual([answer.status, answer.body.type], [503, 'unavailable'])
      ok(Number(answer.headers.get('Retry-After')) > 0)
    }
    equal((await api.get('/healthz')).status, 200)
    await server.restart()
    equal((await api.post('/v2/tlds', { name: 'back' })).status, 201)
    equal((await api.list('/v2/tlds')).body.tlds?.length, 9)
    equal((await api.get('/readyz')).status, 200)
  } finally {
    await api.close()
  }
})
