import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { problem } from '../../src/api/problem.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { type Database, DatabaseOverdue, DatabaseUnavailable, raw, sql, type Tx } from '../../src/db/sql.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { add, countThings, databaseContract, gate } from './database.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

databaseContract('PostgreSQL', async () => {
  const url = await server.createDatabase()
  return { open: async () => openPostgres(url, () => {}), remove: async () => {} }
})

async function withThings(work: (db: Database, url: string) => Promise<void>): Promise<void> {
  const url = await server.createDatabase()
  const db = openPostgres(url, () => {})
  try {
    await db.alone((tx) => tx.script('create table things (\n  id integer primary key,\n  name text,\n  big bigint\n)'))
    await work(db, url)
  } finally {
    await db.close()
  }
}

test('a deadlock is tried again, so that both writes are kept', () =>
  withThings(async (db) => {
    await db.write((tx) => tx.run(sql`insert into things values (1, 'a', 0), (2, 'b', 0)`))
    const both = [gate(), gate()]
    let runs = 0
    const addTo = (mine: number, other: number) => async (tx: Tx) => {
      runs += 1
      await tx.run(sql`update things set big = big + 1 where id = ${mine}`)
      both[mine - 1]!.open()
      await both[other - 1]!.opened
      await tx.run(sql`update things set big = big + 1 where id = ${other}`)
    }
    await Promise.all([db.write(addTo(1, 2)), db.write(addTo(2, 1))])
    ok(runs > 2, 'there was no deadlock')
    const rows = await db.read((tx) => tx.all<{ big: number }>(sql`select big from things`))
    deepEqual(
      rows.map((row) => row.big),
      [2, 2],
    )
  }))

test('a serialisation failure is tried again', () =>
  withThings(async (db) => {
    const both = [gate(), gate()]
    let runs = 0
    const addNext = (mine: number) => async (tx: Tx) => {
      runs += 1
      await tx.run(sql`set transaction isolation level serializable`)
      const n = await countThings(tx)
      both[mine]!.open()
      await both[1 - mine]!.opened
      await add(tx, n, `n${n}`)
    }
    await Promise.all([db.write(addNext(0)), db.write(addNext(1))])
    ok(runs > 2, 'there was no conflict')
    equal(await db.read(countThings), 2)
  }))

test('a conflict that never ends is told as DatabaseUnavailable', () =>
  withThings(async (db) => {
    let runs = 0
    const always = db.write(async (tx) => {
      runs += 1
      await tx.run(sql`do ${raw(`$$ begin raise exception 'again' using errcode = '40001'; end $$`)}`)
    })
    await rejects(always, DatabaseUnavailable)
    ok(runs > 1 && runs < 20)
  }))

test('a table that was changed since its statements were prepared is read on', () =>
  withThings(async (db) => {
    const read = () => db.read((tx) => tx.all(sql`select * from things`))
    await Promise.all(Array.from({ length: 5 }, read))
    await db.alone((tx) => tx.script('alter table things add column more integer'))
    await db.write((tx) => add(tx, 1, 'a'))
    for (let i = 0; i < 6; i += 1) deepEqual({ ...(await read())[0] }, { id: 1, name: 'a', big: 1, more: null })
  }))

test('[H27] a statement that takes too long is stopped, and told as a timeout', () =>
  withThings(async (db) => {
    const overdue = db.write(async (tx) => {
      await tx.run(sql`set local statement_timeout = 50`)
      await tx.get(sql`select pg_sleep(5)`)
    })
    const error = await overdue.catch((reason: unknown) => reason)
    ok(error instanceof DatabaseOverdue)
    const { status, body } = problem(error, 'req-1')
    deepEqual([status, body.type], [504, 'timeout'])
    match(body.message, /^the database took longer than 30 seconds and was stopped; nothing was changed: /)
  }))

test('pages of a list are read through an index, also where a unique one leaves out the id', () =>
  withThings(async (db) => {
    await migrate(db, new Date(0))
    await db.write((tx) =>
      tx.run(sql`insert into tlds (id, name, created_at)
        select md5(i::text)::uuid::text, 'n' || i, to_char(i, '000000') from generate_series(1, 20000) i`),
    )
    await db.write((tx) => tx.run(sql`analyze tlds`))
    for (const column of ['name_key', 'created_at', 'updated_key', 'id']) {
      const rows = await db.read((tx) =>
        tx.all<{ 'QUERY PLAN': string }>(sql`explain select * from tlds
          where (${raw(column)}, id) > (${'n5'}, ${'6'}) order by ${raw(column)}, id limit 21`),
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      ok(/Index Scan/.test(plan) && !/Seq Scan/.test(plan), plan)
      ok(!/->\s+Sort|^Sort/m.test(plan), plan)
    }
  }))

test('PostgreSQL away is told as DatabaseUnavailable at once, and all goes on when it is back', () =>
  withThings(async (db) => {
    await Promise.all(Array.from({ length: 8 }, (_, i) => db.write((tx) => add(tx, i, `n${i}`))))
    const started = gate()
    const cut = db.write(async (tx) => {
      await add(tx, 100, 'cut')
      started.open()
      await tx.get(sql`select pg_sleep(20)`)
    })
    const cutRefused = rejects(cut, DatabaseUnavailable)
    await started.opened
    await sleep(50)
    await server.kill()
    await cutRefused
    for (const attempt of [() => db.read(countThings), () => db.write((tx) => add(tx, 200, 'away'))]) {
      const start = performance.now()
      await rejects(attempt(), DatabaseUnavailable)
      ok(performance.now() - start < 4000)
    }
    await server.restart()
    await Promise.all(Array.from({ length: 8 }, (_, i) => db.write((tx) => add(tx, 300 + i, `back${i}`))))
    equal(await db.read(countThings), 16)
  }))
