import { deepEqual, equal } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { quotaPresets } from '../../src/resources/quotas/fields.ts'
import type { NewStore } from '../support/api.ts'
import { startZonesApi, type ZonesApi } from '../support/zones-api.ts'
import { as } from './transfers.ts'

type Counts = { readonly counts: readonly Record<string, number>[] }
type Tenants = {
  readonly tenants: readonly { id: string; zone_count?: number; zones_count?: number; zones?: string[] }[]
  readonly links: { readonly self: string; readonly next?: string }
  readonly metadata: object
}

/** The rules of the admin API. */
export function adminRules(engine: string, newStore: NewStore): void {
  describe(`the admin API on ${engine}`, () => {
    let api: ZonesApi
    before(async () => {
      api = await startZonesApi(newStore)
      for (const [project, zones] of [
        ['alpha', 2],
        ['beta', 1],
        ['a/b ü!', 1],
      ] as const) {
        for (let i = 0; i < zones; i += 1) {
          const zone = await api.newZone(`z${i}.${project.length}.admin.`, {}, as(project))
          const body = { name: zone.name, type: 'A', records: ['192.0.2.1', '192.0.2.2'] }
          equal((await api.post(`/v2/zones/${zone.id}/recordsets`, body, as(project))).status, 202)
        }
      }
    })
    after(() => api.close())

    test('[V10] without the setting there is no admin API', async () => {
      const without = await startZonesApi(newStore, { adminApi: false })
      try {
        for (const path of ['/admin', '/admin/reports/counts', '/admin/quotas/p', '/openstack/admin/reports/tenants']) {
          deepEqual((await without.refused('GET', path)).slice(0, 2), [404, 'not_found'], path)
        }
      } finally {
        await without.close()
      }
    })

    test('[V10] all of it needs an administrator', async () => {
      for (const path of [
        '/reports/counts',
        '/reports/counts/zones',
        '/reports/tenants',
        '/reports/tenants/p',
        '/quotas/p',
      ]) {
        equal((await api.get(`/admin${path}`, as('alpha'))).status, 403, path)
        equal((await api.get(`/openstack/admin${path}`)).status, 200, path)
      }
      equal((await api.patch('/admin/quotas/p', { quota: { zones: 1 } }, as('p'))).status, 403)
      equal((await api.delete('/admin/quotas/p', as('p'))).status, 403)
      equal((await api.get('/admin')).status, 404)
    })

    test('[V11] the counts are of all projects together, and follow every change', async () => {
      const counts = async (what = '') => (await api.get<Counts>(`/admin/reports/counts${what}`)).body
      deepEqual(await counts(), { counts: [{ zones: 4, records: 8, tenants: 3 }] })
      deepEqual(await counts('/zones'), { counts: [{ zones: 4 }] })
      deepEqual(await counts('/records'), { counts: [{ records: 8 }] })
      deepEqual(await counts('/tenants'), { counts: [{ tenants: 3 }] })
      deepEqual(await counts('/zones_delayed_notify'), { counts: [{ zones_delayed_notify: 0 }] })
      for (const what of ['bananas', 'toString', 'ZONES']) {
        deepEqual((await api.refused('GET', `/admin/reports/counts/${what}`)).slice(0, 2), [404, 'report_not_found'])
      }
      const zone = await api.newZone('passing.admin.', {}, as('gamma'))
      const sets = `/v2/zones/${zone.id}/recordsets`
      const set = { name: zone.name, type: 'A', records: ['192.0.2.1'] }
      const { id } = (await api.post(sets, set, as('gamma'))).body
      await api.put(`${sets}/${id}`, { records: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] }, as('gamma'))
      deepEqual(await counts(), { counts: [{ zones: 5, records: 11, tenants: 4 }] })
      await api.delete(`${sets}/${id}`, as('gamma'))
      deepEqual(await counts('/records'), { counts: [{ records: 8 }] })
      await api.post(sets, set, as('gamma'))
      await api.delete(`/v2/zones/${zone.id}`, as('gamma'))
      await api.publish()
      deepEqual(await counts(), { counts: [{ zones: 4, records: 8, tenants: 3 }] })
    })

    test('[V11] zones that have not followed their pool are counted', async () => {
      const ns_records = [{ hostname: 'ns1.delayed.', priority: 1 }]
      const pool = (await api.post('/v2/pools', { name: 'delayed', ns_records })).body.id
      const zone = await api.newZone('delayed.admin.', {}, as('alpha'))
      const json = { 'Content-Type': 'application/json', ...as('alpha', 'admin') }
      const moved = await api.call('POST', `/v2/zones/${zone.id}/tasks/pool_move`, {
        headers: json,
        body: { pool_id: pool },
      })
      equal(moved.status, 202)
      await api.patch(`/v2/pools/${pool}`, { ns_records: [{ hostname: 'ns2.delayed.', priority: 1 }] })
      const { body } = await api.get<Counts>('/admin/reports/counts/zones_delayed_notify')
      deepEqual(body, { counts: [{ zones_delayed_notify: 1 }] })
      await api.post(`/v2/zones/${zone.id}/tasks/abandon`, undefined, as('alpha', 'admin'))
    })

    test('[V12] projects that have zones are listed by id and paged', async () => {
      const list = async (query = '') => (await api.get<Tenants>(`/admin/reports/tenants${query}`)).body
      const at = `${api.url}/admin/reports/tenants`
      deepEqual(await list(), {
        tenants: [
          { id: 'a/b ü!', zone_count: 1, links: { self: `${at}/a%2Fb%20%C3%BC!` } },
          { id: 'alpha', zone_count: 2, links: { self: `${at}/alpha` } },
          { id: 'beta', zone_count: 1, links: { self: `${at}/beta` } },
        ],
        links: { self: at },
        metadata: {},
      })
      const detailed = await list('?detail=yes&limit=2')
      deepEqual(detailed.tenants[1], {
        id: 'alpha',
        zones_count: 2,
        zones: ['z0.5.admin.', 'z1.5.admin.'],
        links: { self: `${at}/alpha` },
      })
      equal(detailed.links.next, `${at}?detail=yes&limit=2&marker=alpha`)
      const seen: string[] = []
      for (let next: string | undefined = '?limit=1'; next !== undefined && seen.length < 9; ) {
        const page: Tenants = await list(next)
        seen.push(...page.tenants.map(({ id }) => id))
        next = page.links.next?.slice(at.length)
      }
      deepEqual(seen, ['a/b ü!', 'alpha', 'beta'])
      deepEqual((await api.refused('GET', '/admin/reports/tenants?bogus=1')).slice(0, 2), [400, 'bad_request'])
      deepEqual((await api.refused('GET', '/admin/reports/tenants?limit=0')).slice(0, 2), [400, 'invalid_limit'])
    })

    test('[V12] one project is shown in detail, one without zones too', async () => {
      const at = `${api.url}/openstack/admin/reports/tenants`
      deepEqual((await api.get(`/openstack/admin/reports/tenants/${encodeURIComponent('a/b ü!')}`)).body, {
        id: 'a/b ü!',
        zones_count: 1,
        zones: ['z0.6.admin.'],
        links: { self: `${at}/a%2Fb%20%C3%BC!` },
      })
      deepEqual((await api.get('/openstack/admin/reports/tenants/nobody')).body, {
        id: 'nobody',
        zones_count: 0,
        zones: [],
        links: { self: `${at}/nobody` },
      })
    })

    test('[V14] the owner of a zone exports it at once', async () => {
      const zone = await api.newZone('export.admin.', {}, as('alpha'))
      const path = `/admin/zones/export/${zone.id}`
      const { status, headers, text } = await api.call('GET', path, { headers: { ...as('alpha'), Accept: 'text/dns' } })
      deepEqual([status, headers.get('content-type')?.split(';')[0]], [200, 'text/dns'])
      deepEqual(text.split('\n').slice(0, 2), ['$ORIGIN export.admin.', '$TTL 3600'])
      equal((await api.call('GET', path, { headers: as('beta') })).status, 404)
      equal((await api.call('GET', path, { headers: { 'X-Auth-All-Projects': 'true' } })).status, 200)
    })

    test('[V13] quotas are those of /v2/quotas, wrapped', async () => {
      const path = '/admin/quotas/delta'
      const defaults = quotaPresets.nameplane
      deepEqual((await api.get(path)).body, { quota: defaults })
      const changed = await api.patch(path, { quota: { zones: 7, zone_records: 0 } })
      deepEqual([changed.status, changed.body], [200, { quota: { ...defaults, zones: 7, zone_records: 0 } }])
      deepEqual((await api.get('/v2/quotas', as('delta'))).body, { ...defaults, zones: 7, zone_records: 0 })
      for (const body of [{ quota: { zones: -1 } }, { quota: { bogus: 1 } }, { quota: [] }, { zones: 1 }, []]) {
        deepEqual((await api.refused('PATCH', path, body)).slice(0, 2), [400, 'invalid_object'], JSON.stringify(body))
      }
      const { status, text } = await api.delete(path)
      deepEqual([status, text], [204, ''])
      deepEqual((await api.get(path)).body, { quota: defaults })
      deepEqual((await api.refused('GET', `/admin/quotas/${'x'.repeat(256)}`)).slice(0, 2), [400, 'bad_request'])
    })
  })
}
