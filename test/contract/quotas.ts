import { deepEqual, equal, match } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { believeHeaders } from '../../src/api/auth.ts'
import { sql } from '../../src/db/sql.ts'
import { routes } from '../../src/resources/index.ts'
import { quotaPresets } from '../../src/resources/quotas/fields.ts'
import { type Api, type NewStore, type Problem, startTestApi } from '../support/api.ts'
import { testSettings } from '../support/settings.ts'

type Quotas = Record<string, number>

const everywhere = { 'X-Auth-All-Projects': 'true' }
const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })
const defaults = quotaPresets.nameplane

/** The rules of quotas and limits. */
export function quotaRules(engine: string, newStore: NewStore): void {
  describe(`quotas on ${engine}`, () => {
    let api: Api
    before(async () => {
      api = await startTestApi(newStore, {
        // A token without a project, as other kinds of authentication can have.
        authenticate: async (headers) => {
          const caller = await believeHeaders(headers)
          return headers['x-no-project'] === undefined ? caller : { ...caller, project_id: '' }
        },
        routes: routes({ ...testSettings, minTtl: 30 }),
        maxLimit: 700,
      })
    })
    beforeEach(() => api.db.write((tx) => tx.run(sql`delete from quotas`)))
    after(() => api.close())

    const refused = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
      const all = body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' }
      const answer = await api.call<Problem>(method, path, { headers: all, ...(body !== undefined && { body }) })
      return [answer.status, answer.body?.type]
    }

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[Q1] quotas are one flat object of exactly five numbers, the defaults at first (${mount})`, async () => {
        const { status, headers, body } = await api.get<Quotas>(`${mount}/quotas`)
        equal(status, 200)
        equal(headers.get('content-type'), 'application/json')
        deepEqual(body, defaults)
        deepEqual((await api.get<Quotas>(`${mount}/quotas/p`, as('reader', 'p'))).body, defaults)
      })
    }

    test('[Q2] PATCH sets what it names, answers 200 with all five, and leaves the rest and other projects alone', async () => {
      const { status, body } = await api.patch<Quotas>('/v2/quotas/p', { zones: 2 }, everywhere)
      equal(status, 200)
      deepEqual(body, { ...defaults, zones: 2 })
      await api.patch('/v2/quotas/p', { zone_records: -1, recordset_records: 0 }, everywhere)
      const expected = { ...defaults, zones: 2, zone_records: -1, recordset_records: 0 }
      deepEqual((await api.get<Quotas>('/v2/quotas', as('reader', 'p'))).body, expected)
      deepEqual((await api.patch<Quotas>('/v2/quotas/p', {}, everywhere)).body, expected)
      deepEqual((await api.get<Quotas>('/v2/quotas', as('reader', 'q'))).body, defaults)
    })

    test('[Q2] the whole answer of a GET may be changed and sent back', async () => {
      const shown = (await api.get<Quotas>('/v2/quotas')).body
      const sent = { ...shown, zones: 2_147_483_647 }
      deepEqual((await api.patch<Quotas>('/v2/quotas/noauth-project', sent)).body, sent)
    })

    test('[Q3] a name or a value that is no quota is refused with its place, and nothing is set', async () => {
      const bad = { zones: -2, zone_records: 2_147_483_648, zone_recordsets: '12', recordset_records: 1.5 }
      const body = { ...bad, api_export_size: null, bananas: 3 }
      const answer = await api.patch<Problem>('/v2/quotas/p', { ...body }, everywhere)
      deepEqual([answer.status, answer.body.type], [400, 'invalid_object'])
      deepEqual(
        answer.body.errors!.errors.map(({ path }) => path).toSorted(),
        Object.keys(body)
          .map((key) => [key])
          .toSorted(),
      )
      match(answer.body.message, /zones: must be -1\.\.2147483647, not -2/)
      deepEqual((await api.get<Quotas>('/v2/quotas/p', everywhere)).body, defaults)
    })

    test('[Q3] one bad value among good ones keeps them all out', async () => {
      deepEqual(await refused('PATCH', '/v2/quotas/p', everywhere, { zones: 5, zone_records: true }), [
        400,
        'invalid_object',
      ])
      deepEqual(await refused('PATCH', '/v2/quotas/p', everywhere, [1]), [400, 'invalid_object'])
      deepEqual((await api.get<Quotas>('/v2/quotas/p', everywhere)).body, defaults)
    })

    test('[Q4] readers see the quotas of their own project, and administrators set them', async () => {
      equal((await api.get('/v2/quotas/p', as('reader', 'p'))).status, 200)
      equal((await api.patch('/v2/quotas/p', { zones: 4 }, as('admin', 'p'))).status, 200)
      equal((await api.delete('/v2/quotas/p', as('admin', 'p'))).status, 204)
      for (const [method, body] of [
        ['PATCH', { zones: 4 }],
        ['DELETE', undefined],
      ] as const) {
        deepEqual(await refused(method, '/v2/quotas/p', as('member', 'p'), body), [403, 'forbidden'])
      }
      deepEqual(await refused('GET', '/v2/quotas', as('stranger', 'p')), [403, 'forbidden'])
    })

    test('[Q5] the quotas of another project need all-projects, which only administrators may ask for', async () => {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { zones: 4 }],
        ['DELETE', undefined],
      ] as const) {
        deepEqual(await refused(method, '/v2/quotas/p', as('admin', 'other'), body), [403, 'forbidden'])
        deepEqual(await refused(method, '/v2/quotas/p', { ...as('member', 'other'), ...everywhere }, body), [
          403,
          'forbidden',
        ])
      }
      equal((await api.get('/v2/quotas/p?all_projects=true', as('admin', 'other'))).status, 200)
      equal((await api.patch('/v2/quotas/p', { zones: 4 }, { ...as('admin', 'other'), ...everywhere })).status, 200)
    })

    test('[Q5] who acts for a project has its quotas as its own', async () => {
      const sudo = { 'X-Auth-Sudo-Project-ID': 'p' }
      equal((await api.patch('/v2/quotas/p', { zones: 4 }, sudo)).status, 200)
      equal((await api.get<Quotas>('/v2/quotas', sudo)).body.zones, 4)
      deepEqual(await refused('GET', '/v2/quotas/q', sudo), [403, 'forbidden'])
    })

    test('[Q6] a caller without a project is told so, unless it asks for all projects', async () => {
      const none = { 'X-No-Project': '1' }
      deepEqual(await refused('GET', '/v2/quotas', none), [401, 'missing_project_id'])
      deepEqual(await refused('GET', '/v2/quotas/p', none), [401, 'missing_project_id'])
      deepEqual(await refused('PATCH', '/v2/quotas/p', none, { zones: 1 }), [401, 'missing_project_id'])
      deepEqual(await refused('DELETE', '/v2/quotas/p', none), [401, 'missing_project_id'])
      equal((await api.get('/v2/quotas/p', { ...none, ...everywhere })).status, 200)
    })

    test('[Q7] DELETE answers 204 with nothing and puts the project back to the defaults, set or not', async () => {
      await api.patch('/v2/quotas/p', { zones: 4 }, everywhere)
      for (const _ of ['set', 'not set']) {
        const { status, text } = await api.delete('/v2/quotas/p', everywhere)
        deepEqual([status, text], [204, ''])
        deepEqual((await api.get<Quotas>('/v2/quotas/p', everywhere)).body, defaults)
      }
    })

    test('[Q10] a project id is any text up to 255 characters', async () => {
      for (const id of ['a b', 'ключ', '../x', "'; drop table quotas; --", 'x'.repeat(255)]) {
        const path = `/v2/quotas/${encodeURIComponent(id)}`
        equal((await api.patch<Quotas>(path, { zones: 9 }, everywhere)).body.zones, 9, id)
        equal((await api.get<Quotas>(path, everywhere)).body.zones, 9, id)
      }
      deepEqual(await refused('GET', `/v2/quotas/${'x'.repeat(256)}`, everywhere), [400, 'bad_request'])
      deepEqual(await refused('GET', '/v2/quotas/a%00b', everywhere), [400, 'bad_request'])
    })

    test('[Q10] quotas are not created, and take no query', async () => {
      deepEqual(await refused('POST', '/v2/quotas', {}, { zones: 1 }), [405, 'method_not_allowed'])
      deepEqual(await refused('GET', '/v2/quotas?limit=3', {}), [400, 'bad_request'])
    })

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[Q11] limits are the quotas of the caller and the bounds of the service (${mount})`, async () => {
        await api.patch(
          '/v2/quotas/p',
          { zones: 4, zone_recordsets: 5, zone_records: 6, recordset_records: -1 },
          everywhere,
        )
        const { status, headers, body } = await api.get<Quotas>(`${mount}/limits`, as('nobody', 'p'))
        equal(status, 200)
        equal(headers.get('content-type'), 'application/json')
        deepEqual(body, {
          max_zones: 4,
          max_zone_recordsets: 5,
          max_zone_records: 6,
          max_recordset_records: -1,
          min_ttl: 30,
          max_zone_name_length: 255,
          max_recordset_name_length: 255,
          max_page_limit: 700,
        })
      })
    }
  })
}
