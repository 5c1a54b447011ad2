import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { timestamp } from '../../src/clock.ts'
import { sql } from '../../src/db/sql.ts'
import * as checks from '../../src/resources/pool-checks/store.ts'
import { settingsOf } from '../../src/resources/pool-delivery/store.ts'
import { keysFor } from '../../src/resources/tsigkeys/store.ts'
import type { Answer, NewStore, Problem, Shown } from '../support/api.ts'
import { type PoolsApi, startPoolsApi } from '../support/pools-api.ts'
import { testSettings } from '../support/settings.ts'

const idOf = (pool: string): string => pool.split('/').at(-1)!
const key = 'c2VjcmV0LW9mLXRoZS1jYXRhbG9n'

type Catalog = Record<string, unknown> | null
type Delivery = { threshold_percentage: number; grace_seconds: number; catalog_zone: Catalog }

/** The rules of a pool's delivery settings and checks. */
export function poolDeliveryRules(engine: string, newStore: NewStore): void {
  describe(`delivery settings and checks on ${engine}`, () => {
    let api: PoolsApi
    before(async () => {
      api = await startPoolsApi(newStore)
    })
    after(() => api.close())

    const get = async (pool: string) => (await api.get<Delivery>(`${pool}/delivery`)).body
    const patch = (pool: string, body: object): Promise<Answer<Delivery>> => api.patch(`${pool}/delivery`, body)
    const setCatalog = async (pool: string, catalog_zone: object | null): Promise<Catalog> => {
      const answer = await patch(pool, { catalog_zone })
      equal(answer.status, 200, answer.text)
      ok(!answer.text.includes(key) && !(await api.get(`${pool}/delivery`)).text.includes(key))
      deepEqual(await get(pool), answer.body)
      return answer.body.catalog_zone
    }
    const keysOf = async (pool: string) =>
      (await api.db.read((tx) => keysFor(tx, testSettings.secrets, { scope: 'POOL', resource_id: idOf(pool) }))).map(
        ({ name, algorithm, secret }) => [name, algorithm, Buffer.from(secret).toString('base64')],
      )

    test('[W12] settings are the defaults until they are set, and what is not sent stays', async () => {
      const pool = await api.newPool()
      const defaults = { threshold_percentage: 100, grace_seconds: 300, catalog_zone: null }
      deepEqual(await get(pool), defaults)
      deepEqual((await patch(pool, { threshold_percentage: 50 })).body, { ...defaults, threshold_percentage: 50 })
      const { status, body } = await patch(pool.replace('/v2', '/openstack/v2'), { grace_seconds: 0 })
      deepEqual([status, body], [200, { threshold_percentage: 50, grace_seconds: 0, catalog_zone: null }])
      deepEqual((await patch(pool, await get(pool))).body, body)
      deepEqual(await api.db.read((tx) => settingsOf(tx, idOf(pool))), body)
      deepEqual(await get(await api.newPool()), defaults)
      const wrong: [object, string[]][] = [
        [{ threshold_percentage: 0 }, ['threshold_percentage']],
        [{ threshold_percentage: 101, grace_seconds: -1 }, ['threshold_percentage', 'grace_seconds']],
        [{ threshold_percentage: '50' }, ['threshold_percentage']],
        [{ grace_seconds: 604_801 }, ['grace_seconds']],
        [{ grace_seconds: null }, ['grace_seconds']],
        [{ threshold: 5 }, ['threshold']],
      ]
      for (const [given, paths] of wrong)
        deepEqual(await api.faults('PATCH', `${pool}/delivery`, given), [400, 'invalid_object', paths])
    })

    test('[W12] settings, servers and checks need an administrator and a pool that the caller sees', async () => {
      const pool = await api.newPool({ 'X-Auth-Project-ID': 'owner' })
      for (const [method, place, body] of [
        ['GET', 'delivery'],
        ['PATCH', 'delivery', {}],
        ['GET', 'servers'],
        ['GET', 'checks'],
        ['POST', 'checks', {}],
      ] as const) {
        const stranger = await api.refused(method, `${pool}/${place}`, body, { 'X-Auth-Project-ID': 'stranger' })
        deepEqual(stranger.slice(0, 2), [404, 'pool_not_found'])
        equal((await api.refused(method, `${pool}/${place}`, body, { 'X-Roles': 'member' }))[0], 403)
      }
    })

    test('[W13] a catalog zone is set, changed in part of its key, and taken away', async () => {
      const pool = await api.newPool()
      const name = `c1.${engine.toLowerCase()}.invalid.`
      const plain = { catalog_zone_fqdn: name, catalog_zone_refresh: null, catalog_zone_tsig_algorithm: null }
      deepEqual(await setCatalog(pool, { catalog_zone_fqdn: name }), plain)
      deepEqual(await keysOf(pool), [])
      const refreshed = { ...plain, catalog_zone_refresh: 60 }
      deepEqual(await setCatalog(pool, { ...plain, catalog_zone_refresh: 60 }), refreshed)
      deepEqual((await api.db.read((tx) => settingsOf(tx, idOf(pool)))).catalog_zone, {
        catalog_zone_fqdn: name,
        catalog_zone_refresh: 60,
      })
      const signed = { ...refreshed, catalog_zone_tsig_algorithm: 'hmac-sha256' }
      deepEqual(await setCatalog(pool, { ...refreshed, catalog_zone_tsig_key: key }), signed)
      deepEqual(await keysOf(pool), [[name, 'hmac-sha256', key]])
      deepEqual(await setCatalog(pool, signed), signed)
      const stronger = { ...signed, catalog_zone_tsig_algorithm: 'hmac-sha512' }
      deepEqual(await setCatalog(pool, stronger), stronger)
      deepEqual(await keysOf(pool), [[name, 'hmac-sha512', key]])
      const renamed = { ...stronger, catalog_zone_fqdn: `other.${name}` }
      deepEqual(await setCatalog(pool, renamed), renamed)
      deepEqual(await keysOf(pool), [[`other.${name}`, 'hmac-sha512', key]])
      await patch(pool, { grace_seconds: 5 })
      deepEqual((await get(pool)).catalog_zone, renamed)
      deepEqual(
        await setCatalog(pool, { ...renamed, catalog_zone_tsig_key: null, catalog_zone_tsig_algorithm: null }),
        { ...renamed, catalog_zone_tsig_algorithm: null },
      )
      deepEqual(await keysOf(pool), [])
      await setCatalog(pool, { ...renamed, catalog_zone_tsig_key: key })
      equal(await setCatalog(pool, null), null)
      deepEqual(await keysOf(pool), [])
    })

    test('[W13] a key of the catalog’s name is taken where it is the pool’s, and refused where it is not', async () => {
      const [pool, other] = [await api.newPool(), await api.newPool()]
      const name = `c2.${engine.toLowerCase()}.invalid.`
      const given = { catalog_zone_fqdn: name, catalog_zone_tsig_key: key }
      const theirs = await api.newKey(other, { name: name.slice(0, -1).toUpperCase() })
      const refused = await api.refused('PATCH', `${pool}/delivery`, { catalog_zone: given })
      deepEqual(refused.slice(0, 2), [409, 'duplicate_tsigkey'])
      equal((await get(pool)).catalog_zone, null)
      equal((await api.delete(`/v2/tsigkeys/${theirs}`)).status, 204)
      const ours = await api.newKey(pool, { name, algorithm: 'hmac-sha384' })
      const { catalog_zone_tsig_algorithm } = (await setCatalog(pool, given))!
      equal(catalog_zone_tsig_algorithm, 'hmac-sha384')
      equal((await api.get(`/v2/tsigkeys/${ours}`)).body.secret, key)
      const { id } = await api.add(other, 'nameservers', { host: '192.0.2.1', tsigkey_id: ours })
      const inUse = await api.refused('PATCH', `${pool}/delivery`, { catalog_zone: null })
      deepEqual(inUse.slice(0, 2), [409, 'tsigkey_in_use'])
      equal((await api.delete(`${other}/nameservers/${id}`)).status, 204)
      equal((await api.delete(`/v2/tsigkeys/${ours}`)).status, 204)
      equal((await get(pool)).catalog_zone!.catalog_zone_tsig_algorithm, null)
    })

    test('[W13] the parts of a catalog zone are checked, and its name is nobody else’s', async () => {
      const [pool, other] = [await api.newPool(), await api.newPool()]
      const name = `c3.${engine.toLowerCase()}.invalid.`
      const long = `${`${'a'.repeat(60)}.`.repeat(3)}invalid.`
      const wrong: [unknown, string[]][] = [
        ['x', ['catalog_zone']],
        [{}, ['catalog_zone/catalog_zone_fqdn']],
        [{ catalog_zone_fqdn: 'no.dot' }, ['catalog_zone/catalog_zone_fqdn']],
        [{ catalog_zone_fqdn: name, catalog_zone_refresh: 0 }, ['catalog_zone/catalog_zone_refresh']],
        [{ catalog_zone_fqdn: name, catalog_zone_tsig_key: '%' }, ['catalog_zone/catalog_zone_tsig_key']],
        [{ catalog_zone_fqdn: name, catalog_zone_tsig_algorithm: 'md5' }, ['catalog_zone/catalog_zone_tsig_algorithm']],
        [
          { catalog_zone_fqdn: name, catalog_zone_tsig_algorithm: 'hmac-md5' },
          ['catalog_zone/catalog_zone_tsig_algorithm'],
        ],
        [{ catalog_zone_fqdn: long, catalog_zone_tsig_key: key }, ['catalog_zone/catalog_zone_fqdn']],
        [{ catalog_zone_fqdn: name, key: 'x' }, ['catalog_zone/key']],
      ]
      for (const [catalog_zone, paths] of wrong)
        deepEqual(await api.faults('PATCH', `${pool}/delivery`, { catalog_zone }), [400, 'invalid_object', paths])
      await setCatalog(pool, { catalog_zone_fqdn: name })
      const same = { catalog_zone: { catalog_zone_fqdn: name.toUpperCase() } }
      deepEqual((await api.refused('PATCH', `${other}/delivery`, same)).slice(0, 2), [409, 'duplicate_zone'])
      const zone = await api.newZone(`c3-${engine.toLowerCase()}.example.org.`)
      const taken = { catalog_zone: { catalog_zone_fqdn: zone.name } }
      deepEqual((await api.refused('PATCH', `${pool}/delivery`, taken)).slice(0, 2), [409, 'duplicate_zone'])
    })

    test('[W17] a check is asked for, shown, listed and forgotten', async () => {
      const pool = await api.newPool()
      const { status, body, headers } = await api.post(`${pool}/checks`, {})
      equal(status, 202)
      const here = `${pool}/checks/${body.id}`
      equal(headers.get('Location'), api.url + here)
      const { id, created_at, links, ...rest } = body
      ok(id && created_at && links)
      const fresh = { pool_id: idOf(pool), depth: 'reach', status: 'PENDING', zones_checked: 0, findings: [] }
      deepEqual(rest, { ...fresh, updated_at: null })
      equal((await api.call('POST', `${pool}/checks`)).status, 202)
      for (const depth of ['serials', 'content']) equal((await api.post(`${pool}/checks`, { depth })).body.depth, depth)
      for (const depth of ['deep', '', null, 5])
        deepEqual((await api.faults('POST', `${pool}/checks`, { depth }))[2], ['depth'])
      for (const name of ['status', 'findings', 'other'])
        deepEqual((await api.faults('POST', `${pool}/checks`, { [name]: [] }))[2], [name])
      const findings = [
        { server_id: null, server: 'bind9 127.0.0.1:53', zone: null, level: 'ok', what: 'it answers', mend: null },
        { server_id: id, server: 'x', zone: 'a.', level: 'error', what: 'it is "down"', mend: 'start it' },
      ] as const
      const result = { status: 'COMPLETE', findings, zones_checked: 7 } as const
      await api.db.write((tx) => checks.finish(tx, id, result, timestamp(new Date())))
      const done = (await api.get(here)).body
      deepEqual([done.status, done.zones_checked, done.findings], ['COMPLETE', 7, findings])
      const list = (await api.list(`${pool.replace('/v2', '/openstack/v2')}/checks?status=COMPLETE`)).body.checks!
      deepEqual(list[0]!.findings, findings)
      equal((await api.list(`${pool}/checks`)).body.checks!.length, 4)
      deepEqual((await api.refused('GET', `${await api.newPool()}/checks/${id}`))[1], 'pool_check_not_found')
      equal((await api.delete(here)).status, 204)
      for (const method of ['GET', 'DELETE'])
        deepEqual((await api.refused(method, here)).slice(0, 2), [404, 'pool_check_not_found'])
    })

    test('[W17] the last checks of a pool are kept, and those of others too', async () => {
      const [pool, other] = [await api.newPool(), await api.newPool()]
      const kept = (await api.post(`${other}/checks`, {})).body.id
      const ids: string[] = []
      for (let i = 0; i < checks.mostKept + 3; i += 1) ids.push((await api.post(`${pool}/checks`, {})).body.id)
      const listed = (await api.list(`${pool}/checks?limit=max`)).body.checks!.map(({ id }: Shown) => id)
      deepEqual(listed, ids.slice(3))
      equal((await api.get(`${other}/checks/${kept}`)).status, 200)
    })

    test('[W19] a check is begun once, the oldest first, and put back for who takes over', async () => {
      await api.db.write((tx) => tx.run(sql`delete from pool_checks`))
      const pool = await api.newPool()
      const [first, second] = [
        (await api.post(`${pool}/checks`, {})).body.id,
        (await api.post(`${pool}/checks`, {})).body.id,
      ]
      const at = timestamp(new Date())
      const next = async () => (await api.db.read((tx) => checks.pendingOf(tx, [idOf(pool)])))?.id
      const begin = (id: string) => api.db.write((tx) => checks.begin(tx, id, at))
      deepEqual(
        { ...(await api.db.read((tx) => checks.pendingOf(tx, [idOf(pool)]))) },
        {
          id: first,
          pool_id: idOf(pool),
          depth: 'reach',
        },
      )
      const begun = await Promise.all([begin(first), begin(first), begin(first)])
      deepEqual(begun.filter(Boolean).length, 1)
      equal((await api.get(`${pool}/checks/${first}`)).body.status, 'RUNNING')
      equal(await next(), second)
      await begin(second)
      equal(await next(), undefined)
      const failed = { status: 'ERROR', findings: [], zones_checked: 0 } as const
      await api.db.write((tx) => checks.finish(tx, second, failed, at))
      const other = idOf(await api.newPool())
      equal(await api.db.read((tx) => checks.pendingOf(tx, [other])), undefined)
      equal(await api.db.read((tx) => checks.pendingOf(tx, [])), undefined)
      equal(await api.db.write((tx) => checks.putBack(tx, other)), 0)
      equal(await api.db.write((tx) => checks.putBack(tx, idOf(pool))), 1)
      equal(await next(), first)
      equal((await api.delete<Problem>(`${pool}/checks/${first}`)).status, 204)
      await api.db.write((tx) => checks.finish(tx, first, failed, at))
      match((await api.refused('GET', `${pool}/checks/${first}`))[1], /not_found/)
    })
  })
}
