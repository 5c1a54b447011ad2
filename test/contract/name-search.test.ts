import { deepEqual, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Statement, sql, type Tx } from '../../src/db/sql.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { sqliteStore, startTestApi } from '../support/api.ts'
import { nameSearch, storeZones } from './name-search.ts'

nameSearch('SQLite', sqliteStore)

test('[H17] a copy that VACUUM made finds the same zones, and its index is sound', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-names-'))
  t.after(() => rm(folder, { recursive: true }))
  const [path, copy] = [join(folder, 'nameplane.db'), join(folder, 'copy.db')]
  const db = openSqlite(path)
  const api = await startTestApi(async () => ({ db, remove: () => db.close() }))
  for (const name of ['first-zone', 'second-zone', 'third-zone', 'fourth-zone'])
    await api.post('/v2/zones', { name: `${name}.example.org.`, email: 'a@example.org' })
  // Two requests in one commit, one of which is refused.
  await Promise.all(
    ['third-zone', 'fifth-zone'].map((name) =>
      api.post('/v2/zones', { name: `${name}.example.org.`, email: 'a@example.org' }),
    ),
  )
  await db.write((tx) => tx.run(sql`update zones set gone_at = 'x' where name like 'first%' or name like 'third%'`))
  const found = async () =>
    (await api.list('/v2/zones?name=*-zone.exa*&sort_key=name')).body.zones!.map(({ name }) => name)
  const expected = ['fifth-zone.example.org.', 'fourth-zone.example.org.', 'second-zone.example.org.']
  deepEqual(await found(), expected)
  await api.close()

  const plain = new DatabaseSync(path)
  plain.exec("insert into zone_names_trigrams (zone_names_trigrams, rank) values ('integrity-check', 1)")
  plain.exec(`vacuum into '${copy}'`)
  plain.close()
  const copied = openSqlite(copy)
  const rows = await copied.read((tx) =>
    tx.all<{ name: string }>(sql`
      select z.name from zones z where id in (select zone_id ${tx.trigrams('zone_names', 'name_key', ['-zone.exa'])!}) order by name`),
  )
  await copied.close()
  deepEqual(
    rows.map(({ name }) => name),
    expected,
  )
})

test('a rare pattern looks at no row that its trigrams do not find, but the first in order', async () => {
  const plans: string[] = []
  const { db, remove } = await sqliteStore()
  const explained = (tx: Tx): Tx => {
    const explain = async (query: Statement) => {
      const text = `explain query plan ${query.sql}`
      const steps = await tx.all<{ detail: string }>({ sql: text, text, values: query.values })
      plans.push(steps.map(({ detail }) => detail).join(' / '))
    }
    return {
      get: (query) => explain(query).then(() => tx.get(query)),
      all: (query) => explain(query).then(() => tx.all(query)),
      values: (query) => explain(query).then(() => tx.values(query)),
      run: (query) => tx.run(query),
      wake: (topic) => tx.wake(topic),
      forUpdate: tx.forUpdate,
      engine: tx.engine,
      trigrams: tx.trigrams,
    }
  }
  const watched = { ...db, scan: <T>(work: (tx: Tx) => Promise<T>) => db.scan((tx) => work(explained(tx))) }
  const api = await startTestApi(async () => ({ db: watched, remove }))
  try {
    await storeZones(db, [...Array.from({ length: 1200 }, (_, i) => `${i}.example.org.`), 'hidden.example.net.'])
    for (const order of ['created_at', 'name', 'ttl', 'serial', 'status', 'updated_at']) {
      for (const headers of [{}, { 'X-Auth-All-Projects': 'true' }] as Record<string, string>[]) {
        for (const pattern of ['*idden*', 'h*dden.exa*', '*.net.']) {
          plans.length = 0
          const { body } = await api.list(`/openstack/v2/zones?name=${pattern}&sort_key=${order}`, headers)
          deepEqual([body.zones!.length, body.metadata], [1, { total_count: 1 }])
          const told = `${pattern} by ${order}\n${plans.join('\n')}`
          const byIndex = plans.filter((plan) => plan.includes('zone_names_trigrams VIRTUAL TABLE'))
          ok(byIndex.length >= 2, told)
          ok(
            byIndex.every((plan) => !/SCAN zones|SEARCH zones USING (?!.*\(id=\?\))/.test(plan)),
            told,
          )
        }
      }
    }
  } finally {
    await api.close()
  }
})
