import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import type { PoolConfig, ProofServer } from './config.ts'
import { Job } from './job.ts'
import type { ZoneRow } from './rows.ts'

const server = (id: string): ProofServer => ({ id, role: 'nameserver', host: `${id}.test`, port: 53, key: undefined })
const config = (servers: readonly string[], more: Partial<PoolConfig> = {}): PoolConfig => ({
  id: 'pool',
  name: 'pool',
  targets: [],
  servers: servers.map(server),
  alsoNotify: [],
  threshold: servers.length,
  graceMilliseconds: 60_000,
  catalog: null,
  ...more,
})
const zone = (more: Partial<ZoneRow> = {}): ZoneRow => ({
  id: 'zone',
  name: 'example.org.',
  ttl: 3600,
  type: 'PRIMARY',
  pool_id: 'pool',
  serial: 10,
  published_serial: 0,
  ns_revision: 0,
  attributes: '{}',
  transferred_at: null,
  trouble: null,
  changed_at: '2026-01-01T00:00:00.000000',
  deleted_at: null,
  gone_at: null,
  ...more,
})
const deleted = zone({ deleted_at: '2026-01-01T00:00:01.000000', published_serial: 10 })
const quiet = () => undefined
const absent = { absent: 'it does not have the zone' }

test('[W70] a zone is published once as many servers as are needed show it, and done once all do', () => {
  const job = new Job(zone(), [], config(['a', 'b', 'c'], { threshold: 2 }), Date.now())
  job.sees('a', { serial: 10 })
  equal(job.takePublishable(), undefined)
  job.sees('b', { serial: 10 })
  deepEqual([job.takePublishable(), job.takePublishable(), job.isPublished, job.isDone], [10, undefined, true, false])
  job.awaitTarget('t', true)
  job.sees('c', { serial: 10 })
  equal(job.isDone, false)
  job.settled('t')
  equal(job.isDone, true)
})

test('[W71] what enough servers show is published, though it be not the last change', () => {
  const job = new Job(zone({ published_serial: 7 }), [], config(['a', 'b']), Date.now())
  job.sees('a', { serial: 10 })
  job.sees('b', { serial: 9 })
  deepEqual([job.takePublishable(), job.isPublished], [9, false])
  job.sees('b', { serial: 10 })
  deepEqual([job.takePublishable(), job.isDone], [10, true])
})

test('[W71] what was seen before counts, and only what is seen anew is written down', () => {
  const seen = [{ zone_id: 'zone', server_id: 'a', serial: 10, error: null }]
  const job = new Job(zone(), seen, config(['a']), Date.now())
  deepEqual([job.isShownBy('a'), job.takePublishable()], [true, 10])
  equal(job.sees('a', { serial: 10 }), undefined)
  deepEqual(job.sees('a', absent), { zone_id: 'zone', server_id: 'a', serial: null, error: absent.absent })
  equal(job.sees('a', absent), undefined)
  deepEqual(job.missingAt, ['a'])
})

test('[W89] a server with a newer serial than ours did not get it from us, and proves nothing', () => {
  const job = new Job(zone(), [], config(['a']), Date.now())
  match(job.sees('a', { serial: 11 })!.error!, /newer than ours/)
  deepEqual([job.takePublishable(), job.isDone], [undefined, false])
})

test('[W95] that a server refuses NOTIFY is told where it lacks something, and not where it shows what is wanted', () => {
  const job = new Job(zone(), [], config(['a']), Date.now())
  match(job.sees('a', { serial: 9 }, 'NOTAUTH')!.error!, /^it refuses NOTIFY from us \(NOTAUTH\)/)
  match(job.sees('a', absent, 'REFUSED')!.error!, /does not have the zone; it refuses NOTIFY from us \(REFUSED\)/)
  equal(job.sees('a', { serial: 9 }, null)!.error, null)
  equal(job.sees('a', { serial: 10 }, 'REFUSED')!.error, null)
})

test('[W74] trouble is told after the grace, again when it becomes another, and is over when the zone is shown', () => {
  const pool = config(['a', 'b'], { graceMilliseconds: 1000 })
  const early = new Job(zone(), [], pool, Date.now())
  equal(early.takeTrouble(quiet), undefined)
  const job = new Job(zone(), [], pool, Date.now() - 2000)
  job.sees('a', { serial: 10 })
  job.sees('b', { serial: 8 })
  equal(job.takeTrouble(quiet), '1 of 2 show serial 10, 2 must; b.test:53: it shows serial 8')
  equal(job.takeTrouble(quiet), undefined)
  equal(
    job.takeTrouble(() => 'it does not answer'),
    '1 of 2 show serial 10, 2 must; b.test:53: it does not answer',
  )
  equal(job.isOverTrouble, false)
  job.sees('b', { serial: 10 })
  job.takePublishable()
  deepEqual([job.isOverTrouble, job.isOverTrouble, job.takeTrouble(quiet)], [true, false, undefined])
})

test('[W74] why a target refused a zone stands in the trouble', () => {
  const target = { id: 't', type: 'knot', masters: [], options: {}, key: undefined, changedAt: '' }
  const job = new Job(zone(), [], config(['a'], { targets: [target], graceMilliseconds: 0 }), Date.now() - 1)
  job.awaitTarget('t', true)
  job.refused('t', 'no')
  match(job.takeTrouble(quiet)!, /a\.test:53: it has not shown the zone yet; knot: no$/)
})

test('[W72] a deleted zone is gone once enough servers have it no more, or its grace is over', () => {
  const job = new Job(deleted, [], config(['a', 'b'], { threshold: 1 }), Date.now())
  job.awaitTarget('of b, which is silent', true)
  job.sees('a', { serial: 10 })
  equal(job.isGone, false)
  job.sees('a', absent)
  equal(job.isGone, true)
  const late = new Job(deleted, [], config(['a'], { graceMilliseconds: 1000 }), Date.now() - 2000)
  late.sees('a', { serial: 10 })
  equal(late.isGone, true)
  equal(late.takeTrouble(quiet), undefined)
})

test('[W73] of a deleted zone whose name lives on, only that its targets dropped it proves that it is gone', () => {
  const job = new Job(deleted, [], config(['a']), Date.now())
  job.hasNamesake = true
  job.awaitTarget('t', true)
  job.sees('a', absent)
  equal(job.isGone, false)
  job.sees('a', { serial: 11 })
  job.settled('t')
  equal(job.isGone, true)
})

test('a row is news for its serial, its deletion and its group', () => {
  const job = new Job(zone(), [], config(['a']), Date.now())
  const news = [zone({ serial: 11 }), deleted, zone({ attributes: '{"catalog_group":"g"}' })]
  deepEqual(
    news.map((row) => job.isNews(row)),
    [true, true, true],
  )
  equal(job.isNews(zone({ published_serial: 10, trouble: 'x' })), false)
})
