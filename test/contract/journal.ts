import { deepEqual, equal, ok } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { type Database, sql } from '../../src/db/sql.ts'
import { type ChangedZone, followZones } from '../../src/journal/feed.ts'
import { nextSerial } from '../../src/journal/journal.ts'
import { since } from '../../src/journal/since.ts'
import { markDeleted } from '../../src/resources/zones/store.ts'
import type { Change } from '../../src/zonedata/change.ts'
import type { NewStore } from '../support/api.ts'
import { linesOf } from '../support/zones.ts'
import {
  journalOf,
  mustAgree,
  type ShownSet,
  type ShownZone,
  startZonesApi,
  type ZonesApi,
} from '../support/zones-api.ts'

/** The rules of the journal. */
export function journalRules(engine: string, newStore: NewStore): void {
  describe(`the journal on ${engine}`, () => {
    let now = Date.now()
    let api: ZonesApi
    beforeEach(async () => {
      now = Date.now()
      api = await startZonesApi(newStore, {}, { clock: () => new Date(now) })
    })
    afterEach(() => api.close())

    const last = async ({ id }: { id: string }): Promise<Change> => (await journalOf(api.db, id)).at(-1)!
    /** A change without its SOA, which is looked at on its own. */
    const lines = ({ removed, added }: Change) => ({
      removed: linesOf(removed).slice(1),
      added: linesOf(added).slice(1),
    })

    test('[J1] each request writes exactly what it took away and added, the SOA before and after it first', async () => {
      const zone = await api.newZone('j.example.', { ttl: 100 })
      const path = `/v2/zones/${zone.id}/recordsets`
      const soa = (serial: number, ttl = 100) =>
        new RegExp(`^j\\.example\\. ${ttl} SOA ns1\\.nameplane\\.test\\. a\\.example\\.org\\. ${serial} `)
      const set = await api.newSet(zone, 'www.j.example.', 'A', ['192.0.2.1', '192.0.2.2'], { ttl: 5 })
      deepEqual(lines(await last(zone)), {
        removed: [],
        added: ['www.j.example. 5 A 192.0.2.1', 'www.j.example. 5 A 192.0.2.2'],
      })
      const first = await last(zone)
      ok(soa(zone.serial).test(linesOf(first.removed)[0]!) && soa(first.to).test(linesOf(first.added)[0]!))
      await api.put(`${path}/${set.id}`, { records: ['192.0.2.2', '192.0.2.3'] })
      deepEqual(lines(await last(zone)), {
        removed: ['www.j.example. 5 A 192.0.2.1'],
        added: ['www.j.example. 5 A 192.0.2.3'],
      })
      await api.put(`${path}/${set.id}`, { ttl: null })
      deepEqual(lines(await last(zone)), {
        removed: ['www.j.example. 5 A 192.0.2.2', 'www.j.example. 5 A 192.0.2.3'],
        added: ['www.j.example. 100 A 192.0.2.2', 'www.j.example. 100 A 192.0.2.3'],
      })
      await api.put(`${path}/${set.id}`, { description: 'only for people' })
      deepEqual(lines(await last(zone)), { removed: [], added: [] })
      await api.newSet(zone, 'empty.j.example.', 'A', [])
      deepEqual(lines(await last(zone)), { removed: [], added: [] })
      await api.patch(`/v2/zones/${zone.id}`, { attributes: { a: 'b' } })
      deepEqual(lines(await last(zone)), { removed: [], added: [] })
      await api.delete(`${path}/${set.id}`)
      deepEqual(lines(await last(zone)), {
        removed: ['www.j.example. 100 A 192.0.2.2', 'www.j.example. 100 A 192.0.2.3'],
        added: [],
      })
      await mustAgree(api.db, zone)
    })

    test('[J1] a change says who made it, for which project, by which request and when; what fails leaves none', async () => {
      const headers = { 'X-Auth-User-ID': 'ada', 'X-Auth-Project-ID': 'engine' }
      const zone = await api.newZone('who.example.', {}, headers)
      const path = `/v2/zones/${zone.id}/recordsets`
      const body = { name: 'a.who.example.', type: 'A', records: ['192.0.2.1'] }
      const made = await api.post(path, body, headers)
      equal((await api.post(path, body, headers)).status, 409)
      const rows = await api.db.read((tx) =>
        tx.all(sql`select user_id, project_id, request_id, at from changes where zone_id = ${zone.id} order by serial`),
      )
      equal(rows.length, 2)
      deepEqual(
        { ...rows[1] },
        {
          user_id: 'ada',
          project_id: 'engine',
          request_id: made.headers.get('x-openstack-request-id'),
          at: made.body.created_at,
        },
      )
    })

    test('[J2] a serial is the time in seconds, or one more than the last where that is not newer, past the end too', () => {
      const at = (seconds: number) => new Date(seconds * 1000 + 900)
      equal(nextSerial(undefined, at(1_800_000_000)), 1_800_000_000)
      equal(nextSerial(1_700_000_000, at(1_800_000_000)), 1_800_000_000)
      equal(nextSerial(1_800_000_000, at(1_800_000_000)), 1_800_000_001)
      equal(nextSerial(1_900_000_000, at(1_800_000_000)), 1_900_000_001)
      equal(nextSerial(4_294_967_295, at(2_200_000_000)), 0)
    })

    test('[J2] serials rise with every change, many in a second and while the clock stands still or goes back', async () => {
      const zone = await api.newZone('rise.example.')
      for (const step of [0, 0, -50_000, -10, 0, 2000, 100_000]) {
        now += step
        await Promise.all(
          [1, 2, 3].map((i) =>
            api.newSet(zone, `n${i}x${Math.random()}.rise.example.`.replace('0.', ''), 'A', ['192.0.2.1']),
          ),
        )
      }
      await mustAgree(api.db, zone)
      equal((await last(zone)).to, Math.floor(now / 1000) + 2)
    })

    test('[J7] a new default TTL moves every set that has none of its own, and the SOA', async () => {
      const zone = await api.newZone('ttl.example.', { ttl: 100 })
      await api.newSet(zone, 'own.ttl.example.', 'A', ['192.0.2.1'], { ttl: 7 })
      await api.newSet(zone, 'inherits.ttl.example.', 'A', ['192.0.2.1', '192.0.2.2'])
      await api.patch(`/v2/zones/${zone.id}`, { ttl: 200 })
      const change = await last(zone)
      deepEqual(lines(change).added.toSorted(), [
        'inherits.ttl.example. 200 A 192.0.2.1',
        'inherits.ttl.example. 200 A 192.0.2.2',
        'ttl.example. 200 NS ns1.nameplane.test.',
      ])
      equal(change.removed.length, change.added.length)
      ok(linesOf(change.added)[0]!.startsWith('ttl.example. 200 SOA '))
      await mustAgree(api.db, zone)
    })

    test('[J4] changes are told from any serial the journal reaches, oldest first, each fitting the one before', async () => {
      const zone = await api.newZone('since.example.')
      for (let i = 0; i < 4; i += 1) await api.newSet(zone, `n${i}.since.example.`, 'A', ['192.0.2.1'])
      const all = await journalOf(api.db, zone.id)
      equal(all.length, 5)
      equal(all[0]!.from, 0)
      for (const [i, change] of all.entries()) if (i > 0) equal(change.from, all[i - 1]!.to)
      const from = (serial: number) => api.db.read((tx) => since(tx, zone.id, serial))
      deepEqual(await from(all[2]!.to), all.slice(3))
      deepEqual(await from(all[4]!.to), [])
      equal(await from(all[2]!.to - 1 === all[1]!.to ? 5 : all[2]!.to - 1), undefined, 'a serial the zone never had')
      await api.db.write((tx) =>
        tx.run(sql`delete from changes where zone_id = ${zone.id} and serial <= ${all[1]!.to}`),
      )
      equal(await from(0), undefined)
      equal(await from(all[0]!.to), undefined)
      deepEqual(await from(all[1]!.to), all.slice(2))
    })

    test('[J3] whatever requests do, the journal replayed from nothing gives what the rows say', async () => {
      const names = ['', 'a.', 'b.a.', '*.', 'C.', 'c.']
      const operation = fc.record({
        what: fc.constantFrom('create', 'create', 'put', 'put', 'upsert', 'delete', 'zone'),
        name: fc.constantFrom(...names),
        type: fc.constantFrom('A', 'AAAA', 'TXT', 'MX', 'CNAME', 'NS', 'DNAME'),
        pick: fc.nat(20),
        ttl: fc.constantFrom(undefined, null, 0, 5),
      })
      const texts: Record<string, string[]> = {
        A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
        AAAA: ['2001:DB8::1', '2001:db8::1', '::'],
        TXT: ['a', '"a"', '"b" "c"'],
        MX: ['10 Mail.example.', '10 mail.example.', '0 .'],
        CNAME: ['A.example.', 'a.example.'],
        NS: ['Ns.example.', 'ns.example.', 'ns2.example.'],
        DNAME: ['d.example.', 'D.example.'],
      }
      let round = 0
      const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
        round += 1
        const zone: ShownZone = await api.newZone(`p${round}.example.`)
        const path = `/v2/zones/${zone.id}/recordsets`
        for (const { what, name, type, pick, ttl } of operations) {
          const full = `${name}${zone.name}`
          const records = texts[type]!.filter((_, i) => (pick >> i) & 1)
          const body = { records, ...(ttl !== undefined && { ttl }) }
          if (what === 'create') await api.post(path, { name: full, type, ...body })
          else if (what === 'upsert') await api.put(`${path}/${full}/${type}`, body)
          else if (what === 'zone') await api.patch(`/v2/zones/${zone.id}`, { ttl: 100 + pick })
          else {
            const present = (await api.list(`${path}?sort_key=name`)).body.recordsets as unknown as ShownSet[]
            const { id, type: held } = present[pick % present.length]!
            if (what === 'delete') await api.delete(`${path}/${id}`)
            else
              await api.put(`${path}/${id}`, {
                ...body,
                records: (texts[held] ?? []).filter((_, i) => (pick >> i) & 1),
              })
          }
        }
        await mustAgree(api.db, zone)
      })
      await fc.assert(property, { numRuns: 12 })
    })

    test('[J6] who follows is told of every change, at once by a wake and by polling without one', async () => {
      for (const withWakes of [true, false]) {
        const zone = await api.newZone(`feed${withWakes}.example.`)
        const db: Database = withWakes ? api.db : { ...api.db, follow: () => () => {} }
        const told: ChangedZone[] = []
        const feed = followZones(db, new Date(now), {
          onZones: async (zones) => void told.push(...zones.filter(({ id }) => id === zone.id)),
          onError: (error) => {
            throw error
          },
          pollMilliseconds: withWakes ? 600_000 : 20,
        })
        try {
          const reaches = async (isThere: () => boolean) => {
            for (let i = 0; i < 2000 && !isThere(); i += 1) await sleep(10)
            ok(isThere(), JSON.stringify({ withWakes, told }))
          }
          await reaches(() => told.length > 0)
          await api.newSet(zone, `a.${zone.name}`, 'A', ['192.0.2.1'])
          const { to } = await last(zone)
          await reaches(() => told.at(-1)?.serial === to)
          await api.delete(`/v2/zones/${zone.id}`)
          await reaches(() => typeof told.at(-1)?.deleted_at === 'string')
        } finally {
          await feed.stop()
        }
      }
    })

    test('[J6] a follower that fails is told again, and so is one that was behind for a while', async () => {
      const zone = await api.newZone('retry.example.')
      let failures = 3
      const told: ChangedZone[] = []
      const errors: unknown[] = []
      const feed = followZones(api.db, new Date(now), {
        async onZones(zones) {
          failures -= 1
          if (failures >= 0) throw new Error('not now')
          told.push(...zones)
        },
        onError: (error) => errors.push(error),
        pollMilliseconds: 20,
      })
      try {
        for (let i = 0; i < 3000 && told.length === 0; i += 1) await sleep(10)
        equal(errors.length, 3)
        deepEqual(
          told.map(({ id }) => id),
          [zone.id],
        )
        // Committed late, with a moment that is past already.
        const past = new Date(now - 5000).toISOString().replace('Z', '000')
        await api.db.write((tx) => markDeleted(tx, zone.id, past, past))
        for (let i = 0; i < 3000 && told.at(-1)?.deleted_at !== past; i += 1) await sleep(10)
        equal(told.at(-1)?.deleted_at, past)
      } finally {
        await feed.stop()
      }
    })
  })
}
