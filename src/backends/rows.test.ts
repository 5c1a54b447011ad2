import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { sqliteStore } from '../../test/support/api.ts'
import { migrate } from '../db/migrate.ts'
import type { Statement, Tx } from '../db/sql.ts'
import { catalogSerialOf, otherNamesakes } from './rows.ts'

test('what is asked before every zone that is given is found by an index, however many zones there are', async () => {
  const { db, remove } = await sqliteStore()
  try {
    await migrate(db, new Date())
    const plans = await db.read(async (tx) => {
      const found: string[] = []
      const explain = async <T>(statement: Statement): Promise<T[]> => {
        const text = `explain query plan ${statement.sql}`
        const steps = await tx.all<{ detail: string }>({ sql: text, text, values: statement.values })
        found.push(steps.map(({ detail }) => detail).join(' / '))
        return []
      }
      const explained: Tx = { ...tx, all: explain, get: async (statement) => (await explain<never>(statement))[0] }
      await otherNamesakes(explained, 'target', [{ id: 'zone', name: 'Example.org.' }])
      await catalogSerialOf(explained, 'pool')
      return found
    })
    deepEqual(plans.length, 2)
    match(plans[0]!, /target_zones_name \(target_id=\? AND <expr>=\?\)/)
    match(plans[1]!, /zones_pool \(pool_id=\? AND ns_revision=\?\)/)
  } finally {
    await remove()
  }
})
