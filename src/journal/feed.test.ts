import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sqliteStore } from '../../test/support/api.ts'
import { startZonesApi, type ZonesApi } from '../../test/support/zones-api.ts'
import { timestamp } from '../clock.ts'
import { type Database, sql } from '../db/sql.ts'
import { type ChangedZone, type FeedOptions, followZones } from './feed.ts'

let api: ZonesApi
before(async () => {
  api = await startZonesApi(sqliteStore)
})
after(() => api.close())

/** As if every wake were lost. */
const silent = (): Database => ({ ...api.db, follow: () => () => {} })

/** Changes a zone's row with a moment of somebody's clock. */
const touch = (id: string, at: Date) =>
  api.db.write((tx) =>
    tx.run(sql`update zones set serial = serial + 1, changed_at = ${timestamp(at)} where id = ${id}`),
  )

/** Follows from now on and knows what it was told. */
function following(db: Database, more: Partial<FeedOptions> = {}) {
  const known = new Map<string, number>()
  const told: string[] = []
  const errors: unknown[] = []
  const feed = followZones(db, new Date(), {
    isKnown: ({ id, serial }) => known.get(id) === serial,
    onZones: async (zones: readonly ChangedZone[]) => {
      for (const { id, serial } of zones) {
        known.set(id, serial)
        told.push(id)
      }
    },
    onError: (error) => errors.push(error),
    pollMilliseconds: 10,
    ...more,
  })
  const reaches = async (id: string, times: number) => {
    for (let i = 0; i < 2000 && told.filter((one) => one === id).length < times; i++) await sleep(10)
    equal(told.filter((one) => one === id).length, times)
  }
  return { told, errors, reaches, stop: () => feed.stop() }
}

test('[S73] a clock that is ahead hides nobody else’s changes, nor one that stepped back its own', async () => {
  const [ahead, other] = [await api.newZone('ahead.example.'), await api.newZone('other.example.')]
  const feed = following(silent())
  try {
    await feed.reaches(ahead.id, 1)
    await feed.reaches(other.id, 1)
    const hour = 3_600_000
    await touch(ahead.id, new Date(Date.now() + hour))
    await feed.reaches(ahead.id, 2)
    await touch(other.id, new Date())
    await feed.reaches(other.id, 2)
    await touch(ahead.id, new Date())
    await feed.reaches(ahead.id, 3)
    // Half a minute behind: too much for the usual look back, not for the long one.
    await touch(other.id, new Date(Date.now() - 30_000))
    await feed.reaches(other.id, 3)
    deepEqual(feed.errors, [])
  } finally {
    await feed.stop()
  }
})

test('[S70] changes of one moment are all told, each once', async () => {
  const zones = await Promise.all(Array.from({ length: 20 }, (_, i) => api.newZone(`same${i}.example.`)))
  const feed = following(silent())
  try {
    for (const { id } of zones) await feed.reaches(id, 1)
    const moment = new Date()
    for (const { id } of zones) await touch(id, moment)
    for (const { id } of zones) await feed.reaches(id, 2)
    await touch(zones[0]!.id, moment)
    await feed.reaches(zones[0]!.id, 3)
    await sleep(100)
    equal(feed.told.filter((id) => zones.some((zone) => zone.id === id)).length, 41)
  } finally {
    await feed.stop()
  }
})

test('[S73] who fails is woken again for the same zones, and nothing is told in between', async () => {
  const zone = await api.newZone('failing.example.')
  let failures = 0
  const feed = following(api.db, {
    pollMilliseconds: 600_000,
    onZones: async () => {
      failures++
      throw new Error('not now')
    },
  })
  try {
    await api.newSet(zone, 'a.failing.example.', 'A', ['192.0.2.1'])
    for (let i = 0; i < 2000 && failures < 3; i++) await sleep(10)
    ok(failures >= 3)
  } finally {
    await feed.stop()
  }
})

test('[S73] polling takes a tenth of the time at most, however slow the database is', async () => {
  let reads = 0
  const slow: Database = {
    ...silent(),
    read: async (work) => {
      reads++
      await sleep(40)
      return api.db.read(work)
    },
  }
  const feed = following(slow, { pollMilliseconds: 1 })
  const start = performance.now()
  await sleep(1000)
  for (let i = 0; i < 1000 && reads < 2; i++) await sleep(10)
  await feed.stop()
  const took = performance.now() - start
  ok(reads >= 2 && reads <= 2 + took / 250, `${reads} polls of 40 ms in ${took} ms`)
})
