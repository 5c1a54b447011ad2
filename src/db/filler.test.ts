import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { bulkStatements } from './bulk-rows.ts'
import { type FillBlock, Filler } from './filler.ts'
import { type Database, sql } from './sql.ts'
import { openSqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-filler-'))
const patience = { timeout: 20_000 }
let db: Database
let filler: Filler

before(async () => {
  db = openSqlite(join(folder, 'filler.db'))
  await db.alone((tx) => tx.script('create table a (n integer primary key); create table b (n integer primary key)'))
  filler = new Filler(db.link())
})
after(async () => {
  await filler.close()
  await db.close()
  rmSync(folder, { recursive: true })
})

const into = (table: string, numbers: readonly number[]) =>
  bulkStatements(
    table,
    ['n'],
    'on conflict do nothing',
  )(numbers.map((n) => [n])).map(({ statement, rows }) => ({
    sql: statement.sql,
    text: statement.text,
    values: statement.values as number[],
    expected: rows,
  }))
const block = (...numbers: number[]): FillBlock => [...into('a', numbers), ...into('b', numbers)]
const numbersIn = async (table: 'a' | 'b') =>
  (
    await db.read((tx) => tx.values(table === 'a' ? sql`select n from a order by n` : sql`select n from b order by n`))
  ).flat()

test(
  'blocks are written by another thread; one that does not change what was expected goes no further',
  patience,
  async () => {
    deepEqual(await filler.fill([block(1, 2), block(2, 3), block(4)]), [[2, 2], [1], [1, 1]])
    deepEqual(await numbersIn('a'), [1, 2, 3, 4])
    deepEqual(await numbersIn('b'), [1, 2, 4])
  },
)

test('a statement that fails undoes its turn and is told; the next works', patience, async () => {
  const broken = { sql: 'insert into nowhere values (1)', text: '', values: [], expected: 1 }
  await rejects(filler.fill([block(10), [broken]]), /nowhere/)
  equal((await numbersIn('a')).includes(10), false)
  deepEqual(await filler.fill([block(11)]), [[1, 1]])
})

test('others write meanwhile, and a turn ends early for them', patience, async () => {
  const blocks = Array.from({ length: 400 }, (_, i) =>
    block(...Array.from({ length: 100 }, (_, j) => 1000 + 100 * i + j)),
  )
  let rest = blocks
  let turns = 0
  const filling = (async () => {
    for (; rest.length > 0; turns++) rest = rest.slice((await filler.fill(rest)).length)
  })()
  let written = 0
  let isOver = false
  void filling.finally(() => {
    isOver = true
  })
  for (; !isOver; written++) await db.write((tx) => tx.run(sql`insert into b values (${-1 - written})`))
  await filling
  ok(turns > 1)
  ok(written > 1)
  equal((await numbersIn('a')).filter((n) => Number(n) >= 1000).length, 40_000)
})
