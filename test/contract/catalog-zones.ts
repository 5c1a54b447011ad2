import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import {
  CatalogTrouble,
  type CatalogZone,
  changeMembers,
  dropCatalog,
  ensureCatalog,
} from '../../src/backends/catalog-zone.ts'
import { unlistedOf } from '../../src/backends/pages.ts'
import { sql } from '../../src/db/sql.ts'
import { newId } from '../../src/ids.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { countOf } from '../../src/resources/quotas/counts.ts'
import { behind, remakeSome } from '../../src/resources/zones/remake.ts'
import { purgeSome } from '../../src/resources/zones/store.ts'
import { readCatalog } from '../../src/zonedata/catalog.ts'
import type { NewStore, Page } from '../support/api.ts'
import { type ImportsApi, startImportsApi } from '../support/imports-api.ts'
import { linesOf } from '../support/zones.ts'
import { journalOf, mustAgree, type ShownSet, type ShownZone, stored } from '../support/zones-api.ts'

const everywhere = { 'X-Auth-All-Projects': 'true' }
const nobody = '00000000-0000-0000-0000-000000000000'
const free = async () => {}

/** The rules of catalog zones. */
export function catalogZoneRules(engine: string, newStore: NewStore): void {
  describe(`catalog zones on ${engine}`, () => {
    let api: ImportsApi
    let made = 0
    before(async () => {
      api = await startImportsApi(newStore)
    })
    after(() => api.close())

    type Pool = { readonly id: string; readonly name: string }
    const newPool = async (name = `pool ${++made}`): Promise<Pool> => {
      const ns_records = [{ hostname: 'ns1.nameplane.test.', priority: 1 }]
      const { status, text, body } = await api.post('/v2/pools', { name, ns_records })
      equal(status, 201, text)
      return { id: body.id, name }
    }
    const ensure = (pool: Pool, catalog_zone_fqdn?: string, catalog_zone_refresh: number | null = null) =>
      ensureCatalog(
        api.db,
        pool,
        catalog_zone_fqdn === undefined ? null : { catalog_zone_fqdn, catalog_zone_refresh },
        new Date(),
      )
    const newCatalog = async () => ensure(await newPool())
    type Wanted = Parameters<typeof changeMembers>[2]
    const change = (catalog: CatalogZone, { add = [], drop = [] }: Partial<Wanted>) =>
      changeMembers(api.db, catalog, { add, drop }, new Date(), free)
    const members = async (catalog: CatalogZone) => {
      const { members: found, faults } = readCatalog(await stored(api.db, catalog))
      deepEqual(faults, [])
      return found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    }
    const label = (id: string) => id.replaceAll('-', '')
    const show = async (id: string) => (await api.get<ShownZone>(`/v2/zones/${id}`, everywhere)).body
    const live = (poolId: string) =>
      api.db.read((tx) =>
        tx.all<{ id: string }>(
          sql`select id from zones where pool_id = ${poolId} and type = 'CATALOG' and deleted_at is null`,
        ),
      )
    const counts = () =>
      api.db.read(async (tx) => [
        await countOf(tx, nobody, 'zones'),
        await countOf(tx, nobody, 'recordsets'),
        await countOf(tx, nobody, 'records'),
      ])

    test('[W57] whoever delivers finds what the catalog lists and the pool does not have', async () => {
      const catalog = await newCatalog()
      const zone = await api.post('/v2/zones', { name: 'listed-right.org.', email: 'a@example.org' })
      const kept = { id: zone.body.id as string, name: 'listed-right.org.' }
      const stray = { id: newId(new Date()), name: 'no-such-zone.org.', newCatalog: 'other.invalid.', group: 'g' }
      await change(catalog, { add: [kept, stray] })
      const found: { id: string; name: string }[] = []
      const read = async (poolId: string) => {
        found.length = 0
        const where = { id: catalog.id, pool_id: poolId }
        for await (const some of unlistedOf(api.db, where, new AbortController().signal)) found.push(...some)
        return found.map(({ id, name }) => [id, name])
      }
      deepEqual(await read(String(zone.body.pool_id)), [[stray.id, stray.name]])
      // It is another pool's, and not published there yet: it is not gone before it has come.
      deepEqual(await read(catalog.pool_id), [[stray.id, stray.name]])
    })

    test('[W55] a catalog zone has the content that RFC 9432 asks for, and is made once', async () => {
      const pool = await newPool('Über/Pool 1')
      const before = await counts()
      const made = await Promise.all([ensure(pool), ensure(pool), ensure(pool)])
      const catalog = made[0]!
      deepEqual(
        made.map(({ id }) => id),
        [catalog.id, catalog.id, catalog.id],
      )
      equal(catalog.name, 'ber-pool-1.catalog.invalid.')
      const [first, ...more] = await journalOf(api.db, catalog.id)
      deepEqual(more, [])
      deepEqual(linesOf(first!.added), [
        `ber-pool-1.catalog.invalid. 0 SOA invalid. invalid. ${catalog.serial} 60 10 2147483646 0`,
        'ber-pool-1.catalog.invalid. 0 NS invalid.',
        'version.ber-pool-1.catalog.invalid. 0 TXT "2"',
      ])
      await mustAgree(api.db, catalog)
      deepEqual(await counts(), [before[0]! + 1, before[1]! + 3, before[2]! + 1])
      const refreshed = await ensure(pool, catalog.name, 300)
      equal(refreshed.id, catalog.id)
      ok(refreshed.serial > catalog.serial)
      match(linesOf((await journalOf(api.db, catalog.id)).at(-1)!.added)[0]!, / 300 10 2147483646 0$/)
      await mustAgree(api.db, catalog)
      equal((await ensure(pool, catalog.name, 300)).serial, refreshed.serial)
    })

    test('[W56] members are listed by their ids, with group and new catalog; what is as wanted makes no serial', async () => {
      const catalog = await newCatalog()
      const [one, two, three] = [newId(), newId(), newId()]
      const add = [
        { id: one, name: 'One.Example.' },
        { id: two, name: 'two.example.', group: 'signed' },
        { id: three, name: 'three.example.', group: '', newCatalog: 'Next.invalid.' },
      ]
      const first = await change(catalog, { add })
      ok(first > catalog.serial)
      deepEqual(
        await members(catalog),
        [
          { id: label(one), zone: 'one.example.', groups: [] },
          { id: label(two), zone: 'two.example.', groups: ['signed'] },
          { id: label(three), zone: 'three.example.', groups: [], newCatalog: 'next.invalid.' },
        ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      )
      equal(await change(catalog, { add, drop: [{ id: newId() }] }), first)
      equal(await change(catalog, {}), first)
      const second = await change(catalog, {
        add: [
          { id: two, name: 'two.example.', group: 'other' },
          { id: three, name: 'three.example.' },
        ],
        drop: [{ id: one }],
      })
      const last = (await journalOf(api.db, catalog.id)).at(-1)!
      deepEqual([last.from, last.to], [first, second])
      deepEqual(
        linesOf(last.removed).slice(1).toSorted(),
        [
          `coo.${label(three)}.zones.${catalog.name} 0 PTR next.invalid.`,
          `group.${label(two)}.zones.${catalog.name} 0 TXT "signed"`,
          `${label(one)}.zones.${catalog.name} 0 PTR one.example.`,
        ].toSorted(),
      )
      deepEqual(linesOf(last.added).slice(1), [`group.${label(two)}.zones.${catalog.name} 0 TXT "other"`])
      await mustAgree(api.db, catalog)
    })

    test('[W57] a zone is listed once: one that was made anew takes the place of its old self', async () => {
      const catalog = await newCatalog()
      const [old, fresh, last] = [newId(), newId(), newId()]
      await change(catalog, {
        add: [
          { id: old, name: 'again.example.', group: 'g' },
          { id: newId(), name: 'x.example.' },
        ],
      })
      await change(catalog, { add: [{ id: fresh, name: 'AGAIN.example.' }] })
      const listed = async () => (await members(catalog)).filter(({ zone }) => zone === 'again.example.')
      deepEqual(await listed(), [{ id: label(fresh), zone: 'again.example.', groups: [] }])
      equal((await members(catalog)).length, 2)
      await change(catalog, {
        add: [
          { id: old, name: 'again.example.' },
          { id: last, name: 'again.example.' },
        ],
      })
      deepEqual(
        (await listed()).map(({ id }) => id),
        [label(last)],
      )
      await mustAgree(api.db, catalog)
      const zone = await api.newZone('points.example.')
      await api.newSet(zone, 'a.points.example.', 'PTR', ['again.example.'])
      await change(catalog, { add: [{ id: old, name: 'again.example.' }] })
      deepEqual(
        (await listed()).map(({ id }) => id),
        [label(old)],
      )
    })

    test('[W58] a thousand members are one change; one more is as small a change as the first', async () => {
      const catalog = await newCatalog()
      const add = Array.from({ length: 1000 }, (_, i) => ({ id: newId(), name: `n${i}.example.` }))
      await change(catalog, { add })
      equal((await journalOf(api.db, catalog.id)).length, 2)
      await change(catalog, { add: [{ id: newId(), name: 'more.example.' }], drop: [add[7]!] })
      const { removed, added } = (await journalOf(api.db, catalog.id)).at(-1)!
      deepEqual([removed.length, added.length], [2, 2])
      equal((await members(catalog)).length, 1000)
      await mustAgree(api.db, catalog)
    })

    test('[W58] what a change costs does not grow with what is listed', async () => {
      const some = () =>
        Array.from({ length: 500 }, () => newId()).map((id) => ({ id, name: `${id.slice(-12)}.example.` }))
      const catalog = await newCatalog()
      const timed = async () => {
        const add = some()
        const began = performance.now()
        await change(catalog, { add })
        return performance.now() - began
      }
      await timed()
      const first = Math.min(await timed(), await timed())
      for (let i = 0; i < 20; i++) await timed()
      const last = Math.min(await timed(), await timed())
      ok(last < 5 * first + 50, `${first} ms in a small catalog, ${last} ms in a large one`)
    })

    test('[W58] over 10,000 records in one change are not listed: the whole zone is for whoever is behind', async () => {
      const catalog = await newCatalog()
      const add = Array.from({ length: 10_001 }, (_, i) => ({ id: newId(), name: `n${i}.example.` }))
      const serial = await change(catalog, { add })
      const row = await api.db.read((tx) =>
        tx.get(sql`select previous from changes where zone_id = ${catalog.id} and serial = ${serial}`),
      )
      deepEqual({ ...row }, { previous: -1 })
      const kept = await api.db.read((tx) =>
        tx.get(sql`select recordset_count, record_count from zones where id = ${catalog.id}`),
      )
      deepEqual({ ...kept }, { recordset_count: 10_004, record_count: 10_002 })
    })

    test('[W56] whatever is added and dropped, exactly what is wanted is listed, and the journal agrees', async () => {
      const ids = Array.from({ length: 12 }, () => newId())
      const member = fc.record({
        id: fc.constantFrom(...ids),
        name: fc.constantFrom(...'abcdefgh').map((letter) => `${letter}.example.`),
        group: fc.constantFrom(undefined, '', 'g', 'h "quoted" \\ ü'),
        newCatalog: fc.constantFrom(undefined, 'other.invalid.'),
      })
      const batch = fc.record({
        add: fc.array(member, { maxLength: 6 }),
        drop: fc.array(fc.record({ id: fc.constantFrom(...ids) }), { maxLength: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
          const catalog = await newCatalog()
          const wanted = new Map<string, { id: string; zone: string; groups: string[]; newCatalog?: string }>()
          let serial = catalog.serial
          for (const { add, drop } of batches) {
            const before = JSON.stringify([...wanted].toSorted())
            for (const { id } of drop) wanted.delete(label(id))
            // Of what is said of one id, the last counts.
            const last = add.filter(({ id }, i) => add.findLastIndex((other) => other.id === id) === i)
            for (const { id, name, group, newCatalog } of last) {
              // A zone that another id is listed with is that id's no more.
              for (const [other, { zone }] of wanted) if (zone === name) wanted.delete(other)
              const groups = group ? [group] : []
              wanted.set(label(id), { id: label(id), zone: name, groups, ...(newCatalog && { newCatalog }) })
            }
            const next = await change(catalog, { add, drop })
            equal(next > serial, JSON.stringify([...wanted].toSorted()) !== before)
            serial = next
          }
          deepEqual(
            await members(catalog),
            [...wanted.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
          )
          await mustAgree(api.db, catalog)
        }),
        { numRuns: 25 },
      )
    })

    test('[W59] nothing is changed by who lost the right to, nor in a catalog that is gone', async () => {
      const catalog = await newCatalog()
      const lost = async () => {
        throw new Error('taken over')
      }
      const add = [{ id: newId(), name: 'late.example.' }]
      await rejects(changeMembers(api.db, catalog, { add, drop: [] }, new Date(), lost), /taken over/)
      await rejects(dropCatalog(api.db, catalog.pool_id, new Date(), lost), /taken over/)
      deepEqual(await members(catalog), [])
      await dropCatalog(api.db, catalog.pool_id)
      await rejects(change(catalog, { add }), CatalogTrouble)
      await dropCatalog(api.db, catalog.pool_id)
      const before = await counts()
      await api.publish()
      deepEqual(await counts(), [before[0]! - 1, before[1]! - 3, before[2]! - 1])
    })

    test('[W60] another name makes another catalog zone; a pool that is renamed keeps its own', async () => {
      const pool = await newPool('first name')
      const first = await ensure(pool)
      await change(first, { add: [{ id: newId(), name: 'a.example.' }] })
      equal((await ensure({ ...pool, name: 'second name' })).id, first.id)
      const named = await ensure(pool, 'cat.operator.example.')
      ok(named.id !== first.id)
      equal(named.name, 'cat.operator.example.')
      deepEqual(
        (await live(pool.id)).map(({ id }) => id),
        [named.id],
      )
      deepEqual(await members(named), [])
      equal((await ensure(pool, 'CAT.operator.example.')).id, named.id)
      const back = await ensure(pool)
      equal(back.name, 'first-name.catalog.invalid.')
      ok(back.id !== first.id)
    })

    test('[W60] a name that is taken is not taken again, nor one that leaves no room for members', async () => {
      const [one, two] = [await newPool('same/name'), await newPool('same name')]
      equal((await ensure(one)).name, 'same-name.catalog.invalid.')
      equal((await ensure(two)).name, `same-name-${two.id.slice(-8)}.catalog.invalid.`)
      await api.newZone('taken.example.')
      await rejects(ensure(two, 'Taken.example.'), /there is a zone Taken.example. already/)
      equal((await live(two.id)).length, 1)
      const long = (n: number) => `${`${'x'.repeat(49)}.`.repeat(4)}${'y'.repeat(n)}.`
      await rejects(ensure(two, long(9)), /at most 209 characters/)
      await change(await ensure(two, long(8)), {
        add: [{ id: newId(), name: 'a.example.', group: 'g', newCatalog: 'b.invalid.' }],
      })
    })

    test('[W60] a catalog zone keeps nobody from zones above and below its name, and its name from everybody', async () => {
      const pool = await newPool()
      await ensure(pool, 'cat.company.example.')
      const above = await api.newZone('company.example.')
      await api.newZone('below.cat.company.example.')
      const [status, type] = await api.refused('POST', '/v2/zones', { name: 'cat.company.example.', email: 'a@b.org' })
      deepEqual([status, type], [409, 'duplicate_zone'])
      equal((await api.refused('DELETE', `/v2/zones/${above.id}`))[1], 'zone_has_sub_zone')
      await dropCatalog(api.db, pool.id)
    })

    test('[W61] administrators see a catalog zone and its record sets when they ask for all projects; others never', async () => {
      const catalog = await newCatalog()
      await change(catalog, { add: [{ id: newId(), name: 'seen.example.', group: 'g' }] })
      const { type, project_id, pool_id, ttl, status, action } = await show(catalog.id)
      deepEqual(
        [type, project_id, pool_id, ttl, status, action],
        ['CATALOG', nobody, catalog.pool_id, 0, 'PENDING', 'UPDATE'],
      )
      const listed = async (headers: Record<string, string>, filter = '') =>
        ((await api.list(`/v2/zones?limit=1000${filter}`, headers)).body as Page).zones!.some(
          ({ id }) => id === catalog.id,
        )
      ok(await listed(everywhere))
      ok(await listed(everywhere, '&type=CATALOG'))
      ok(!(await listed({})))
      equal((await api.get(`/v2/zones/${catalog.id}`)).status, 404)
      equal((await api.get(`/v2/zones/${catalog.id}`, { 'X-Roles': 'member' })).status, 404)
      equal((await api.get(`/v2/zones/${catalog.id}`, { 'X-Roles': 'member', ...everywhere })).status, 403)
      const { recordsets } = (await api.list(`/v2/zones/${catalog.id}/recordsets`, everywhere)).body as Page
      deepEqual(recordsets!.map(({ type }) => type).toSorted(), ['NS', 'PTR', 'SOA', 'TXT', 'TXT'])
      const found = (await api.list('/v2/recordsets?data=seen.example.', everywhere)).body as Page
      equal(found.recordsets!.length, 1)
      const { metadata, zones } = (await api.list('/openstack/v2/zones?limit=1000', everywhere)).body as Page
      const { total_count } = metadata as { total_count: number }
      equal(total_count, zones!.length)
    })

    test('[W61] a catalog zone is changed by the service alone: everything else is refused with 403', async () => {
      const catalog = await newCatalog()
      await change(catalog, { add: [{ id: newId(), name: 'kept.example.' }] })
      const path = `/v2/zones/${catalog.id}`
      const { recordsets } = (await api.list(`${path}/recordsets?type=PTR`, everywhere)).body as Page
      const set = recordsets![0] as ShownSet
      const body = { name: `a.zones.${catalog.name}`, type: 'PTR', records: ['b.example.'] }
      const requests: [method: string, path: string, body?: unknown][] = [
        ['PATCH', path, { description: 'x' }],
        ['DELETE', path],
        ['POST', `${path}/recordsets`, body],
        ['PUT', `${path}/recordsets/${set.id}`, { records: ['c.example.'] }],
        ['DELETE', `${path}/recordsets/${set.id}`],
        ['POST', `${path}/tasks/abandon`],
        ['POST', `${path}/tasks/xfr`],
        ['POST', `${path}/tasks/pool_move`, { pool_id: defaultPoolId }],
        ['POST', `${path}/tasks/transfer_requests`, {}],
        ['POST', `${path}/shares`, { target_project_id: 'other' }],
      ]
      const managed = { ...everywhere, 'X-Designate-Edit-Managed-Records': 'true' }
      for (const [method, at, body] of requests) {
        const [status, type, message] = await api.refused(method, at, body, managed)
        deepEqual([status, type], [403, 'forbidden'], `${method} ${at}: ${message}`)
        match(message, /catalog zones are kept by the service/)
      }
      const file = `$ORIGIN ${catalog.name}\n@ 0 SOA invalid. invalid. 1 60 10 100 0\n@ 0 NS invalid.\n`
      const imported = await api.import(file, `?mode=replace&zone_id=${catalog.id}`, everywhere)
      equal(imported.status, 'ERROR')
      match(imported.message!, /catalog zones are kept by the service/)
      equal((await show(catalog.id)).serial, await change(catalog, {}))
      await mustAgree(api.db, catalog)
    })

    test('[W62] a catalog zone does not follow the name servers of its pool', async () => {
      const pool = await newPool()
      const catalog = await ensure(pool)
      await api.patch(`/v2/pools/${pool.id}`, { ns_records: [{ hostname: 'ns9.nameplane.test.', priority: 1 }] })
      deepEqual(
        (await behind(api.db)).filter((one) => one.pool.id === pool.id),
        [],
      )
      equal(await remakeSome(api.db, pool.id, new Date()), 0)
      equal((await show(catalog.id)).serial, catalog.serial)
    })

    test('[W62] a pool that holds nothing but its catalog zone is deleted with it', async () => {
      await api.publish()
      const pool = await newPool()
      const catalog = await ensure(pool)
      await change(catalog, { add: [{ id: newId(), name: 'z.example.' }] })
      const zone = await api.newZone('holds.example.')
      await api.db.write((tx) => tx.run(sql`update zones set pool_id = ${pool.id} where id = ${zone.id}`))
      equal((await api.refused('DELETE', `/v2/pools/${pool.id}`))[1], 'invalid_operation')
      await api.db.write((tx) => tx.run(sql`update zones set pool_id = ${defaultPoolId} where id = ${zone.id}`))
      const woken: string[] = []
      const unfollow = api.db.follow((topics) => woken.push(...topics))
      equal((await api.delete(`/v2/pools/${pool.id}`)).status, 204)
      unfollow()
      const before = await counts()
      await api.publish()
      deepEqual(await counts(), [before[0]! - 1, before[1]! - 4, before[2]! - 2])
      equal((await api.get(`/v2/zones/${catalog.id}`, everywhere)).status, 404)
      while (!(await api.db.write((tx) => purgeSome(tx, catalog.id, 2)))) {}
      const rest = await api.db.read((tx) => tx.get(sql`select 1 as one from recordsets where zone_id = ${catalog.id}`))
      equal(rest, undefined)
      ok(woken.includes(catalog.id))
      await rejects(ensure(pool), /the pool is gone/)
    })

    test('[W62] a catalog zone counts in no quota', async () => {
      const headers = { 'X-Auth-Project-ID': 'narrow' }
      await api.patch('/v2/quotas/narrow', { zones: 1, zone_records: 1, zone_recordsets: 3 }, everywhere)
      const catalog = await ensure({ id: defaultPoolId, name: 'default' })
      await change(catalog, { add: Array.from({ length: 20 }, (_, i) => ({ id: newId(), name: `q${i}.example.` })) })
      await api.newZone('only.example.', {}, headers)
      const [status, type] = await api.refused('POST', '/v2/zones', { name: 'two.example.', email: 'a@b.org' }, headers)
      deepEqual([status, type], [413, 'over_quota'])
      await dropCatalog(api.db, defaultPoolId)
    })
  })
}
