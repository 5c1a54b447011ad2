import { deepEqual, equal } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { type Database, sql } from '../../src/db/sql.ts'
import { newId } from '../../src/ids.ts'
import { addToCount, countOf, lockCount } from '../../src/resources/quotas/counts.ts'
import type { NewStore } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { quotaRules } from './quotas.ts'
import { tsigkeyRules } from './tsigkeys.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

quotaRules('PostgreSQL', postgresStore)
tsigkeyRules('PostgreSQL', postgresStore)

async function withSchema(work: (db: Database) => Promise<void>): Promise<void> {
  const { db, remove } = await postgresStore()
  try {
    await migrate(db, new Date())
    await work(db)
  } finally {
    await remove()
  }
}

/** Takes one more if there is room, as whoever creates a zone does; tells how often it had to begin. */
async function take(db: Database, room: number): Promise<{ took: boolean; begun: number }> {
  let begun = 0
  const took = await db.write(async (tx) => {
    begun += 1
    if ((await lockCount(tx, 'p', 'zones')) >= room) return false
    await addToCount(tx, 'p', 'zones', 1, newId())
    return true
  })
  return { took, begun }
}

test('[Q9] of many who race for the last places of a quota exactly as many win, on the very first use too', () =>
  withSchema(async (db) => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => take(db, 7)))
    equal(answers.filter(({ took }) => took).length, 7)
    equal(await db.read((tx) => countOf(tx, 'p', 'zones')), 7)
  }))

test('[Q9] who locks a count and who only adds to it never wait in a circle', () =>
  withSchema(async (db) => {
    const adds = (n: number) => db.write((tx) => addToCount(tx, 'p', 'zones', n, newId()))
    const rounds = Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0 ? adds(1) : i % 3 === 1 ? adds(-1) : take(db, 1000),
    )
    const answers = await Promise.all(rounds)
    const begun = answers.map((answer) => (typeof answer === 'object' ? answer.begun : 1))
    deepEqual(new Set(begun), new Set([1]), 'nothing had to be done again')
    equal(await db.read((tx) => countOf(tx, 'p', 'zones')), 20)
  }))

test('[Q9] what is counted while a count is locked waits for the lock', () =>
  withSchema(async (db) => {
    const order: string[] = []
    let adding: Promise<unknown> | undefined
    await db.write(async (tx) => {
      await lockCount(tx, 'p', 'zones')
      adding = db.write((other) => addToCount(other, 'p', 'zones', 1, newId())).then(() => order.push('added'))
      await tx.get(sql`select 1 as slept from pg_sleep(0.2)`)
      equal(await lockCount(tx, 'p', 'zones'), 0)
      order.push('unlocked')
    })
    await adding
    deepEqual(order, ['unlocked', 'added'])
  }))
