import { deepEqual } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { sqliteStore, startTestApi } from '../support/api.ts'
import { nameSearch } from './name-search.ts'

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
