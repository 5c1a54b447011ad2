import { deepEqual, equal, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DatabaseUnavailable, sql } from './sql.ts'
import { Connection } from './sqlite-connection.ts'
import { Scanners, scanThreads } from './sqlite-scanners.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-scanners-'))
after(() => rmSync(folder, { recursive: true }))

const patience = { timeout: 20_000 }

test('[H27] search threads that could not open the database are replaced once it is there', patience, async () => {
  const path = join(folder, 'late.db')
  const scanners = new Scanners(path)
  const one = () => scanners.use((tx) => tx.get<{ one: number }>(sql`select 1 as one`))
  // More at once than there are threads: some wait for one that ends.
  const results = await Promise.allSettled(Array.from({ length: scanThreads + 2 }, one))
  deepEqual(
    new Set(results.map((result) => result.status === 'rejected' && result.reason.constructor)),
    new Set([DatabaseUnavailable]),
  )
  new Connection(path, false).close()
  equal((await one())?.one, 1)
  await scanners.close()
})

test(
  '[H27] a search that meets a lock is told that the database is away, not that something is wrong',
  patience,
  async () => {
    const path = join(folder, 'locked.db')
    const holder = new Connection(path, false)
    holder.exec('create table t (a); pragma journal_mode = delete')
    const scanners = new Scanners(path)
    const count = () => scanners.use((tx) => tx.get(sql`select count(*) as n from t`))
    await count()
    holder.exec('begin exclusive')
    await rejects(count(), DatabaseUnavailable)
    holder.exec('rollback')
    deepEqual({ ...(await count()) }, { n: 0 })
    await scanners.close()
    holder.close()
  },
)
