import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { claim, endLeases, LeaseLost, leaseMilliseconds, mustHold, release, renew } from '../../src/backends/leases.ts'
import { Recorder } from '../../src/backends/recorder.ts'
import { type Database, sql } from '../../src/db/sql.ts'
import { openLog } from '../../src/log.ts'
import { defaultPoolId as pool } from '../../src/resources/pools/fields.ts'
import { type Api, type NewStore, startTestApi } from '../support/api.ts'
import { until } from '../support/served.ts'

const start = new Date('2026-01-01T00:00:00Z')
const later = (milliseconds: number) => new Date(start.getTime() + milliseconds)

/** Who may deliver a pool. */
export function leaseRules(engine: string, newStore: NewStore): void {
  describe(`leases on ${engine}`, () => {
    let api: Api
    let db: Database
    before(async () => {
      api = await startTestApi(newStore)
      db = api.db
    })
    after(() => api.close())
    const take = (holder: string, now: Date) => db.write((tx) => claim(tx, pool, holder, now))
    const hold = (lease: Parameters<typeof mustHold>[1]) => db.write((tx) => mustHold(tx, lease))

    test('[W80] of many who want a pool at the same time one gets it, and the others when its lease ran out', async () => {
      const claims = await Promise.all(Array.from({ length: 8 }, (_, i) => take(`p${i}`, start)))
      const [lease, ...others] = claims.filter((one) => one !== undefined)
      deepEqual([others.length, lease!.fence], [0, 1])
      equal(await take('late', later(leaseMilliseconds)), undefined)
      await db.write((tx) => renew(tx, lease!, later(5000)))
      equal(await take('late', later(leaseMilliseconds + 1000)), undefined)
      const next = await take('late', later(leaseMilliseconds + 5001))
      equal(next!.fence, 2)
      await rejects(hold(lease!), LeaseLost)
      await rejects(
        db.write((tx) => renew(tx, lease!, later(20_000))),
        LeaseLost,
      )
      await hold(next!)
      equal(await db.write((tx) => release(tx, lease!)), 0)
      equal(await db.write((tx) => release(tx, next!)), 1)
      const again = await take('late', later(0))
      equal(again!.fence, 3)
      await rejects(hold(next!), LeaseLost)
      await db.write(endLeases)
      await rejects(hold(again!), LeaseLost)
      equal(await db.write((tx) => claim(tx, '00000000-0000-4000-8000-000000000000', 'p', start)), undefined)
    })

    test("[W80] what was seen under a lease that is another one's by now is not written down", async () => {
      const first = await take('first', later(100_000))
      const log = openLog({ level: 'silent', format: 'json' })
      const recorder = new Recorder({ db, lease: first!, clock: () => later(100_000), log })
      const rows = () =>
        db.read((tx) => tx.all(sql`select server_id, status, error from pool_server_states order by server_id`))
      recorder.state({ server_id: 'a', status: 'UP', error: null })
      ok(await until(async () => (await rows()).length === 1))
      const second = await take('second', later(200_000))
      ok(second !== undefined)
      recorder.state({ server_id: 'a', status: 'DOWN', error: 'old news' })
      recorder.state({ server_id: 'b', status: 'DOWN', error: 'old news' })
      await new Promise((resolve) => setTimeout(resolve, 100))
      await recorder.stop()
      deepEqual(
        (await rows()).map((row) => ({ ...(row as object) })),
        [{ server_id: 'a', status: 'UP', error: null }],
      )
    })
  })
}
