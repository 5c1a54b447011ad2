import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { NewStore, Problem } from '../support/api.ts'
import { journalOf, type ShownSet, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })
const everywhere = { 'X-Auth-All-Projects': 'true' }
const nowhere = '00000000-0000-0000-0000-00000000dead'
const fields = [
  ...['id', 'zone_id', 'project_id', 'name', 'zone_name', 'type', 'records', 'description', 'ttl', 'status', 'action'],
  ...['version', 'created_at', 'updated_at', 'links'],
]

/** The rules of record sets as a resource. */
export function recordsetRules(engine: string, newStore: NewStore): void {
  describe(`record sets on ${engine}`, () => {
    let api: ZonesApi
    let zone: ShownZone
    let sets: string
    before(async () => {
      api = await startZonesApi(newStore)
      zone = await api.newZone('sets.example.')
      sets = `/v2/zones/${zone.id}/recordsets`
    })
    after(() => api.close())

    const serialNow = async () => (await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.serial

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[R1] a new set is answered 202 with its place and every field, PENDING until it is published (${mount})`, async () => {
        const path = `${mount}/zones/${zone.id}/recordsets`
        const sent = { name: `made${mount.length}.sets.example.`, type: 'A', records: ['192.0.2.2', '192.0.2.1'] }
        const { status, headers, body } = await api.post<ShownSet>(path, { ...sent, ttl: 300, description: 'web' })
        equal(status, 202)
        deepEqual(Object.keys(body), fields)
        equal(headers.get('location'), `${api.url}${path}/${body.id}`)
        equal(body.links.self, headers.get('location'))
        const { id, created_at, links, ...rest } = body
        match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
        deepEqual(rest, {
          ...sent,
          zone_id: zone.id,
          project_id: 'noauth-project',
          zone_name: 'sets.example.',
          description: 'web',
          ttl: 300,
          status: 'PENDING',
          action: 'CREATE',
          version: 1,
          updated_at: null,
        })
        deepEqual((await api.get(`${path}/${id}`)).body, body)
        await api.publish()
        const published = (await api.get<ShownSet>(`${path}/${id}`)).body
        deepEqual(published, { ...body, status: 'ACTIVE', action: 'NONE' })
      })
    }

    test('[R2] PUT changes what it names and leaves the rest; the zone goes a serial further', async () => {
      const made = await api.newSet(zone, 'put.sets.example.', 'A', ['192.0.2.1'], { ttl: 60, description: 'x' })
      await api.publish()
      const path = `${sets}/${made.id}`
      const pending = { status: 'PENDING', action: 'UPDATE' }
      let expected = made
      for (const change of [
        { records: ['192.0.2.3', '192.0.2.2'] },
        { ttl: 0 },
        { ttl: null },
        { description: 'y' },
        { description: null },
        { records: ['192.0.2.9'], ttl: 5, description: 'z' },
      ]) {
        const before = await serialNow()
        const { status, body } = await api.put(path, change)
        equal(status, 202)
        notEqual(body.updated_at, null)
        const { updated_at } = body
        expected = { ...expected, ...change, ...pending, version: expected.version + 1, updated_at }
        deepEqual(body, expected)
        deepEqual((await api.get(path)).body, expected)
        ok((await serialNow()) > before)
      }
    })

    test('[R3] a PUT that changes nothing changes nothing, and is answered 200 once published', async () => {
      const made = await api.newSet(zone, 'same.sets.example.', 'MX', ['10 mail.sets.example.'], { ttl: 60 })
      await api.publish()
      const before = { set: (await api.get(`${sets}/${made.id}`)).body, changes: await journalOf(api.db, zone.id) }
      for (const body of [{}, { ttl: 60 }, { records: ['10 mail.sets.example.'] }, { description: null }]) {
        const answer = await api.put(`${sets}/${made.id}`, body)
        equal(answer.status, 200)
        deepEqual(answer.body, before.set)
      }
      equal((await journalOf(api.db, zone.id)).length, before.changes.length)
    })

    test('[R4] the whole answer of a GET may be changed and sent back, also when it has been published meanwhile', async () => {
      const made = await api.newSet(zone, 'whole.sets.example.', 'A', ['192.0.2.1'])
      const seen = (await api.get<ShownSet>(`${sets}/${made.id}`)).body
      await api.publish()
      equal((await api.put(`${sets}/${made.id}`, seen)).status, 200)
      const { status, body } = await api.put(`${sets}/${made.id}`, { ...seen, records: ['192.0.2.2'] })
      deepEqual([status, body.records], [202, ['192.0.2.2']])
      const stale = await api.refused('PUT', `${sets}/${made.id}`, { ...seen, records: ['192.0.2.3'] })
      deepEqual(stale.slice(0, 2), [400, 'invalid_object'])
    })

    test('[R5] what the service sets cannot be given, name and type cannot be changed, and PATCH is no way', async () => {
      const made = await api.newSet(zone, 'fixed.sets.example.', 'A', ['192.0.2.1'])
      const readOnly = {
        id: nowhere,
        zone_id: nowhere,
        project_id: 'other',
        zone_name: 'other.',
        status: 'ERROR',
        action: 'NONE',
        version: 9,
        created_at: 'x',
        updated_at: 'x',
        links: {},
        managed: true,
        bogus: 1,
      }
      for (const [key, value] of Object.entries(readOnly)) {
        const created = { name: 'bad.sets.example.', type: 'A', records: [], [key]: value }
        deepEqual((await api.refused('POST', sets, created)).slice(0, 2), [400, 'invalid_object'], key)
        const put = await api.refused('PUT', `${sets}/${made.id}`, { [key]: value })
        deepEqual(put.slice(0, 2), [400, 'invalid_object'], key)
      }
      for (const body of [{ name: 'other.sets.example.' }, { type: 'AAAA' }, { name: null }])
        equal((await api.refused('PUT', `${sets}/${made.id}`, body))[1], 'invalid_object')
      equal((await api.put(`${sets}/${made.id}`, { name: 'fixed.sets.example.', type: 'A' })).status, 202)
      equal((await api.refused('PATCH', `${sets}/${made.id}`, {}))[0], 405)
      for (const body of [{}, { name: 'a.sets.example.' }, { type: 'A' }, [], 'x', 5])
        equal((await api.refused('POST', sets, body))[1], 'invalid_object', JSON.stringify(body))
    })

    test('[R6] DELETE answers 202 with the set; the next GET does not find it', async () => {
      const made = await api.newSet(zone, 'gone.sets.example.', 'A', ['192.0.2.1'])
      const before = await serialNow()
      const { status, body } = await api.delete<ShownSet>(`${sets}/${made.id}`)
      deepEqual([status, body.id, body.action, body.status], [202, made.id, 'DELETE', 'PENDING'])
      ok((await serialNow()) > before)
      for (const method of ['GET', 'DELETE'])
        deepEqual(await api.refused(method, `${sets}/${made.id}`), [
          404,
          'recordset_not_found',
          'Could not find RecordSet',
        ])
      const empty = await api.newSet(zone, 'gone.sets.example.', 'A', [])
      const gone = (await api.delete<ShownSet>(`${sets}/${empty.id}`)).body
      deepEqual([gone.action, gone.status], ['NONE', 'ACTIVE'])
    })

    test('[R15] a TTL that is absent or null is the zone’s; a number is the set’s own, 0 too', async () => {
      equal((await api.newSet(zone, 'ttl1.sets.example.', 'A', ['192.0.2.1'])).ttl, null)
      equal((await api.newSet(zone, 'ttl2.sets.example.', 'A', ['192.0.2.1'], { ttl: null })).ttl, null)
      equal((await api.newSet(zone, 'ttl3.sets.example.', 'A', ['192.0.2.1'], { ttl: 0 })).ttl, 0)
      const added = (await journalOf(api.db, zone.id)).slice(-3).map((change) => change.added.map(({ ttl }) => ttl))
      deepEqual(added, [
        [3600, 3600],
        [3600, 3600],
        [3600, 0],
      ])
      for (const ttl of [-1, 2_147_483_648, '60', 1.5, true]) {
        const body = { name: 'ttl4.sets.example.', type: 'A', records: [], ttl }
        equal((await api.refused('POST', sets, body))[1], 'invalid_object', String(ttl))
      }
      const strict = await startZonesApi(newStore, { minTtl: 60 })
      try {
        const own = await strict.newZone('strict.example.')
        const path = `/v2/zones/${own.id}/recordsets`
        const body = { name: 'a.strict.example.', type: 'A', records: ['192.0.2.1'], ttl: 59 }
        const member = as('member', 'noauth-project')
        deepEqual((await strict.refused('POST', path, body, member)).slice(0, 2), [400, 'invalid_ttl'])
        const made = await strict.newSet(own, body.name, 'A', body.records, { ttl: 59 })
        deepEqual((await strict.refused('PUT', `${path}/${made.id}`, { ttl: 1 }, member))[1], 'invalid_ttl')
        equal((await strict.put(`${path}/${made.id}`, { ttl: null }, member)).status, 202)
      } finally {
        await strict.close()
      }
    })

    test('[R16] a set may be empty: 201, ACTIVE and served to nobody; it takes its place all the same', async () => {
      for (const [name, more] of [
        ['empty1.sets.example.', {}],
        ['empty2.sets.example.', { records: [] }],
      ] as const) {
        const { status, body } = await api.post<ShownSet>(sets, { name, type: 'A', ...more })
        equal(status, 201)
        deepEqual([body.records, body.status, body.action], [[], 'ACTIVE', 'NONE'])
        equal((await api.refused('POST', sets, { name, type: 'A' }))[1], 'duplicate_recordset')
        equal((await api.put(`${sets}/${body.id}`, { records: ['192.0.2.1'] })).status, 202)
        const emptied = await api.put(`${sets}/${body.id}`, { records: [] })
        deepEqual([emptied.status, emptied.body.status, emptied.body.action], [200, 'ACTIVE', 'NONE'])
      }
    })

    test('[R17] the SOA and the NS at the top are the service’s own, for whoever asks', async () => {
      const own = await api.newZone('managed.example.')
      const path = `/v2/zones/${own.id}/recordsets`
      const { recordsets } = (await api.list(path)).body
      deepEqual(
        recordsets!.map(({ name, type, ttl }) => [name, type, ttl]),
        [
          ['managed.example.', 'SOA', null],
          ['managed.example.', 'NS', null],
        ],
      )
      for (const headers of [{}, { 'X-Designate-Edit-Managed-Records': 'true' }]) {
        for (const { id } of recordsets!) {
          for (const body of [{ ttl: 5 }, { description: 'x' }])
            equal((await api.refused('PUT', `${path}/${id}`, body, headers))[1], 'bad_request')
          equal((await api.refused('DELETE', `${path}/${id}`, undefined, headers))[1], 'bad_request')
        }
        const soa = { name: own.name, type: 'SOA', records: ['a. b. 1 2 3 4 5'] }
        equal((await api.refused('POST', path, soa, headers))[1], 'bad_request')
        equal(
          (await api.refused('POST', path, { ...soa, type: 'NS', records: ['ns.example.'] }, headers))[1],
          'duplicate_recordset',
        )
        const upsert = await api.refused('PUT', `${path}/managed.example./NS`, { records: ['ns.example.'] }, headers)
        equal(upsert[1], 'bad_request')
      }
      deepEqual(
        (
          await api.refused(
            'PUT',
            `${path}/${recordsets![1]!.id}`,
            {},
            { ...as('member', 'noauth-project'), 'X-Designate-Edit-Managed-Records': 'true' },
          )
        )[1],
        'forbidden',
      )
    })

    test('[R23] a set has an ETag; If-Match refuses what has changed since, If-None-Match spares what is known', async () => {
      const made = await api.post<ShownSet>(sets, { name: 'tagged.sets.example.', type: 'A', records: ['192.0.2.1'] })
      const path = `${sets}/${made.body.id}`
      const tag = made.headers.get('etag')!
      equal((await api.get(path)).headers.get('etag'), tag)
      const known = await api.get(path, { 'If-None-Match': tag })
      deepEqual([known.status, known.text], [304, ''])
      await api.publish()
      await api.newSet(zone, 'neighbour.sets.example.', 'A', ['192.0.2.1'])
      const put = await api.put(path, { ttl: 5 }, { 'If-Match': tag })
      equal(put.status, 202, 'what is beside it, and publishing, are no edits of it')
      for (const [method, body] of [
        ['PUT', { ttl: 6 }],
        ['DELETE', undefined],
      ] as const)
        deepEqual((await api.refused(method, path, body, { 'If-Match': tag })).slice(0, 2), [
          412,
          'precondition_failed',
        ])
      equal((await api.refused('PUT', path, {}, { 'If-None-Match': '*' }))[0], 412)
      const now = put.headers.get('etag')!
      const both = await Promise.all(
        [1, 2, 3, 4].map((ttl) => api.put<Problem>(path, { ttl }, { 'If-Match': `"1-1-active", ${now}` })),
      )
      deepEqual(both.map(({ status }) => status).toSorted(), [202, 412, 412, 412])
      equal((await api.delete(path, { 'If-Match': '*' })).status, 202)
    })

    test('[R24] PUT at a name and type makes the set be so, whether it was there or not', async () => {
      const path = `${sets}/up.sets.example./TXT`
      const first = await api.put(path, { records: ['"a"'], ttl: 60, description: 'x' })
      deepEqual([first.status, first.body.version, first.body.action], [202, 1, 'CREATE'])
      equal(first.headers.get('location'), `${api.url}${sets}/${first.body.id}`)
      const again = await api.put(path.replace('up.', 'UP.'), { records: ['"a"', '"b"'] })
      deepEqual([again.status, again.body.id, again.body.version], [202, first.body.id, 2])
      deepEqual([again.body.records, again.body.ttl, again.body.description], [['"a"', '"b"'], null, null])
      await api.publish()
      equal((await api.put(path, { records: ['"a"', '"b"'], name: 'Up.sets.example.', type: 'TXT' })).status, 200)
      for (const body of [{}, { ttl: 5 }, [], 'x', 5, { records: null }, { records: [], id: first.body.id }])
        deepEqual((await api.refused('PUT', path, body)).slice(0, 2), [400, 'invalid_object'], JSON.stringify(body))
      equal((await api.refused('PUT', path, { records: [], name: 'other.sets.example.' }))[1], 'invalid_object')
      equal((await api.refused('PUT', path, { records: [], type: 'A' }))[1], 'invalid_object')
      equal((await api.refused('PUT', `${sets}/up.sets.example./BOGUS`, { records: [] }))[1], 'invalid_object')
      equal((await api.refused('PUT', `${sets}/up.elsewhere./A`, { records: [] }))[1], 'invalid_recordset_location')
      const absent = `${sets}/absent.sets.example./A`
      deepEqual((await api.refused('PUT', absent, { records: [] }, { 'If-Match': '*' })).slice(0, 2), [
        412,
        'precondition_failed',
      ])
      deepEqual((await api.refused('PUT', path, { records: [] }, { 'If-None-Match': '*' }))[0], 412)
      const wild = await api.put(`${sets}/*.sets.example./A`, { records: ['192.0.2.1'] }, { 'If-None-Match': '*' })
      equal(wild.status, 202)
      const racers = Array.from({ length: 8 }, (_, i) =>
        api.put(`${sets}/race.sets.example./A`, { records: [`192.0.2.${i}`] }),
      )
      const answers = await Promise.all(racers)
      deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
      equal(new Set(answers.map(({ body }) => body.id)).size, 1)
      deepEqual(
        answers.map(({ body }) => body.version).toSorted((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8],
      )
    })

    test('[R31] GET and DELETE at a name and type show and delete that set', async () => {
      const path = `${sets}/there.sets.example./A`
      for (const method of ['GET', 'DELETE']) {
        deepEqual((await api.refused(method, path)).slice(0, 2), [404, 'recordset_not_found'])
        deepEqual((await api.refused(method, `${sets}/there/A`)).slice(0, 2), [400, 'invalid_object'])
      }
      const { body } = await api.put(path, { records: ['192.0.2.1'] })
      await api.put(path.replace(/A$/, 'TXT'), { records: ['"beside"'] })
      const got = await api.get<ShownSet>(path.replace('there', 'THERE'))
      deepEqual([got.status, got.body.id, got.body.records], [200, body.id, ['192.0.2.1']])
      equal((await api.get(path, { 'If-None-Match': got.headers.get('etag')! })).status, 304)
      deepEqual((await api.refused('GET', path, undefined, as('admin', 'stranger')))[1], 'zone_not_found')
      equal((await api.refused('DELETE', path, undefined, as('reader', 'noauth-project')))[0], 403)
      equal((await api.refused('DELETE', path, undefined, { 'If-Match': '"0-0-active"' }))[0], 412)
      equal((await api.refused('DELETE', `${sets}/sets.example./NS`))[1], 'bad_request')
      const gone = await api.delete<ShownSet>(path)
      deepEqual([gone.status, gone.body.id, gone.body.action], [202, body.id, 'DELETE'])
      equal((await api.refused('GET', path))[0], 404)
      equal((await api.get(path.replace(/A$/, 'TXT'))).status, 200)
    })

    test('[R25] quotas count the records of a set, the records and the sets of a zone; what does not grow is not refused', async () => {
      const headers = as('admin', 'limited')
      const own = await api.newZone('limited.example.', {}, headers)
      const path = `/v2/zones/${own.id}/recordsets`
      const post = (name: string, records: string[]) =>
        api.post<Problem & ShownSet>(path, { name: `${name}.limited.example.`, type: 'A', records }, headers)
      const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
      const big = (await post('big', four)).body
      const quotas = { zone_recordsets: 5, zone_records: 6, recordset_records: 3 }
      await api.patch('/v2/quotas/limited', quotas, everywhere)
      const over = await post('a', four)
      deepEqual([over.status, over.body.message], [413, 'Quota exceeded for zone_records, recordset_records.'])
      equal((await post('a', four.slice(0, 2))).status, 202)
      equal((await post('b', ['192.0.2.1'])).body.message, 'Quota exceeded for zone_records.')
      equal((await post('b', [])).status, 201)
      equal((await post('c', [])).body.message, 'Quota exceeded for zone_recordsets.')
      equal((await api.put(`${path}/${big.id}`, { records: four.toReversed(), ttl: 9 }, headers)).status, 202)
      const bigger = await api.put<Problem>(`${path}/${big.id}`, { records: [...four, '192.0.2.5'] }, headers)
      equal(bigger.body.message, 'Quota exceeded for zone_records, recordset_records.')
      equal((await api.put(`${path}/${big.id}`, { records: four.slice(1) }, headers)).status, 202)
      const racers = ['x', 'y', 'z'].map((name) => post(name, ['192.0.2.1']))
      deepEqual((await Promise.all(racers)).map(({ status }) => status).toSorted(), [413, 413, 413])
      await api.patch('/v2/quotas/limited', { zone_recordsets: 6 }, everywhere)
      const last = ['x', 'y', 'z'].map((name) => post(name, ['192.0.2.1']))
      deepEqual((await Promise.all(last)).map(({ status }) => status).toSorted(), [202, 413, 413])
    })

    test('[R26] the records of a SECONDARY zone come from its masters: only administrators change them', async () => {
      const own = await api.newZone('taken.example.', { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined })
      const path = `/v2/zones/${own.id}/recordsets`
      const member = as('member', 'noauth-project')
      const body = { name: 'a.taken.example.', type: 'A', records: ['192.0.2.1'] }
      deepEqual((await api.refused('POST', path, body, member)).slice(0, 2), [403, 'forbidden'])
      deepEqual((await api.refused('PUT', `${path}/a.taken.example./A`, { records: [] }, member))[1], 'forbidden')
      const made = await api.newSet(own, body.name, 'A', body.records)
      deepEqual((await api.refused('PUT', `${path}/${made.id}`, { ttl: 5 }, member))[1], 'forbidden')
      deepEqual((await api.refused('DELETE', `${path}/${made.id}`, undefined, member))[1], 'forbidden')
      equal((await api.get(`${path}/${made.id}`, member)).status, 200)
    })

    test('[R28] sets are their project’s; members change and readers see them; who works across projects makes what is the zone’s', async () => {
      const own = await api.newZone('theirs.example.', {}, as('member', 'theirs'))
      const path = `/v2/zones/${own.id}/recordsets`
      const body = { name: 'a.theirs.example.', type: 'A', records: ['192.0.2.1'] }
      for (const [headers, refusal] of [
        [as('member', 'others'), [404, 'zone_not_found']],
        [as('admin', 'others'), [404, 'zone_not_found']],
        [as('reader', 'theirs'), [403, 'forbidden']],
      ] as const)
        deepEqual((await api.refused('POST', path, body, headers)).slice(0, 2), refusal)
      const made = await api.post<ShownSet>(path, body, { ...as('admin', 'others'), ...everywhere })
      deepEqual([made.status, made.body.project_id], [202, 'theirs'])
      equal((await api.get(`${path}/${made.body.id}`, as('reader', 'theirs'))).status, 200)
      equal((await api.refused('GET', path, undefined, as('nobody', 'theirs')))[1], 'forbidden')
      equal((await api.refused('GET', `${sets}/${made.body.id}`))[1], 'recordset_not_found', 'in another zone')
      equal((await api.delete(`${path}/${made.body.id}`, as('member', 'theirs'))).status, 202)
    })
  })
}
