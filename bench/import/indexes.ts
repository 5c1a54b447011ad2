import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../../src/db/migrate.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { newId } from '../../src/ids.ts'
import { treeKey } from '../../src/resources/zones/rules.ts'

/** Record sets stored per second, with the indexes that lists need and without them. */
export async function indexCost(sets: number): Promise<{ withIndexes: number; without: number; indexes: number }> {
  const indexes = await indexCount()
  return { withIndexes: await rate(sets, false), without: await rate(sets, true), indexes }
}

async function emptyStore(): Promise<{ db: DatabaseSync; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-indexes-'))
  const store = openSqlite(join(folder, 'nameplane.db'))
  await migrate(store, new Date())
  await store.close()
  const db = new DatabaseSync(join(folder, 'nameplane.db'))
  db.exec('pragma foreign_keys = off; pragma synchronous = normal; pragma cache_size = -65536')
  return { db, folder }
}

const ours = "type = 'index' and tbl_name in ('recordsets', 'records') and sql is not null"

async function indexCount(): Promise<number> {
  const { db, folder } = await emptyStore()
  const row = db.prepare(`select count(*) n from sqlite_master where ${ours}`).get()
  db.close()
  rmSync(folder, { recursive: true })
  return Number(row?.n)
}

async function rate(sets: number, isBare: boolean): Promise<number> {
  const { db, folder } = await emptyStore()
  if (isBare) {
    for (const { name } of db.prepare(`select name from sqlite_master where ${ours}`).all())
      db.exec(`drop index ${name}`)
  }
  const insert = db.prepare(`
    insert into recordsets (id, zone_id, project_id, name, tree_key, type, ttl, records, managed, serial, version, created_at)
    values (?, 'z', 'p', ?, ?, 'A', 300, '["192.0.2.1"]', 0, 1, 1, '2026-01-01T00:00:00.000000')`)
  const record = db.prepare("insert into records (recordset_id, data, canonical) values (?, '192.0.2.1', null)")
  const began = performance.now()
  for (let i = 0; i < sets; ) {
    db.exec('begin')
    for (const end = Math.min(sets, i + 500); i < end; i++) {
      const id = newId()
      const name = `host-${i}.bench.example.`
      insert.run(id, name, treeKey(name))
      record.run(id)
    }
    db.exec('commit')
  }
  const seconds = (performance.now() - began) / 1000
  db.close()
  rmSync(folder, { recursive: true })
  return sets / seconds
}
