import { deepEqual, equal } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fillIn } from '../../db/filler.ts'
import { openLinked } from '../../db/link.ts'
import { sql } from '../../db/sql.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { rdataFromText } from '../../dns/rdata.ts'
import type { SetPlace } from './set-rows.ts'
import { Stager } from './stager.ts'

test('[I13] what came before a fault is let go of, and only what comes after it is stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-stager-'))
  const store = openSqlite(join(folder, 'nameplane.db'))
  const db = openLinked(store.link(), () => {})
  try {
    const stored: string[] = []
    const place: SetPlace = {
      table: sql`nowhere`,
      own: sql`1 = 1`,
      steps(sets) {
        stored.push(...sets.map(({ set }) => set.name))
        return []
      },
      insertRecords: async (_, rows) => rows.length,
    }
    const filler = { fill: fillIn.bind(undefined, db) }
    const stager = new Stager({ db, filler, place, now: new Date(), between: async () => {} })
    const add = (name: string) =>
      stager.add({ name, type: 1, class: 1, ttl: 60, rdata: rdataFromText(1, '192.0.2.1'), line: 1 })
    add('a.example.')
    add('b.example.')
    stager.forget()
    equal(stager.open, 0)
    equal(add('b.example.'), true, 'nothing of it is known any more')
    await stager.finish()
    deepEqual(stored, ['b.example.'])
    equal(stager.sets, 1)
  } finally {
    await db.close()
    await store.close()
    await rm(folder, { recursive: true })
  }
})
