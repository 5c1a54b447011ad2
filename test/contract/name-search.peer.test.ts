import { deepEqual, equal } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/db/postgres.ts'
import { type NewStore, startTestApi } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { nameSearch } from './name-search.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const storeAt =
  (url: () => Promise<string>): NewStore =>
  async () => {
    const db = openPostgres(await url(), () => {})
    return { db, remove: () => db.close() }
  }

nameSearch(
  'PostgreSQL',
  storeAt(() => server.createDatabase()),
)

for (const [role, rights, isIndexed] of [
  ['owner', 'alter database DATABASE owner to ROLE', true],
  ['guest', 'grant usage, create on schema public to ROLE', false],
] as const) {
  test(`[H17] zones are found by pieces of their names where the role of the service is ${isIndexed ? 'the owner of its database' : 'refused the extension'}`, async (t) => {
    const url = new URL(await server.createDatabase())
    const client = new pg.Client(url.href)
    await client.connect()
    t.after(() => client.end())
    await client.query(`create role ${role} login`)
    await client.query(rights.replace('DATABASE', url.pathname.slice(1)).replace('ROLE', role))
    url.username = role
    const api = await startTestApi(storeAt(async () => url.href))
    t.after(() => api.close())
    for (const name of ['one-meadow', 'two-meadow', 'one-garden'])
      await api.post('/v2/zones', { name: `${name}.example.org.`, email: 'a@example.org' })
    const { body } = await api.list('/v2/zones?name=*meadow*')
    deepEqual(
      body.zones!.map(({ name }) => name),
      ['one-meadow.example.org.', 'two-meadow.example.org.'],
    )
    const { rows } = await client.query(`select 1 from pg_indexes where indexname = 'zone_names_trigrams'`)
    equal(rows.length === 1, isIndexed)
    equal(await api.db.scan(async (tx) => tx.trigrams('zone_names', 'name_key', ['meadow']) !== undefined), isIndexed)
  })
}
