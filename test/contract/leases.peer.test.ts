import { ok, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claim, mustHold } from '../../src/backends/leases.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { DatabaseUnavailable } from '../../src/db/sql.ts'
import { defaultPoolId as pool } from '../../src/resources/pools/fields.ts'
import { type NewStore, startTestApi } from '../support/api.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { leaseRules } from './leases.ts'

let server: Postgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const postgresStore: NewStore = async () => {
  const db = openPostgres(await server.createDatabase(), () => {})
  return { db, remove: () => db.close() }
}

leaseRules('PostgreSQL', postgresStore)

test('[W80] a process that stands still in the midst of a write does not keep others from its pools', async () => {
  const url = await server.createDatabase()
  const other = openPostgres(url, () => {})
  const api = await startTestApi(async () => {
    const db = openPostgres(url, () => {})
    return { db, remove: () => db.close() }
  })
  const stuck = api.db
  try {
    const now = new Date('2026-01-01T00:00:00Z')
    const lease = await stuck.write((tx) => claim(tx, pool, 'stuck', now))
    let isHeld = () => {}
    const held = new Promise<void>((resolve) => {
      isHeld = resolve
    })
    const standing = stuck.write(async (tx) => {
      await mustHold(tx, lease!)
      isHeld()
      await sleep(12_000)
      await mustHold(tx, lease!)
    })
    const refused = rejects(standing, DatabaseUnavailable)
    await held
    ok(await other.write((tx) => claim(tx, pool, 'other', new Date(now.getTime() + 60_000))))
    await refused
  } finally {
    await api.close()
    await other.close()
  }
})
