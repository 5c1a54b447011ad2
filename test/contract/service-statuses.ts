import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { type Database, sql } from '../../src/db/sql.ts'
import { startHeartbeat } from '../../src/resources/service-statuses/heartbeat.ts'
import { beat, type Process, stop } from '../../src/resources/service-statuses/store.ts'
import { type Api, type NewStore, type Shown, startTestApi } from '../support/api.ts'
import { as } from './transfers.ts'

const path = '/v2/service_statuses'
const nowhere = '00000000-0000-0000-0000-00000000dead'
const here: Process = { hostname: 'here', instance: '/data' }
const start = Date.UTC(2026, 10, 15, 8, 0, 0)
const log = pino({ level: 'silent' })

/** The rules of service statuses. */
export function serviceStatusRules(engine: string, newStore: NewStore): void {
  describe(`service statuses on ${engine}`, () => {
    let api: Api
    let now = new Date(start)
    before(async () => {
      api = await startTestApi(newStore, { clock: () => now })
    })
    beforeEach(async () => {
      now = new Date(start)
      await api.db.write((tx) => tx.run(sql`delete from service_statuses`))
    })
    after(() => api.close())

    const later = (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000)
    }
    const beats = (process: Process, ...roles: Parameters<typeof beat>[2]) =>
      api.db.write((tx) => beat(tx, process, roles, now))
    const all = async (query = '') => (await api.list(path + query)).body.service_statuses!
    const names = async (query: string) => (await all(query)).map(({ service_name }) => service_name)

    test('[V1] every role of every process is listed with exactly these fields', async () => {
      await beats(here, 'api', 'mdns')
      for (const mount of ['/v2', '/openstack/v2']) {
        for (const word of ['service_statuses', 'service_status']) {
          const { status, body } = await api.list(`${mount}/${word}`)
          equal(status, 200)
          deepEqual(Object.keys(body), ['service_statuses', 'links'])
          deepEqual(body.links, { self: `${api.url}${mount}/${word}` })
          const [first] = body.service_statuses!
          deepEqual(first, {
            id: first!.id,
            hostname: 'here',
            service_name: 'api',
            status: 'UP',
            stats: {},
            capabilities: {},
            heartbeated_at: '2026-11-15T08:00:00.000000',
            created_at: '2026-11-15T08:00:00.000000',
            updated_at: null,
            links: { self: `${api.url}${mount}/service_statuses/${first!.id}` },
          })
          deepEqual((await api.get(`${mount}/${word}/${first!.id}`)).body, first)
        }
      }
    })

    test('[V1] statuses need an administrator, and none is written by clients', async () => {
      equal((await api.get(path, as('p'))).status, 403)
      equal((await api.get(`${path}/${nowhere}`, as('p'))).status, 403)
      const unknown = await api.get(`${path}/${nowhere}`)
      deepEqual(
        [unknown.status, unknown.body.type, unknown.body.message],
        [404, 'service_status_not_found', 'Could not find ServiceStatus'],
      )
      equal((await api.post(path, {})).status, 405)
      deepEqual((await api.get(`${path}/x`)).body.message, 'Invalid UUID service_id: x')
    })

    test('[V2] statuses are filtered and sorted', async () => {
      await beats(here, 'worker', 'api', 'mdns')
      later(20)
      await beats({ hostname: 'there', instance: '/data' }, 'api', 'central')
      await beats(here, 'api')
      later(20)
      deepEqual(await names('?hostname=there'), ['api', 'central'])
      deepEqual(await names('?service_name=api&hostname=h*'), ['api'])
      deepEqual(await names('?status=DOWN'), ['worker', 'mdns'])
      deepEqual(await names('?status=UP'), ['api', 'api', 'central'])
      deepEqual(await names('?sort_key=service_name'), ['api', 'api', 'central', 'mdns', 'worker'])
      deepEqual((await names('?sort_key=status&sort_dir=desc')).slice(3).toSorted(), ['mdns', 'worker'])
      deepEqual((await names('?sort_key=updated_at')).at(-1), 'api')
      deepEqual((await names('?sort_key=hostname&sort_dir=desc')).slice(0, 2), ['central', 'api'])
      const ids = (await all()).map(({ id }) => id)
      const paged: string[] = []
      for (let next: string | undefined = `${path}?limit=2&sort_key=status`; next !== undefined && paged.length < 9; ) {
        const { body } = await api.list(next)
        paged.push(...body.service_statuses!.map(({ id }) => id))
        next = body.links.next?.slice(api.url.length)
      }
      deepEqual(paged.toSorted(), ids.toSorted())
      deepEqual((await api.get(`${path}?bogus=1`)).body.type, 'bad_request')
      deepEqual((await api.get(`${path}?sort_key=stats`)).body.type, 'invalid_sort_key')
    })

    test('[V3] one write says that all roles of a process are there; its rows stay the same after a restart', async () => {
      const counted = countingWrites(api.db)
      await counted.db.write((tx) => beat(tx, here, ['api', 'central', 'mdns'], now))
      equal(counted.writes(), 1)
      const first = await all()
      later(10)
      await beats(here, 'api', 'central', 'mdns')
      const second = await all()
      deepEqual(
        second.map(({ id }) => id),
        first.map(({ id }) => id),
      )
      for (const row of second) {
        deepEqual([row.heartbeated_at, row.updated_at], ['2026-11-15T08:00:10.000000', '2026-11-15T08:00:10.000000'])
        equal(row.created_at, '2026-11-15T08:00:00.000000')
      }
      await beats({ ...here, instance: '/other' }, 'api')
      equal((await all()).length, 4, 'another process on the same host')
    })

    test('[V4] who was not heard of for 30 seconds is DOWN, who stopped in good order STOPPED, and who is back UP', async () => {
      await beats(here, 'api')
      const [row] = await all()
      const status = async () => (await api.get<Shown>(`${path}/${row!.id}`)).body.status
      later(30)
      equal(await status(), 'UP')
      later(1)
      equal(await status(), 'DOWN')
      await beats(here, 'api')
      equal(await status(), 'UP')
      await api.db.write((tx) => stop(tx, here, now))
      equal(await status(), 'STOPPED')
      later(100)
      deepEqual(await names('?status=STOPPED'), ['api'])
      await beats(here, 'api')
      equal(await status(), 'UP')
    })

    test('[V4] a row nobody has heard of for a week is removed', async () => {
      await beats({ hostname: 'old', instance: 'x' }, 'api')
      later(6 * 86_400)
      await beats(here, 'api')
      equal((await all()).length, 2)
      later(86_401)
      await beats(here, 'api')
      deepEqual(
        (await all()).map(({ hostname }) => hostname),
        ['here'],
      )
    })

    test('[V3] the heart beats again and again with the roles that are alive, and tells when it stops', async () => {
      let alive: ('api' | 'mdns')[] = ['api', 'mdns']
      let ticks = 0
      const clock = () => new Date(start + 1000 * ticks++)
      const options = { db: api.db, clock, log, ...here, roles: () => alive, everyMilliseconds: 5 }
      const heartbeat = startHeartbeat(options)
      await until(() => ticks >= 3)
      alive = ['api']
      const from = ticks
      await until(() => ticks >= from + 3)
      await heartbeat.stop()
      const rows = await all()
      deepEqual(
        rows.map(({ service_name, status }) => `${service_name} ${status}`),
        ['api STOPPED', 'mdns STOPPED'],
      )
      ok(rows[0]!.heartbeated_at! > rows[1]!.heartbeated_at!, 'only the living one went on')
      const stopped = ticks
      await sleep(30)
      equal(ticks, stopped)
    })

    test('[V5] a heartbeat that cannot be written stops nothing, and the next one is', async () => {
      let failures = 3
      const lines: string[] = []
      const failing: Database = Object.assign(Object.create(api.db) as Database, {
        write: <T>(work: Parameters<typeof api.db.write<T>>[0]) =>
          failures-- > 0 ? Promise.reject(new Error('no disk')) : api.db.write(work),
      })
      const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
      const options = { db: failing, clock: () => now, log: logger, ...here, roles: () => ['api'] as const }
      const heartbeat = startHeartbeat({ ...options, everyMilliseconds: 5 })
      await until(async () => (await all()).length === 1)
      await heartbeat.stop()
      equal(lines.length, 3)
      match(lines[0]!, /heartbeat was not written/)
      failures = 1
      await startHeartbeat({ ...options, everyMilliseconds: 5 }).stop()
    })
  })
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await isSo())) {
    ok(Date.now() < deadline, 'it took too long')
    await sleep(5)
  }
}

function countingWrites(db: Database): { db: Database; writes: () => number } {
  let writes = 0
  const counting: Database = Object.assign(Object.create(db) as Database, {
    write: <T>(work: Parameters<typeof db.write<T>>[0]) => {
      writes += 1
      return db.write(work)
    },
  })
  return { db: counting, writes: () => writes }
}
