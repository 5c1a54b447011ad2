import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { type Clock, timestamp } from '../../src/clock.ts'
import { sql } from '../../src/db/sql.ts'
import { startUpkeep } from '../../src/resources/upkeep.ts'
import { behind, remakeSome } from '../../src/resources/zones/remake.ts'
import type { NewStore, Problem } from '../support/api.ts'
import { linesOf } from '../support/zones.ts'
import { journalOf, mustAgree, type ShownSet, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

const defaultPool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
const servers = (...names: string[]) => ({ ns_records: names.map((hostname, i) => ({ hostname, priority: i + 1 })) })

/** The rules of what the service keeps itself: SOA and NS, the choice of pools, and upkeep. */
export function managedRules(engine: string, newStore: NewStore): void {
  describe(`what the service keeps on ${engine}`, () => {
    let api: ZonesApi
    beforeEach(async () => {
      api = await startZonesApi(newStore)
    })
    afterEach(() => api.close())

    const setOf = async (zone: { id: string }, type: string) =>
      (await api.list(`/openstack/v2/zones/${zone.id}/recordsets?type=${type}&limit=1`)).body.recordsets![0] as ShownSet

    /** Upkeep until `isDone`; what it logged. */
    async function upkeep(
      isDone: () => Promise<boolean>,
      options: { clock?: Clock; age?: number; most?: number } = {},
    ) {
      const lines: Record<string, unknown>[] = []
      const stream = new Writable({
        write(chunk, _encoding, done) {
          lines.push(JSON.parse(String(chunk)))
          done()
        },
      })
      const running = startUpkeep({
        db: api.db,
        clock: options.clock ?? (() => new Date()),
        log: pino(stream),
        purgeAgeSeconds: 604_800,
        journalAgeSeconds: options.age ?? 1_000_000,
        journalChangesPerZone: options.most ?? 1000,
        everyMilliseconds: 20,
      })
      try {
        for (let i = 0; i < 3000 && !(await isDone()); i += 1) await sleep(10)
        ok(await isDone(), 'upkeep gets there')
      } finally {
        await running.stop()
      }
      return lines
    }

    const allFollowed = async () => (await behind(api.db)).length === 0

    test('[N26] the SOA names the first server by priority, then name, and the contact; the NS are all servers in that order', async () => {
      const ns_records = [
        { hostname: 'z.ns.example.', priority: 1 },
        { hostname: 'a.ns.example.', priority: 2 },
        { hostname: 'B.ns.example.', priority: 1 },
      ]
      await api.patch(`/v2/pools/${defaultPool}`, { ns_records })
      const zone = await api.newZone('kept.example.', { email: 'first.last@example.org', ttl: 777 })
      deepEqual((await setOf(zone, 'NS')).records, ['B.ns.example.', 'z.ns.example.', 'a.ns.example.'])
      const [soa] = (await setOf(zone, 'SOA')).records
      const parts = /^B\.ns\.example\. first\\\.last\.example\.org\. (\d+) (\d+) 600 86400 3600$/.exec(soa!)
      ok(parts, String(soa))
      equal(Number(parts[1]), zone.serial)
      ok(Number(parts[2]) >= 3500 && Number(parts[2]) <= 3600)
      const [first] = await journalOf(api.db, zone.id)
      deepEqual(linesOf(first!.added), [
        `kept.example. 777 SOA ${soa}`,
        ...['B', 'z', 'a'].map((label) => `kept.example. 777 NS ${label}.ns.example.`),
      ])
    })

    test('[N26] the SOA follows every change of the zone, with the same id; both sets stay where they are', async () => {
      const zone = await api.newZone('follows.example.')
      const before = { soa: await setOf(zone, 'SOA'), ns: await setOf(zone, 'NS') }
      await api.newSet(zone, 'www.follows.example.', 'A', ['192.0.2.1'])
      const { body } = await api.patch(`/v2/zones/${zone.id}`, { email: 'other@example.net', ttl: 60 })
      const soa = await setOf(zone, 'SOA')
      equal(soa.id, before.soa.id)
      deepEqual([before.soa.action, soa.action], ['CREATE', 'UPDATE'])
      match(soa.records[0]!, new RegExp(`^ns1\\.nameplane\\.test\\. other\\.example\\.net\\. ${body.serial} `))
      deepEqual(await setOf(zone, 'NS'), before.ns)
      await mustAgree(api.db, zone)
    })

    test('[N27] zones follow a change of their pool’s servers: NS and SOA anew, in one serial each, told in the log', async () => {
      const zones = []
      for (let i = 0; i < 7; i += 1) zones.push(await api.newZone(`pool${i}.example.`, { ttl: 100 + i }))
      const secondary = await api.newZone('pool.secondary.example.', {
        type: 'SECONDARY',
        masters: ['192.0.2.1'],
        email: undefined,
      })
      await api.publish()
      await api.patch(
        `/v2/pools/${defaultPool}`,
        servers('ns2.nameplane.test.', 'ns1.nameplane.test.', 'ns3.nameplane.test.'),
      )
      const lines = await upkeep(allFollowed)
      ok(lines.some(({ msg, of, done }) => msg === 'zones have followed' && of === 8 && done === 8))
      for (const [i, zone] of zones.entries()) {
        const ns = await setOf(zone, 'NS')
        deepEqual(ns.records, ['ns2.nameplane.test.', 'ns1.nameplane.test.', 'ns3.nameplane.test.'])
        deepEqual([ns.version, ns.status], [2, 'PENDING'])
        notEqual(ns.updated_at, null)
        match((await setOf(zone, 'SOA')).records[0]!, /^ns2\.nameplane\.test\. /)
        const changes = await journalOf(api.db, zone.id)
        equal(changes.length, 2)
        deepEqual(linesOf(changes[1]!.added).slice(1), [
          `${zone.name} ${100 + i} NS ns2.nameplane.test.`,
          `${zone.name} ${100 + i} NS ns3.nameplane.test.`,
        ])
        deepEqual(linesOf(changes[1]!.removed).slice(1), [])
        await mustAgree(api.db, zone)
      }
      equal((await journalOf(api.db, secondary.id)).length, 1)
      const author = await api.db.read((tx) =>
        tx.get(sql`select user_id, request_id from changes order by at desc limit 1`),
      )
      deepEqual({ ...author }, { user_id: 'nameplane', request_id: 'name-servers-changed' })
    })

    test('[N27] what a crash half-way left is done after it, and nothing twice; two who do it at once do no harm', async () => {
      const zones = []
      for (let i = 0; i < 60; i += 1) zones.push(await api.newZone(`crash${i}.example.`))
      await api.patch(`/v2/pools/${defaultPool}`, servers('ns9.nameplane.test.'))
      // One batch is done and the next one dies in the middle of its transaction.
      equal(await remakeSome(api.db, defaultPool, new Date()), 50)
      const dying = new Error('power is gone')
      const died = await api.db
        .write(async (tx) => {
          await tx.run(sql`update zones set ns_revision = 99`)
          throw dying
        })
        .catch((error: unknown) => error)
      equal(died, dying)
      deepEqual(
        (await behind(api.db)).map(({ left }) => left),
        [10],
      )
      const writer = api.newSet(zones[59]!, 'www.crash59.example.', 'A', ['192.0.2.1'])
      await Promise.all([upkeep(allFollowed), upkeep(allFollowed), writer])
      for (const zone of zones) {
        deepEqual((await setOf(zone, 'NS')).records, ['ns9.nameplane.test.'])
        await mustAgree(api.db, zone)
      }
      const changes = await api.db.read((tx) => tx.get<{ n: number }>(sql`select count(*) as n from changes`))
      equal(changes!.n, 121)
    })

    test('[N24] a deleted zone and all it held are kept for the purge age, then removed; hard deletes go at once', async () => {
      const [kept, hard] = [await api.newZone('kept.example.'), await api.newZone('hard.example.')]
      for (const zone of [kept, hard]) await api.newSet(zone, `www.${zone.name}`, 'A', ['192.0.2.1'])
      await api.delete(`/v2/zones/${kept.id}`)
      await api.delete(`/v2/zones/${hard.id}`, { 'X-Designate-Hard-Delete': 'true' })
      const rows = async (table: 'zones' | 'recordsets' | 'records' | 'changes') => {
        const text = { zones: sql`zones`, recordsets: sql`recordsets`, records: sql`records`, changes: sql`changes` }[
          table
        ]
        return (await api.db.read((tx) => tx.get<{ n: number }>(sql`select count(*) as n from ${text}`)))!.n
      }
      const counts = async () => [
        await rows('zones'),
        await rows('recordsets'),
        await rows('records'),
        await rows('changes'),
      ]
      deepEqual(await counts(), [2, 6, 4, 4])
      await upkeep(async () => true)
      deepEqual(await counts(), [2, 6, 4, 4], 'not while a server may have them')
      await api.publish()
      await upkeep(async () => (await rows('zones')) === 1)
      deepEqual(await counts(), [1, 3, 2, 2])
      const later: Clock = () => new Date(Date.now() + 604_801_000)
      await upkeep(async () => (await rows('zones')) === 0, { clock: later })
      deepEqual(await counts(), [0, 0, 0, 0])
    })

    test('[N24] a pool can be deleted while zones that were in it are kept', async () => {
      const pool = (await api.post('/v2/pools', { name: 'short-lived', ...servers('ns1.other.test.') })).body
      const zone = await api.newZone('moved.example.')
      await api.db.write((tx) => tx.run(sql`update zones set pool_id = ${pool.id} where id = ${zone.id}`))
      equal((await api.refused('DELETE', `/v2/pools/${pool.id}`))[1], 'invalid_operation')
      await api.delete(`/v2/zones/${zone.id}`)
      await api.publish()
      equal((await api.delete(`/v2/pools/${pool.id}`)).status, 204)
    })

    test('[N32] a pool without name servers takes no zone', async () => {
      const pool = (await api.post('/v2/pools', { name: 'empty' })).body
      const scheduled = await startZonesApi(newStore, { schedulerFilters: ['pool_id_attribute'] })
      try {
        const other = (await scheduled.post('/v2/pools', { name: 'empty' })).body
        notEqual(other.id, pool.id)
        const body = { name: 'nowhere.example.', email: 'a@example.org', attributes: { pool_id: other.id } }
        const response = await fetch(`${scheduled.url}/v2/zones`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        })
        deepEqual([response.status, ((await response.json()) as Problem).type], [500, 'no_servers_configured'])
      } finally {
        await scheduled.close()
      }
    })

    test('[N28] the scheduler’s filters choose the pool of a zone', async () => {
      type Filters = NonNullable<Parameters<typeof startZonesApi>[1]>['schedulerFilters'] & {}
      const scheduled = async (
        schedulerFilters: Filters,
        work: (one: ZonesApi, pools: Record<string, string>) => Promise<void>,
      ) => {
        const one = await startZonesApi(newStore, { schedulerFilters })
        try {
          const ids: Record<string, string> = { default: defaultPool }
          for (const [name, attributes] of [
            ['gold', { tier: 'gold', fast: 'yes' }],
            ['iron', { tier: 'iron' }],
          ] as const)
            ids[name] = (await one.post('/v2/pools', { name, attributes, ...servers(`ns.${name}.test.`) })).body.id
          await one.patch(`/v2/pools/${defaultPool}`, { attributes: { tier: 'default' } })
          await work(one, ids)
        } finally {
          await one.close()
        }
      }
      let made = 0
      const poolOf = async (one: ZonesApi, attributes: object, headers = {}) => {
        made += 1
        const body = { name: `z${made}.example.`, email: 'a@example.org', attributes }
        const response = await fetch(`${one.url}/v2/zones`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
        const answer = (await response.json()) as Problem & { pool_id: string }
        return answer.pool_id ?? `${response.status} ${answer.type}`
      }
      await scheduled(['default_pool'], async (one) => equal(await poolOf(one, { tier: 'gold' }), defaultPool))
      await scheduled(['attribute'], async (one, { gold }) => {
        equal(await poolOf(one, { tier: 'gold' }), gold)
        equal(await poolOf(one, { tier: 'gold', fast: 'True' }), gold)
        equal(await poolOf(one, { tier: 'lead' }), '404 no_valid_pool_found')
        equal(await poolOf(one, {}), '500 multiple_pools_found')
      })
      await scheduled(['attribute', 'fallback', 'in_doubt_default_pool'], async (one, { iron }) => {
        equal(await poolOf(one, { tier: 'iron' }), iron)
        equal(await poolOf(one, { tier: 'lead' }), defaultPool)
        equal(await poolOf(one, {}), defaultPool)
      })
      await scheduled(['pool_id_attribute', 'random'], async (one, { gold, iron }) => {
        equal(await poolOf(one, { pool_id: gold }), gold)
        equal(await poolOf(one, { pool_id: 'nothing' }), '404 no_valid_pool_found')
        equal(await poolOf(one, { pool_id: gold }, { 'X-Roles': 'member' }), '403 forbidden')
        ok([gold, iron, defaultPool].includes(await poolOf(one, {})))
      })
    })

    test('[J5] upkeep keeps the newest change, what is not published, and else what is young and not too much', async () => {
      const [busy, quiet, behindhand] = [
        await api.newZone('busy.example.'),
        await api.newZone('quiet.example.'),
        await api.newZone('late.example.'),
      ]
      for (let i = 0; i < 6; i += 1) await api.newSet(busy, `n${i}.busy.example.`, 'A', ['192.0.2.1'])
      await api.publish()
      for (let i = 0; i < 6; i += 1) await api.newSet(behindhand, `n${i}.late.example.`, 'A', ['192.0.2.1'])
      const count = async ({ id }: { id: string }) =>
        (await api.db.read((tx) =>
          tx.get<{ n: number }>(sql`select count(*) as n from changes where zone_id = ${id}`),
        ))!.n
      const counts = async () => [await count(busy), await count(quiet), await count(behindhand)]
      deepEqual(await counts(), [7, 1, 7])
      await upkeep(async () => (await count(busy)) === 3, { most: 3 })
      deepEqual(await counts(), [3, 1, 6], 'the first of the late one is published')
      const later: Clock = () => new Date(Date.now() + 3_600_000)
      await upkeep(async () => (await count(busy)) === 1, { clock: later, age: 60 })
      deepEqual(await counts(), [1, 1, 6])
      await api.publish()
      await api.newSet(behindhand, 'more.late.example.', 'A', ['192.0.2.1'])
      await upkeep(async () => (await count(behindhand)) === 1, { clock: later, age: 60 })
      const left = await api.db.read((tx) => tx.all<{ at: string }>(sql`select at from changes`))
      ok(left.every(({ at }) => at <= timestamp(new Date())))
    })
  })
}
