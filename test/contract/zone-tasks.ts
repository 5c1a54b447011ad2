import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import type { NewStore } from '../support/api.ts'
import { journalOf, mustAgree, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'
import { as, mustCountRight } from './transfers.ts'

const everywhere = { 'X-Auth-All-Projects': 'true' }
const nowhere = '00000000-0000-0000-0000-00000000dead'

/** The rules of tasks that are done to a zone. */
export function zoneTaskRules(engine: string, newStore: NewStore): void {
  describe(`tasks of zones on ${engine}`, () => {
    let api: ZonesApi
    let pool: string
    before(async () => {
      api = await startZonesApi(newStore, { schedulerFilters: ['pool_id_attribute', 'in_doubt_default_pool'] })
      const ns_records = [
        { hostname: 'ns1.other.', priority: 2 },
        { hostname: 'ns2.other.', priority: 1 },
      ]
      pool = (await api.post('/v2/pools', { name: 'other', ns_records })).body.id
    })
    after(() => api.close())

    const task = (zone: ShownZone, name: string, headers = {}, body?: object) =>
      api.call<{ type?: string }>('POST', `/v2/zones/${zone.id}/tasks/${name}`, {
        headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      })
    const move = async (zone: ShownZone, body: object, headers = {}) => {
      const answer = await task(zone, 'pool_move', headers, body)
      return [answer.status, answer.body?.type ?? answer.text]
    }

    test('[X40] abandon forgets a zone at once', async () => {
      const zone = await api.newZone('abandoned.task.', {}, as('p'))
      await api.post(`/v2/zones/${zone.id}/recordsets`, { name: zone.name, type: 'A', records: ['192.0.2.1'] }, as('p'))
      equal((await task(zone, 'abandon', as('p'))).status, 403)
      equal((await task(zone, 'abandon', as('q', 'admin'))).status, 404)
      const { status, text } = await task(zone, 'abandon', as('p', 'admin'))
      deepEqual([status, text], [204, ''])
      equal((await api.get(`/v2/zones/${zone.id}`, everywhere)).status, 404)
      equal((await task(zone, 'abandon', everywhere)).status, 404)
      deepEqual((await api.list('/openstack/v2/zones', as('p'))).body.metadata, { total_count: 0 })
      await mustCountRight(api)
      await api.newZone('abandoned.task.', {}, as('q'))
    })

    test('[X40] abandon ends a deletion that hangs', async () => {
      const zone = await api.newZone('hanging.task.')
      await api.delete(`/v2/zones/${zone.id}`)
      equal((await api.get(`/v2/zones/${zone.id}`)).status, 200)
      equal((await task(zone, 'abandon')).status, 204)
      equal((await api.get(`/v2/zones/${zone.id}`)).status, 404)
      await mustCountRight(api)
    })

    test('[X40] a zone with zones below it, or shares, is not abandoned', async () => {
      const zone = await api.newZone('parent.task.')
      const child = await api.newZone('child.parent.task.')
      const refused = await task(zone, 'abandon')
      deepEqual([refused.status, refused.body.type], [400, 'zone_has_sub_zone'])
      await task(child, 'abandon')
      await api.post(`/v2/zones/${zone.id}/shares`, { target_project_id: 'x' })
      deepEqual((await task(zone, 'abandon')).body.type, 'zone_is_shared')
      equal((await task(zone, 'abandon', { 'X-Designate-Delete-Shares': 'true' })).status, 204)
      await mustCountRight(api)
    })

    test('[X41] xfr is noted for a SECONDARY zone and refused for another', async () => {
      const secondary = { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined }
      const zone = await api.newZone('secondary.task.', secondary, as('p'))
      const { status, text, headers } = await task(zone, 'xfr', as('p'))
      deepEqual([status, text, headers.get('content-type')], [202, '""', 'application/json'])
      equal((await task(zone, 'xfr', { ...as('p'), 'Content-Type': 'application/json' })).status, 202)
      const asked = await api.db.read((tx) => tx.all<{ zone_id: string }>(sql`select zone_id from zone_refreshes`))
      deepEqual(
        asked.map(({ zone_id }) => zone_id),
        [zone.id],
      )
      equal((await task(zone, 'xfr', as('p', 'reader'))).status, 403)
      equal((await task(zone, 'xfr', as('q'))).status, 404)
      const primary = await task(await api.newZone('primary.task.'), 'xfr')
      deepEqual([primary.status, primary.body.type], [400, 'bad_request'])
    })

    test('[Y10] a key that is made or changed for a SECONDARY zone has its masters be asked at once', async () => {
      const made = await api.newZone('keyed.task.', { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined })
      const primary = await api.newZone('unkeyed.task.')
      const asked = () =>
        api.db.write(async (tx) => {
          const rows = await tx.all<{ zone_id: string }>(sql`select zone_id from zone_refreshes`)
          await tx.run(sql`delete from zone_refreshes`)
          return rows.map(({ zone_id }) => zone_id)
        })
      await asked()
      const key = { algorithm: 'hmac-sha256', secret: 'c2VjcmV0', scope: 'ZONE' }
      const { body } = await api.post('/v2/tsigkeys', { ...key, name: 'keyed.task.', resource_id: made.id })
      deepEqual(await asked(), [made.id])
      equal((await api.patch(`/v2/tsigkeys/${body.id}`, { secret: 'b3RoZXI=' })).status, 200)
      deepEqual(await asked(), [made.id])
      equal((await api.post('/v2/tsigkeys', { ...key, name: 'unkeyed.task.', resource_id: primary.id })).status, 201)
      deepEqual(await asked(), [])
    })

    test('[X42] a zone that is moved names the servers of its new pool, by one change', async () => {
      const zone = await api.newZone('moved.task.')
      await api.publish()
      const before = await journalOf(api.db, zone.id)
      deepEqual(await move(zone, { pool_id: pool }), [202, '""'])
      const moved = (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body
      deepEqual([moved.pool_id, moved.status, moved.action, moved.version], [pool, 'PENDING', 'UPDATE', 2])
      equal((await journalOf(api.db, zone.id)).length, before.length + 1)
      const sets = (await api.list(`/openstack/v2/zones/${zone.id}/recordsets`)).body.recordsets!
      deepEqual(sets.find(({ type }) => type === 'NS')!.records, ['ns2.other.', 'ns1.other.'])
      ok(String(sets.find(({ type }) => type === 'SOA')!.records).startsWith('ns2.other. '))
      await mustAgree(api.db, zone)
      const found = (await api.list('/v2/recordsets?data=ns2.other.')).body.recordsets!
      deepEqual(
        found.map(({ zone_id }) => zone_id),
        [zone.id],
      )
      const { body } = await api.get<Record<string, object>>(`/v2/zones/${zone.id}/nameservers`)
      deepEqual(body.nameservers, [
        { hostname: 'ns1.other.', priority: 2 },
        { hostname: 'ns2.other.', priority: 1 },
      ])
      deepEqual(await move(zone, {}), [202, '""'], 'the scheduler moves it back to the default pool')
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.pool_id, defaultPoolId)
      await mustAgree(api.db, zone)
    })

    test('[X42] between pools with the same servers a zone moves too, and is PENDING until it is served', async () => {
      const ns_records = [{ hostname: 'ns1.nameplane.test.', priority: 1 }]
      const twin = (await api.post('/v2/pools', { name: 'twin', ns_records })).body.id
      const zone = await api.newZone('twin.task.')
      await api.publish()
      deepEqual(await move(zone, { pool_id: twin }), [202, '""'])
      const moved = (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body
      deepEqual([moved.pool_id, moved.status], [twin, 'PENDING'])
      await mustAgree(api.db, zone)
    })

    test('[X42] a zone is not moved to where it is, to nowhere, or while it is being deleted', async () => {
      const zone = await api.newZone('stays.task.')
      deepEqual(await move(zone, { pool_id: defaultPoolId }), [400, 'bad_request'])
      deepEqual(await move(zone, {}), [400, 'bad_request'])
      deepEqual(await move(zone, { pool_id: nowhere }), [400, 'bad_request'])
      deepEqual(await move(zone, { pool_id: 'x' }), [400, 'invalid_object'])
      deepEqual(await move(zone, { bogus: 1 }), [400, 'invalid_object'])
      deepEqual(await move(zone, { pool_id: pool }, as('noauth-project')), [403, 'forbidden'])
      deepEqual(await move(zone, { pool_id: pool }, as('q', 'admin')), [404, 'zone_not_found'])
      const noBody = await task(zone, 'pool_move', { 'Content-Type': 'application/json' })
      deepEqual([noBody.status, noBody.body.type], [400, 'empty_request_body'])
      await api.delete(`/v2/zones/${zone.id}`)
      deepEqual(await move(zone, { pool_id: pool }), [400, 'bad_request'])
    })

    test('[X42] a pool without name servers takes no zone, and one with a zone of the name neither', async () => {
      const zone = await api.newZone('twice.task.')
      const empty = (await api.post('/v2/pools', { name: 'empty' })).body.id
      const response = await fetch(`${api.url}/v2/zones/${zone.id}/tasks/pool_move`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ pool_id: empty }),
      })
      deepEqual([response.status, ((await response.json()) as { type: string }).type], [500, 'no_servers_configured'])
      await api.newZone('twice.task.', { attributes: { pool_id: pool } })
      deepEqual(await move(zone, { pool_id: pool }), [409, 'duplicate_zone'])
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.pool_id, defaultPoolId)
    })

    test('[X42] a SECONDARY zone keeps its serial and what its masters gave it', async () => {
      const zone = await api.newZone('away.task.', { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined })
      const before = await journalOf(api.db, zone.id)
      deepEqual(await move(zone, { pool_id: pool }), [202, '""'])
      const moved = (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body
      deepEqual([moved.pool_id, moved.serial, moved.version], [pool, zone.serial, 2])
      deepEqual(await journalOf(api.db, zone.id), before)
    })

    test('[X43] paths around tasks answer as Designate’s do', async () => {
      const zone = await api.newZone('paths.task.')
      for (const [method, path, expected] of [
        ['GET', `/zones/${zone.id}/tasks`, 404],
        ['GET', `/zones/${zone.id}/tasks/abandon`, 405],
        ['GET', `/zones/${zone.id}/tasks/xfr`, 405],
        ['GET', '/zones/tasks', 404],
        ['GET', '/zones/tasks/abandon', 404],
        ['GET', '/zones/tasks/transfer_requests.json', 404],
        ['GET', `/zones/${zone.id}/bogus`, 404],
        ['POST', `/zones/${zone.id}/tasks/bogus`, 405],
        ['DELETE', '/zones/tasks/transfer_accepts', 405],
        ['PUT', `/zones/${zone.id}`, 405],
      ] as const) {
        for (const mount of ['/v2', '/openstack/v2']) {
          equal((await api.call(method, mount + path)).status, expected, `${method} ${mount}${path}`)
        }
      }
    })
  })
}
