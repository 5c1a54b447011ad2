import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Database, DatabaseUnavailable, sql } from '../../src/db/sql.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { add, countThings, databaseContract, gate } from './database.ts'

const run = promisify(execFile)

databaseContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-db-'))
  return {
    open: async () => openSqlite(join(folder, 'nameplane.db')),
    remove: () => rm(folder, { recursive: true }),
  }
})

/** A database with the table of the contract, and its file. */
async function withThings(work: (db: Database, path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-db-'))
  const path = join(folder, 'nameplane.db')
  const db = openSqlite(path)
  try {
    await db.alone((tx) => tx.script('create table things (id integer primary key, name text, big bigint)'))
    await work(db, path)
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
}

test('processes that start together on an empty folder each find it migrated, and one of them did it', async () => {
  const script = new URL('migrate-once.ts', import.meta.url).pathname
  for (let round = 0; round < 3; round += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'nameplane-together-'))
    try {
      const path = join(folder, 'nameplane.db')
      const told = await Promise.all([1, 2, 3].map(() => run(process.execPath, [script, path])))
      equal(told.filter(({ stdout }) => stdout !== '[]').length, 1)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
})

test('writers who come back soon after each other share commits', () =>
  withThings(async (db) => {
    let commits = 0
    const unfollow = db.follow(() => {
      commits += 1
    })
    const writer = async (slowness: number) => {
      for (let i = 0; i < 20; i += 1) {
        for (let turn = 0; turn < slowness; turn += 1) await nextTurn()
        await db.write(async (tx) => {
          await add(tx, slowness * 1000 + i, 'a')
          tx.wake('things')
        })
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => writer(2 * i)))
    unfollow()
    ok(commits < 80, `${commits} commits for 160 writes`)
  }))

test('writes that wait together are told only after the commit they share', () =>
  withThings(async (db, path) => {
    const order: string[] = []
    const end = gate()
    const first = db.write((tx) => add(tx, 1, 'a')).then(() => order.push('first told'))
    const last = db
      .write(async (tx) => {
        await end.opened
        order.push('last ran')
        await add(tx, 2, 'b')
      })
      .then(() => order.push('last told'))
    await sleep(20)
    deepEqual(order, [])
    const outside = new DatabaseSync(path, { readOnly: true })
    equal(outside.prepare('select count(*) as n from things').get()?.n, 0)
    end.open()
    await Promise.all([first, last])
    deepEqual(order, ['last ran', 'first told', 'last told'])
    equal(outside.prepare('select count(*) as n from things').get()?.n, 2)
    outside.close()
  }))

test('many writers share commits: two hundred at once take fewer than twenty', () =>
  withThings(async (db, path) => {
    const before = await commitsIn(path)
    await Promise.all(Array.from({ length: 200 }, (_, i) => db.write((tx) => add(tx, i, `n${i}`))))
    const commits = (await commitsIn(path)) - before
    ok(commits >= 1 && commits < 20, `${commits} commits`)
    equal(await db.read(countThings), 200)
  }))

/** The commit frames of a write-ahead log: those whose header tells the size of the database after them. */
async function commitsIn(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`)
  const pageSize = log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + 24 <= log.length; at += 24 + pageSize) if (log.readUInt32BE(at + 4) !== 0) commits += 1
  return commits
}

test('a write waits for another process that holds the file, while reads and timers go on', () =>
  withThings(async (db, path) => {
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    const writing = db.write((tx) => add(tx, 1, 'a'))
    const start = performance.now()
    for (let i = 0; i < 10; i += 1) {
      await sleep(5)
      equal(await db.read(countThings), 0)
    }
    ok(performance.now() - start < 4000, 'the event loop was blocked')
    other.exec('commit')
    other.close()
    await writing
    equal(await db.read(countThings), 1)
  }))

test('a file that stays locked is told as DatabaseUnavailable, and writing goes on once it is free', () =>
  withThings(async (db, path) => {
    const other = new DatabaseSync(path)
    other.exec('begin immediate')
    await rejects(
      db.write((tx) => add(tx, 1, 'a')),
      DatabaseUnavailable,
    )
    other.exec('rollback')
    other.close()
    await db.write((tx) => add(tx, 2, 'b'))
    equal(await db.read(countThings), 1)
  }))

test('a file that is gone is told as DatabaseUnavailable to readers', () =>
  withThings(async (db, path) => {
    await rm(path)
    await rejects(db.read(countThings), DatabaseUnavailable)
  }))

test('a disk that is full is told as DatabaseUnavailable; what was acknowledged stays, and reads go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-full-'))
  const path = join(folder, 'nameplane.db')
  const script = new URL('fill-disk.ts', import.meta.url).pathname
  try {
    // A limit on the size of files stands in for the end of the disk; Node lets such writes fail instead of dying.
    const { stdout } = await run('sh', ['-c', `ulimit -f 2000; exec "$0" "$1" "$2"`, process.execPath, script, path])
    const told = JSON.parse(stdout) as { acknowledged: number; refusal: string; readable: number }
    match(told.refusal, /DatabaseUnavailable/)
    ok(told.acknowledged > 0)
    equal(told.readable, told.acknowledged)
    const db = openSqlite(path)
    equal(await db.read(countThings), told.acknowledged)
    deepEqual({ ...(await db.read((tx) => tx.get(sql`pragma integrity_check`))) }, { integrity_check: 'ok' })
    await db.write((tx) => add(tx, 1_000_000, 'there is room again'))
    await db.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
