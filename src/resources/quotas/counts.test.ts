import { equal, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { migrate } from '../../db/migrate.ts'
import type { Database } from '../../db/sql.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { newId } from '../../ids.ts'
import { addToCount, countOf, lockCount, shardOf } from './counts.ts'

let folder: string
let db: Database

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nameplane-counts-'))
  db = openSqlite(join(folder, 'nameplane.db'))
  await migrate(db, new Date())
})

after(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

test('[Q9] what is added and taken away over many rows sums up, for one project and for all', async () => {
  await db.write(async (tx) => {
    for (let i = 0; i < 100; i++) await addToCount(tx, 'a', 'zones', 1, `zone ${i}`)
    for (let i = 0; i < 30; i++) await addToCount(tx, 'a', 'zones', -1, `zone ${i}`)
    await addToCount(tx, 'b', 'zones', 5, 'other')
    await addToCount(tx, 'a', 'recordsets', 7, 'other')
  })
  await db.read(async (tx) => {
    equal(await countOf(tx, 'a', 'zones'), 70)
    equal(await countOf(tx, 'b', 'zones'), 5)
    equal(await countOf(tx, undefined, 'zones'), 75)
    equal(await countOf(tx, 'nobody', 'zones'), 0)
    equal(await countOf(tx, undefined, 'recordsets'), 7)
  })
})

test('[Q9] a count is the same locked as read, also where nothing was counted yet', async () => {
  await db.write(async (tx) => {
    equal(await lockCount(tx, 'fresh', 'zones'), 0)
    await addToCount(tx, 'fresh', 'zones', 3, 'x')
    equal(await lockCount(tx, 'fresh', 'zones'), 3)
    equal(await countOf(tx, 'fresh', 'zones'), 3)
  })
})

test('[Q9] ids made one after another spread evenly over the rows of a count', () => {
  const filled = new Array<number>(16).fill(0)
  for (let i = 0; i < 16_000; i++) filled[shardOf(newId())]! += 1
  ok(Math.min(...filled) > 800 && Math.max(...filled) < 1200, filled.join(' '))
})
