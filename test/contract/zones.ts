import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import type { NewStore, Page, Problem } from '../support/api.ts'
import { journalOf, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })
const everywhere = { 'X-Auth-All-Projects': 'true' }
const nowhere = '00000000-0000-0000-0000-00000000dead'
const fields = [
  ...['id', 'pool_id', 'project_id', 'name', 'email', 'description', 'ttl', 'serial', 'shared', 'status', 'action'],
  ...['version', 'attributes', 'type', 'masters', 'created_at', 'updated_at', 'transferred_at', 'links'],
]

/** The rules of zones as a resource. */
export function zoneRules(engine: string, newStore: NewStore): void {
  describe(`zones on ${engine}`, () => {
    let api: ZonesApi
    before(async () => {
      api = await startZonesApi(newStore, { minTtl: 0 })
    })
    after(() => api.close())

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[N1] a new zone is answered 202 with its place and every field, PENDING until it is published (${mount})`, async () => {
        const name = `made${mount.length}.example.`
        const { status, headers, body } = await api.post<ShownZone>(`${mount}/zones`, { name, email: 'a@example.org' })
        equal(status, 202)
        equal(headers.get('content-type'), 'application/json')
        deepEqual(Object.keys(body), fields)
        equal(headers.get('location'), `${api.url}${mount}/zones/${body.id}`)
        equal(body.links.self, headers.get('location'))
        const { id, created_at, serial, links, ...rest } = body
        match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
        ok(Math.abs(serial - Date.now() / 1000) < 30)
        deepEqual(rest, {
          pool_id: '794ccc2c-d751-44fe-b57f-8894c9f5c842',
          project_id: 'noauth-project',
          name,
          email: 'a@example.org',
          description: null,
          ttl: 3600,
          shared: false,
          status: 'PENDING',
          action: 'CREATE',
          version: 1,
          attributes: {},
          type: 'PRIMARY',
          masters: [],
          updated_at: null,
          transferred_at: null,
        })
        deepEqual((await api.get(`${mount}/zones/${id}`)).body, body)
        await api.publish()
        const published = (await api.get<ShownZone>(`${mount}/zones/${id}`)).body
        deepEqual(published, { ...body, status: 'ACTIVE', action: 'NONE' })
      })
    }

    test('[N2] PATCH changes what it names: 202, PENDING, a version and a serial further', async () => {
      const made = await api.newZone('patch.example.', { description: 'x', attributes: { a: 'b', c: 'd' } })
      await api.publish()
      const changes = { email: 'new.contact@example.net', ttl: 60, description: null, attributes: { e: 'f' } }
      const { status, body } = await api.patch<ShownZone>(`/v2/zones/${made.id}`, changes)
      equal(status, 202)
      notEqual(body.updated_at, null)
      ok(body.serial > made.serial)
      const { updated_at, serial } = body
      const pending = { status: 'PENDING', action: 'UPDATE' }
      deepEqual(body, { ...made, ...changes, ...pending, version: 2, updated_at, serial })
      deepEqual((await api.get(`/v2/zones/${made.id}`)).body, body)
    })

    test('[N3] a PATCH that changes nothing changes nothing, not even the version, and is answered 200 once published', async () => {
      const made = await api.newZone('same.example.', { description: 'x', attributes: { a: 'b' } })
      await api.publish()
      const before = (await api.get<ShownZone>(`/v2/zones/${made.id}`)).body
      for (const body of [
        {},
        { email: 'a@example.org' },
        { ttl: 3600, description: 'x', attributes: { a: 'b' }, masters: [] },
        { ttl: null },
      ]) {
        const answer = await api.patch(`/v2/zones/${made.id}`, body)
        equal(answer.status, 200)
        deepEqual(answer.body, before)
      }
      equal((await journalOf(api.db, made.id)).length, 1)
      await api.patch(`/v2/zones/${made.id}`, { description: 'y' })
      equal((await api.patch(`/v2/zones/${made.id}`, {})).status, 202, 'while it is pending')
    })

    test('[N4] the whole answer of a GET may be changed and sent back, also when it has been published meanwhile', async () => {
      for (const [name, more] of [
        ['whole.example.', { email: 'a@example.org' }],
        ['whole-secondary.example.', { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined }],
      ] as const) {
        const made = await api.newZone(name, more)
        const seen = (await api.get<ShownZone>(`/v2/zones/${made.id}`)).body
        await api.publish()
        equal((await api.patch(`/v2/zones/${made.id}`, seen)).status, 200)
        const { status, body } = await api.patch<ShownZone>(`/v2/zones/${made.id}`, { ...seen, description: 'changed' })
        equal(status, 202, name)
        equal(body.description, 'changed')
        const [code, type] = await api.refused('PATCH', `/v2/zones/${made.id}`, { ...seen, description: 'again' })
        deepEqual([code, type], [400, 'invalid_object'], 'by now it is of an older version')
      }
    })

    test('[N5] what the service sets cannot be given, and what is set on create cannot be changed', async () => {
      const made = await api.newZone('fixed.example.')
      const readOnly = {
        id: nowhere,
        pool_id: nowhere,
        project_id: 'other',
        serial: 1,
        shared: true,
        status: 'ERROR',
        action: 'DELETE',
        version: 9,
        created_at: '2026-01-01T00:00:00.000000',
        updated_at: '2026-01-01T00:00:00.000000',
        transferred_at: '2026-01-01T00:00:00.000000',
        links: {},
        bogus: 1,
      }
      for (const [key, value] of Object.entries(readOnly)) {
        const created = { name: 'refused.example.', email: 'a@example.org', [key]: value }
        deepEqual((await api.refused('POST', '/v2/zones', created)).slice(0, 2), [400, 'invalid_object'], key)
        const patched = await api.refused('PATCH', `/v2/zones/${made.id}`, { [key]: value })
        deepEqual(patched.slice(0, 2), [400, 'invalid_object'], key)
      }
      match((await api.refused('PATCH', `/v2/zones/${made.id}`, { pool_id: nowhere }))[2]!, /tasks\/pool_move/)
      for (const body of [{ name: 'other.example.' }, { type: 'SECONDARY' }, { name: null }])
        equal((await api.refused('PATCH', `/v2/zones/${made.id}`, body))[1], 'invalid_object')
      equal((await api.patch(`/v2/zones/${made.id}`, { name: 'fixed.example.', type: 'PRIMARY' })).status, 202)
      deepEqual((await api.list('/v2/zones?name=refused.example.')).body.zones, [])
    })

    test('[N13] an e-mail address has one @, a mailbox and a domain', async () => {
      const made = await api.newZone('email.example.')
      for (const email of [
        'nope',
        'a@b@c.org',
        '',
        '@example.org',
        'a@',
        'a@b..c',
        'a b@c.org',
        'a@-x.org',
        4,
        [],
        null,
      ]) {
        const created = await api.refused('POST', '/v2/zones', { name: 'bad-email.example.', email })
        deepEqual(created.slice(0, 2), [400, 'invalid_object'], String(email))
        const patched = await api.refused('PATCH', `/v2/zones/${made.id}`, { email })
        deepEqual(patched.slice(0, 2), [400, 'invalid_object'], String(email))
      }
      for (const email of ['first.last@example.org', 'a+b@example.org', `${'a'.repeat(63)}@example.org`])
        equal((await api.patch<ShownZone>(`/v2/zones/${made.id}`, { email })).body.email, email)
      const [, , message] = await api.refused('POST', '/v2/zones', { name: 'none.example.' })
      equal(message, "type.email: 'email' is a required property")
    })

    test('[N14] a TTL is a whole number up to 2147483647; absent or null is the default; below the least only for administrators', async () => {
      equal((await api.newZone('ttl-null.example.', { ttl: null })).ttl, 3600)
      equal((await api.newZone('ttl-zero.example.', { ttl: 0 })).ttl, 0)
      equal((await api.newZone('ttl-most.example.', { ttl: 2_147_483_647 })).ttl, 2_147_483_647)
      for (const ttl of [-1, 2_147_483_648, '60', 1.5, true, []]) {
        const body = { name: 'ttl.example.', email: 'a@example.org', ttl }
        deepEqual((await api.refused('POST', '/v2/zones', body)).slice(0, 2), [400, 'invalid_object'], String(ttl))
      }
      const strict = await startZonesApi(newStore, { minTtl: 60 })
      try {
        const made = await strict.newZone('low.example.', { ttl: 59 })
        const member = as('member', 'noauth-project')
        const body = { name: 'lower.example.', email: 'a@example.org', ttl: 59 }
        deepEqual((await strict.refused('POST', '/v2/zones', body, member)).slice(0, 2), [400, 'invalid_ttl'])
        const low = await strict.refused('PATCH', `/v2/zones/${made.id}`, { ttl: 58 }, member)
        deepEqual(low.slice(0, 2), [400, 'invalid_ttl'])
        equal((await strict.patch(`/v2/zones/${made.id}`, { ttl: 59, description: 'x' }, member)).status, 202)
        equal((await strict.patch(`/v2/zones/${made.id}`, { ttl: 60 }, member)).status, 202)
      } finally {
        await strict.close()
      }
    })

    test('[N15] descriptions have up to 160 characters, attributes up to 100 names and values of 50', async () => {
      const long = '☃'.repeat(160)
      equal((await api.newZone('described.example.', { description: long })).description, long)
      const attributes = Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [`${i}`.padEnd(50, 'k'), 'v'.repeat(50)]),
      )
      deepEqual((await api.newZone('attributed.example.', { attributes })).attributes, attributes)
      for (const body of [
        { description: `${long}x` },
        { description: 5 },
        { description: 'a\u0000b' },
        { attributes: ['a'] },
        { attributes: { a: 1 } },
        { attributes: { a: { b: 'c' } } },
        { attributes: { ['k'.repeat(51)]: 'v' } },
        { attributes: { k: 'v'.repeat(51) } },
        { attributes: { ...attributes, onemore: 'v' } },
      ]) {
        const whole = { name: 'too-much.example.', email: 'a@example.org', ...body }
        deepEqual((await api.refused('POST', '/v2/zones', whole)).slice(0, 2), [400, 'invalid_object'])
      }
    })

    test('[N16] a zone is PRIMARY unless it says SECONDARY; CATALOG is the service’s own, and null is no type', async () => {
      equal((await api.newZone('explicit.example.', { type: 'PRIMARY' })).type, 'PRIMARY')
      for (const type of ['BOGUS', 'primary', null, 5, '']) {
        const body = { name: 'typed.example.', email: 'a@example.org', type }
        deepEqual((await api.refused('POST', '/v2/zones', body)).slice(0, 2), [400, 'invalid_object'], String(type))
      }
      const catalog = { name: 'typed.example.', email: 'a@example.org', type: 'CATALOG' }
      deepEqual((await api.refused('POST', '/v2/zones', catalog)).slice(0, 2), [403, 'forbidden'])
      const [, , message] = await api.refused('POST', '/v2/zones', {
        name: 'typed.example.',
        email: 'a@example.org',
        masters: ['192.0.2.1'],
      })
      equal(message, "type: 'masters' has more items than allowed")
    })

    test('[N17] a SECONDARY zone has masters, each an address with an optional port, and neither e-mail nor TTL of its own', async () => {
      const masters = [
        '192.0.2.1',
        '192.0.2.2:53',
        '192.0.2.3:5300',
        '2001:db8::1',
        '[2001:db8::2]',
        '[2001:db8::3]:5300',
      ]
      const made = await api.newZone('secondary.example.', { type: 'SECONDARY', masters, email: undefined })
      deepEqual(made.masters, [
        ...['192.0.2.1', '192.0.2.2', '192.0.2.3:5300'],
        ...['2001:db8::1', '2001:db8::2', '[2001:db8::3]:5300'],
      ])
      deepEqual([made.email, made.serial, made.ttl], ['hostmaster@example.com', 1, 3600])
      const one = '192.0.2.1'
      for (const body of [
        {},
        { masters: [] },
        { masters: [one], email: 'a@example.org' },
        { masters: [one], ttl: 60 },
        ...[
          '',
          'ns1.example.',
          '192.0.2.1:0',
          '192.0.2.1:65536',
          '192.0.2.256',
          'fe80::1%eth0',
          '192.0.2.1:',
          ':53',
          '[::1',
          5,
        ].map((master) => ({ masters: [master] })),
        { masters: one },
        { masters: Array.from({ length: 33 }, () => one) },
      ]) {
        const whole = { name: 'bad-secondary.example.', type: 'SECONDARY', ...body }
        const answer = await api.refused('POST', '/v2/zones', whole)
        deepEqual(answer.slice(0, 2), [400, 'invalid_object'], JSON.stringify(body))
      }
      const path = `/v2/zones/${made.id}`
      deepEqual((await api.patch<ShownZone>(path, { masters: ['192.0.2.9:53'] })).body.masters, ['192.0.2.9'])
      for (const body of [{ masters: [] }, { masters: null }, { email: 'b@example.org' }, { ttl: 60 }])
        deepEqual((await api.refused('PATCH', path, body)).slice(0, 2), [400, 'invalid_object'], JSON.stringify(body))
      equal((await api.patch(path, { ttl: null, email: null })).status, 202)
      const { recordsets } = (await api.list(`/v2/zones/${made.id}/recordsets`)).body
      deepEqual(
        recordsets?.map(({ type }) => type),
        ['SOA'],
      )
    })

    test('[N20] the list is filtered by name, type, email, status, description and ttl, and sorted by eight keys', async () => {
      const headers = as('admin', 'lister')
      const names = ['c.list.example.', 'A.list.example.', 'b.list.example.']
      for (const [i, name] of names.entries()) {
        const more = { email: `${i}@list.example`, ttl: 100 + i, description: `number ${i}` }
        await api.newZone(name, more, headers)
      }
      await api.newZone('s.list.example.', { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined }, headers)
      const listed = async (query: string) =>
        (await api.list(`/v2/zones?${query}`, headers)).body.zones!.map(({ name }) => name)
      deepEqual(await listed(''), [...names, 's.list.example.'])
      deepEqual(await listed('name=a.LIST.example.'), ['A.list.example.'])
      deepEqual(await listed('name=*.list.example.&type=PRIMARY'), names)
      deepEqual(await listed('type=SECONDARY'), ['s.list.example.'])
      deepEqual(await listed('email=1@list.example'), ['A.list.example.'])
      deepEqual(await listed('status=PENDING&limit=1'), ['c.list.example.'])
      deepEqual(await listed('status=ERROR'), [])
      deepEqual(await listed('description=number+2'), ['b.list.example.'])
      deepEqual(await listed('description=*1'), ['A.list.example.'])
      deepEqual(await listed('ttl=102'), ['b.list.example.'])
      deepEqual(await listed('ttl=abc'), [])
      deepEqual(await listed('sort_key=name'), [
        'A.list.example.',
        'b.list.example.',
        'c.list.example.',
        's.list.example.',
      ])
      deepEqual(await listed('sort_key=ttl&sort_dir=desc&limit=2'), ['s.list.example.', 'b.list.example.'])
      for (const key of ['created_at', 'id', 'updated_at', 'name', 'tenant_id', 'serial', 'ttl', 'status'])
        equal((await listed(`sort_key=${key}`)).length, 4, key)
      for (const key of ['email', 'description', 'bogus', 'attributes'])
        deepEqual((await api.refused('GET', `/v2/zones?sort_key=${key}`))[1], 'invalid_sort_key')
      for (const filter of ['bogus', 'version', 'pool_id', 'serial'])
        deepEqual((await api.refused('GET', `/v2/zones?${filter}=1`))[1], 'bad_request')
    })

    test('[N20] rows of the list have every field; the total is told under /openstack/v2 alone, and stays exact', async () => {
      const headers = as('admin', 'counter')
      const total = async (query = '') =>
        (await api.list(`/openstack/v2/zones${query}`, headers)).body.metadata as { total_count: number }
      deepEqual(await total(), { total_count: 0 })
      const made = await api.newZone('counted.example.', {}, headers)
      await api.newZone('counted-too.example.', {}, headers)
      deepEqual(await total('?limit=1'), { total_count: 2 })
      deepEqual(await total('?name=counted.*'), { total_count: 1 })
      const page = (await api.list('/openstack/v2/zones?limit=1', headers)).body
      deepEqual(Object.keys(page.zones![0]!), fields)
      equal('metadata' in (await api.list('/v2/zones', headers)).body, false)
      const hidden = { ...headers, 'OpenStack-DNS-Hide-Counts': 'true' }
      deepEqual((await api.list('/openstack/v2/zones', hidden)).body.metadata, { total_count: 2 })
      await api.delete(`/v2/zones/${made.id}`, headers)
      deepEqual(await total(), { total_count: 2 }, 'while it is still listed')
      await api.publish()
      deepEqual(await total(), { total_count: 1 })
    })

    test('[N21] a zone of another project is not found, by administrators too unless they ask for all projects', async () => {
      const made = await api.newZone('mine.example.', {}, as('member', 'mine'))
      const path = `/v2/zones/${made.id}`
      for (const [method, at, body] of [
        ['GET', path, undefined],
        ['PATCH', path, {}],
        ['DELETE', path, undefined],
        ['GET', `${path}/nameservers`, undefined],
        ['GET', `${path}/recordsets`, undefined],
      ] as const) {
        for (const headers of [as('member', 'yours'), as('admin', 'yours')])
          deepEqual((await api.refused(method, at, body, headers)).slice(0, 3), [
            404,
            'zone_not_found',
            'Could not find Zone',
          ])
      }
      equal((await api.get(path, { ...as('admin', 'yours'), ...everywhere })).status, 200)
      equal((await api.get(path, { 'X-Auth-Sudo-Project-ID': 'mine' })).status, 200)
      deepEqual((await api.list('/v2/zones', as('member', 'yours'))).body.zones, [])
      const sudo = await api.newZone('for-mine.example.', {}, { 'X-Auth-Sudo-Tenant-ID': 'mine' })
      equal(sudo.project_id, 'mine')
      const all = await api.list('/v2/zones?limit=max', everywhere)
      ok(all.body.zones!.some(({ id }) => id === made.id))
      for (const name of ['X-Auth-All-Projects', 'X-Auth-Sudo-Project-ID'])
        deepEqual(
          (await api.refused('GET', path, undefined, { ...as('member', 'mine'), [name]: 'true' }))[1],
          'forbidden',
        )
    })

    test('[N22] DELETE answers 202 with the zone; its name is free at once, and it is gone once no server has it', async () => {
      const made = await api.newZone('deleted.example.')
      const path = `/v2/zones/${made.id}`
      const set = await api.newSet(made, 'www.deleted.example.', 'A', ['192.0.2.1'])
      const { status, body } = await api.delete<ShownZone>(path)
      equal(status, 202)
      deepEqual([body.id, body.action, body.status], [made.id, 'DELETE', 'PENDING'])
      const seen = await api.get<ShownZone>(path)
      deepEqual([seen.status, seen.body.action, seen.body.status], [200, 'DELETE', 'PENDING'])
      equal((await api.list('/v2/zones?name=deleted.example.')).body.zones!.length, 1)
      for (const [method, at, sent] of [
        ['PATCH', path, { ttl: 5 }],
        ['POST', `${path}/recordsets`, { name: 'a.deleted.example.', type: 'A', records: [] }],
        ['PUT', `${path}/recordsets/${set.id}`, { ttl: 5 }],
        ['PUT', `${path}/recordsets/b.deleted.example./A`, { records: [] }],
        ['DELETE', `${path}/recordsets/${set.id}`, undefined],
      ] as const)
        deepEqual((await api.refused(method, at, sent)).slice(0, 2), [400, 'bad_request'], `${method} ${at}`)
      equal((await api.delete(path)).status, 202, 'once more')
      const again = await api.newZone('deleted.example.')
      notEqual(again.id, made.id)
      await api.publish()
      for (const [method, at] of [
        ['GET', path],
        ['DELETE', path],
        ['GET', `${path}/recordsets`],
      ] as const)
        deepEqual((await api.refused(method, at)).slice(0, 2), [404, 'zone_not_found'])
      equal((await api.refused('GET', `/v2/recordsets/${set.id}`))[1], 'recordset_not_found')
      deepEqual(
        (await api.list('/v2/zones?name=deleted.example.')).body.zones!.map(({ id }) => id),
        [again.id],
      )
    })

    test('[N29] a zone has an ETag; If-Match refuses what has changed since, If-None-Match spares what is known', async () => {
      const made = await api.post<ShownZone>('/v2/zones', { name: 'tagged.example.', email: 'a@example.org' })
      const path = `/v2/zones/${made.body.id}`
      const tag = made.headers.get('etag')!
      equal((await api.get(path)).headers.get('etag'), tag)
      const known = await api.get(path, { 'If-None-Match': `"x", ${tag}` })
      deepEqual([known.status, known.text, known.headers.get('etag')], [304, '', tag])
      equal((await api.get(path, { 'If-None-Match': '*' })).status, 304)
      await api.publish()
      equal((await api.get(path, { 'If-None-Match': tag })).status, 200, 'its status has changed')
      const patched = await api.patch<ShownZone>(path, { ttl: 5 }, { 'If-Match': tag })
      equal(patched.status, 202, 'which is no edit')
      deepEqual((await api.refused('PATCH', path, { ttl: 6 }, { 'If-Match': tag })).slice(0, 2), [
        412,
        'precondition_failed',
      ])
      deepEqual((await api.refused('DELETE', path, undefined, { 'If-Match': tag })).slice(0, 2), [
        412,
        'precondition_failed',
      ])
      const now = patched.headers.get('etag')!
      deepEqual((await api.refused('PATCH', path, { ttl: 6 }, { 'If-None-Match': now }))[0], 412)
      deepEqual((await api.refused('PATCH', path, {}, { 'If-None-Match': '*' }))[0], 412)
      equal((await api.patch(path, { ttl: 6 }, { 'If-Match': `W/${now}` })).status, 202)
      equal((await api.delete(path, { 'If-Match': '*' })).status, 202)
    })

    test('[N30] members make and change zones, readers see them, others nothing', async () => {
      const made = await api.newZone('roles.example.', {}, as('member', 'roles'))
      const path = `/v2/zones/${made.id}`
      for (const at of ['/v2/zones', path, `${path}/nameservers`]) {
        equal((await api.get(at, as('reader', 'roles'))).status, 200)
        deepEqual((await api.refused('GET', at, undefined, as('nobody', 'roles'))).slice(0, 2), [403, 'forbidden'])
      }
      const body = { name: 'roles-too.example.', email: 'a@example.org' }
      deepEqual((await api.refused('POST', '/v2/zones', body, as('reader', 'roles')))[1], 'forbidden')
      deepEqual((await api.refused('PATCH', path, {}, as('reader', 'roles')))[1], 'forbidden')
      deepEqual((await api.refused('DELETE', path, undefined, as('reader', 'roles')))[1], 'forbidden')
    })

    test('[N31] words where an id would stand, and paths below a zone that there are not', async () => {
      const zone = `/v2/zones/${(await api.newZone('paths.example.')).id}`
      for (const [method, path, status] of [
        ['GET', '/v2/zones/recordsets', 404],
        ['POST', '/v2/zones/recordsets', 404],
        ['PATCH', '/v2/zones/recordsets', 405],
        ['DELETE', '/v2/zones/recordsets', 405],
        ['GET', '/v2/zones/tasks', 404],
        ['GET', '/v2/zones/tasks/abandon', 404],
        ['GET', `${zone}/tasks`, 404],
        ['GET', `${zone}/bogus`, 404],
        ['PATCH', `${zone}/bogus`, 404],
        ['DELETE', `${zone}/bogus`, 404],
        ['POST', `${zone}/bogus`, 405],
        ['PUT', zone, 405],
        ['POST', zone, 405],
        ['PATCH', '/v2/zones', 405],
        ['DELETE', '/v2/zones', 405],
        ['GET', `${zone}/recordsets/x/y/z`, 404],
        ['GET', `${zone}/recordsets/${nowhere}/records`, 404],
        ['PUT', `${zone}/recordsets/${nowhere}/records`, 404],
        ['PATCH', `${zone}/recordsets/${nowhere}/records/`, 404],
        ['DELETE', `${zone}/recordsets/${nowhere}/records`, 404],
        ['POST', `${zone}/recordsets/${nowhere}/records`, 405],
        ['GET', `${zone}/recordsets/${nowhere}/records/${nowhere}`, 404],
        ['GET', '/v2/zones.json', 404],
        ['GET', '/v2/zones/notauuid', 400],
        ['GET', `${zone}.json`, 400],
      ] as const) {
        for (const at of [path, path.replace('/v2', '/openstack/v2')])
          equal((await api.call<Problem>(method, at)).status, status, `${method} ${at}`)
      }
    })

    test('[N25] the name servers of a zone are those of its pool', async () => {
      const made = await api.newZone('served.example.')
      const { status, body } = await api.get<Page>(`/v2/zones/${made.id}/nameservers`)
      equal(status, 200)
      deepEqual(body, { nameservers: [{ hostname: 'ns1.nameplane.test.', priority: 1 }] })
      deepEqual((await api.refused('GET', `/v2/zones/${nowhere}/nameservers`)).slice(0, 2), [404, 'zone_not_found'])
      equal((await api.refused('POST', `/v2/zones/${made.id}/nameservers`, {}))[0], 405)
    })

    test('[N1] of two who create the same zone at once one is told that it is there', async () => {
      const body = { name: 'twice.example.', email: 'a@example.org' }
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.post<Problem>('/v2/zones', body)))
      deepEqual(answers.map(({ status }) => status).toSorted(), [202, ...Array.from({ length: 7 }, () => 409)])
      const rows = await api.db.read((tx) => tx.all(sql`select id from zones where name_key = 'twice.example.'`))
      equal(rows.length, 1)
    })
  })
}
