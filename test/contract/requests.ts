import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Answer, type Api, type NewStore, type Page, type Problem, startTestApi } from '../support/api.ts'

const unknownId = '00000000-0000-7000-8000-00000000dead'
const json = { 'Content-Type': 'application/json' }

/** The rules about bodies, errors and answers that hold for every resource. */
export function requestRules(engine: string, newStore: NewStore): void {
  describe(`requests on ${engine}`, () => {
    let api: Api
    before(async () => {
      api = await startTestApi(newStore)
    })
    after(() => api.close())

    const told = ({ status, body }: Answer<Problem>) => [status, body.type]
    const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
      api.call<Problem>('POST', '/v2/tlds', { raw, headers })

    test('[H20] an error has code, type, message and request_id', async () => {
      for (const answer of [
        await api.get<Problem>('/nowhere'),
        await api.get<Problem>('/v2/pools/x'),
        await api.get<Problem>(`/v2/pools/${unknownId}`),
        await api.call<Problem>('PUT', '/v2/pools'),
        await post('{}'),
        await post('{'),
      ]) {
        equal(answer.body.code, answer.status)
        match(answer.body.type, /^[a-z_]+$/)
        ok(answer.body.message.length > 0)
        match(answer.body.request_id, /^req-[0-9a-f-]{36}$/)
      }
    })

    test('[H21] every response has a request id of its own, which an error repeats', async () => {
      const { body: tld } = await api.post('/v2/tlds', { name: 'h21' })
      const answers = [
        await api.list('/v2/tlds'),
        await api.get(`/v2/tlds/${tld.id}`),
        await api.patch(`/v2/tlds/${tld.id}`, {}),
        await api.delete(`/v2/tlds/${tld.id}`),
        await api.delete<Problem>(`/v2/tlds/${tld.id}`),
        await api.get<Problem>('/nowhere'),
        await api.get<Problem>('/v2/tlds/%zz'),
        await api.call('OPTIONS', '/v2/tlds'),
        await api.call('HEAD', '/v2/tlds'),
        await api.get('/'),
        await api.get('/healthcheck'),
      ]
      const ids = answers.map(({ headers, body }) => {
        const id = headers.get('X-Openstack-Request-Id') ?? ''
        match(id, /^req-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        if (body !== undefined && 'request_id' in body) equal(body.request_id, id)
        return id
      })
      equal(new Set(ids).size, ids.length)
    })

    test('[H22] all faults of a body are told at once, each with its path', async () => {
      const { status, body } = await api.post<Problem>('/v2/pools', {
        description: 5,
        bogus: 1,
        attributes: { a: 1, b: 'x'.repeat(51) },
        ns_records: [{ hostname: 'x', priority: 0 }, 'y', { hostname: 'a.org.', extra: 1 }],
      })
      deepEqual([status, body.type], [400, 'invalid_object'])
      deepEqual(body.errors?.errors.map(({ path, validator }) => `${path.join('/')} ${validator}`).toSorted(), [
        'attributes/a type',
        'attributes/b maxLength',
        'bogus additionalProperties',
        'description type',
        'name required',
        'ns_records/0/hostname format',
        'ns_records/0/priority minimum',
        'ns_records/1 type',
        'ns_records/2/extra additionalProperties',
        'ns_records/2/priority required',
      ])
      for (const fault of body.errors!.errors) ok(body.message.includes(fault.message))
    })

    test('[H28] an answer does not grow with what is wrong: it tells the first faults, and that there are more', async () => {
      const keys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, 1]))
      const { status, body } = await api.post<Problem>('/v2/pools', { name: 'n', ...keys })
      deepEqual([status, body.type], [400, 'invalid_object'])
      equal(body.errors?.errors.length, 100)
      match(body.message, /; and more$/)
      const long = await api.post<Problem>('/v2/pools', { name: 'n', ['k'.repeat(100_000)]: 1 })
      deepEqual([long.status, long.body.type], [400, 'invalid_object'])
      ok(JSON.stringify(long.body).length < 10_000)
    })

    test('[H23] an unknown path is not_found, and so is a suffix behind a known one', async () => {
      for (const path of [
        '/nope',
        '/v1',
        '/v2',
        '/v2/',
        '/v2/nope',
        '/openstack/v2',
        '/v2/pools.json',
        '/v2/tlds.json',
      ])
        deepEqual(told(await api.get(path)), [404, 'not_found'], path)
      for (const path of [`/v2/pools/${unknownId}/x`, '/v2//pools', '/V2/pools', '/v2/Pools', '/v2/pools;x=1'])
        deepEqual(told(await api.get(path)), [404, 'not_found'], path)
      deepEqual(told(await post('{"name":"x"}', json).then(() => api.post('/v2/tldz', {}))), [404, 'not_found'])
    })

    test('[H24] a known path with another method is method_not_allowed, with Allow', async () => {
      const at = async (method: string, path: string) => {
        const { status, headers, body } = await api.call<Problem>(method, path)
        return [status, headers.get('Allow')?.split(', ').toSorted().join(' '), body?.type]
      }
      for (const mount of ['/v2', '/openstack/v2']) {
        for (const method of ['PUT', 'PATCH', 'DELETE'])
          deepEqual(await at(method, `${mount}/pools`), [405, 'GET POST', 'method_not_allowed'])
        for (const method of ['PUT', 'POST'])
          deepEqual(await at(method, `${mount}/tlds/${unknownId}/?`), [405, 'DELETE GET PATCH', 'method_not_allowed'])
        deepEqual(await at('HEAD', `${mount}/blacklists`), [405, 'GET POST', undefined])
      }
      deepEqual(await at('POST', '/'), [405, 'GET', 'method_not_allowed'])
      deepEqual(await at('DELETE', '/healthcheck'), [405, 'GET', 'method_not_allowed'])
    })

    test('[H25] ids are accepted in any UUID-like form; what is not one is named', async () => {
      const { body: tld } = await api.post('/v2/tlds', { name: 'h25' })
      for (const form of [
        tld.id,
        tld.id.toUpperCase(),
        tld.id.replaceAll('-', ''),
        `{${tld.id}}`,
        `urn:uuid:${tld.id}`,
      ])
        equal((await api.get(`/v2/tlds/${encodeURIComponent(form)}`)).body.id, tld.id)
      for (const [path, message] of [
        ['pools/foo', 'Invalid UUID pool_id: foo'],
        ['tlds/x', 'Invalid UUID tld_id: x'],
        ['blacklists/a%20b', 'Invalid UUID blacklist_id: a b'],
        [`tlds/${tld.id}0`, `Invalid UUID tld_id: ${tld.id}0`],
      ]) {
        for (const method of ['GET', 'DELETE']) {
          const answer = await api.call<Problem>(method, `/v2/${path}`)
          deepEqual([...told(answer), answer.body.message], [400, 'invalid_uuid', message])
        }
      }
      deepEqual(told(await api.get(`/v2/tlds/${'a'.repeat(8000)}`)), [400, 'invalid_uuid'])
    })

    test('[H26] an id of nothing is not found, in the words clients know', async () => {
      for (const [collection, type, label] of [
        ['pools', 'pool_not_found', 'Pool'],
        ['tlds', 'tld_not_found', 'Tld'],
        ['blacklists', 'blacklist_not_found', 'Blacklist'],
      ]) {
        const path = `/v2/${collection}/${unknownId}`
        for (const answer of [
          await api.get<Problem>(path),
          await api.patch<Problem>(path, {}),
          await api.delete<Problem>(path),
        ])
          deepEqual([...told(answer), answer.body.message], [404, type, `Could not find ${label}`])
      }
    })

    test('[H29] a packed body is refused by its Content-Encoding, and told what is taken', async () => {
      const packed = gzipSync('{"name":"h29"}')
      for (const coding of ['gzip', 'GZIP', 'br', 'identity, gzip', 'x'])
        for (const path of ['/v2/tlds', '/v2/zones/tasks/imports']) {
          const answer = await api.call<Problem>('POST', path, {
            raw: new Uint8Array(packed),
            headers: { ...json, 'Content-Encoding': coding },
          })
          deepEqual(told(answer), [415, 'unsupported_content_encoding'], `${coding} at ${path}`)
          match(answer.body.message, /^Content-Encoding must be identity or absent, not '/)
          equal(answer.headers.get('Accept-Encoding'), 'identity')
        }
      for (const [i, coding] of ['identity', 'Identity', ''].entries())
        equal((await post(`{"name":"h29-${i}"}`, { ...json, 'Content-Encoding': coding })).status, 201, coding)
      equal((await api.get('/v2/tlds', { 'Content-Encoding': 'gzip' })).status, 200)
    })

    test('[H30] a body must call itself application/json', async () => {
      for (const type of [
        'text/plain',
        'application/xml',
        'application/json-patch+json',
        'application/jsonx',
        'foo',
        '/;',
        '*/*',
      ])
        deepEqual(told(await post('{"name":"h30"}', { 'Content-Type': type })), [415, 'unsupported_content_type'], type)
      deepEqual(told(await post(new TextEncoder().encode('{}'), {})), [415, 'unsupported_content_type'])
      for (const [i, type] of [
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;x',
      ].entries())
        equal((await post(`{"name":"h30-${i}"}`, { 'Content-Type': type })).status, 201, type)
    })

    test('[H31] an empty body and null are empty_request_body', async () => {
      for (const body of ['', ' \r\n\t', 'null', ' null '])
        deepEqual(told(await post(body)), [400, 'empty_request_body'])
      deepEqual(told(await api.call('POST', '/v2/tlds', { headers: json })), [400, 'empty_request_body'])
    })

    test('[H32] a body that is not JSON or not UTF-8 is invalid_json', async () => {
      for (const body of [
        '{',
        '{"name":}',
        "{'name':'x'}",
        '{"name":"x",}',
        '{"name":"x"}{}',
        'NaN',
        '{"a":01}',
        '"\u0001"',
      ])
        deepEqual(told(await post(body)), [400, 'invalid_json'], body)
      const broken = new TextEncoder().encode('{"name":"x?"}')
      broken[10] = 0xff
      deepEqual(told(await post(broken)), [400, 'invalid_json'])
    })

    test('[H33] duplicate keys and deep nesting are invalid_json', async () => {
      for (const body of [
        '{"name":"a","name":"b"}',
        '{"name":"a","n\\u0061me":"b"}',
        '{"name":"a","x":[{"y":1,"z":{},"y":2}]}',
      ])
        deepEqual(told(await post(body)), [400, 'invalid_json'], body)
      equal((await post('{"name":"dup-ok","description":"\\"name\\":\\"a\\",{\\"name"}')).status, 201)
      const nested = (depth: number) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`
      deepEqual(told(await post(nested(31))), [400, 'invalid_object'])
      deepEqual(told(await post(nested(32))), [400, 'invalid_json'])
      deepEqual(told(await post(nested(50_000))), [400, 'invalid_json'])
      deepEqual(told(await post(`{"a":`.repeat(15_000))), [400, 'invalid_json'])
    })

    test('[H34] a body that is no object is invalid_object', async () => {
      for (const body of ['[]', '"x"', '5', 'true', '[{"name":"x"}]'])
        deepEqual(told(await post(body)), [400, 'invalid_object'])
      const { body } = await api.post('/v2/tlds', { name: 'h34' })
      deepEqual(told(await api.patch(`/v2/tlds/${body.id}`, [])), [400, 'invalid_object'])
    })

    test('[H35] a key that is no field is told with the fields there are', async () => {
      const { body } = await post('{"name":"h35","bogus":1}')
      equal(body.message, "bogus: 'bogus' is not a field; tld has name, description")
    })

    test('[H35] keys that mean something to JavaScript are keys like any other', async () => {
      for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
        const answer = await post(`{"name":"h35","${key}":{"description":"polluted"}}`)
        deepEqual(told(answer), [400, 'invalid_object'])
        deepEqual(answer.body.errors?.errors[0]?.path, [key])
      }
      deepEqual(told(await post('{"__proto__":{"name":"h35"}}')), [400, 'invalid_object'])
      const raw = '{"name":"h35","attributes":{"__proto__":"a","constructor":"b"}}'
      const { body } = await api.call('POST', '/v2/pools', { raw, headers: json })
      const kept = (await api.get(`/v2/pools/${body.id}`)).text
      ok(kept.includes('"attributes":{"__proto__":"a","constructor":"b"}'), kept)
      equal(({} as { description?: string }).description, undefined)
    })

    test('[H36] a body over the limit is request_too_large', async () => {
      const padded = (size: number) => `{"name":"h36"${' '.repeat(size - 14)}}`
      deepEqual(told(await post(padded(114_689))), [413, 'request_too_large'])
      deepEqual(told(await api.call('DELETE', `/v2/tlds/${unknownId}`, { raw: padded(200_000), headers: json })), [
        413,
        'request_too_large',
      ])
      equal((await post(padded(114_688))).status, 201)
    })

    test('[H37] an Accept that leaves out JSON is unsupported_accept, told in JSON', async () => {
      const accept = (value: string) => api.get<Problem>('/v2/tlds', { Accept: value })
      for (const value of [
        'text/html',
        'image/*',
        'application/xml;q=0.9',
        'application/json;q=0',
        'text/*, application/json; q=0.000',
      ])
        deepEqual(told(await accept(value)), [406, 'unsupported_accept'], value)
      for (const value of [
        '*/*',
        'application/json',
        'application/*',
        'text/html, */*;q=0.1',
        'APPLICATION/JSON;charset=utf-8',
        '',
      ])
        equal((await accept(value)).status, 200, value)
    })

    test('[H38] GET and DELETE look at no body', async () => {
      const { body } = await api.post('/v2/tlds', { name: 'h38' })
      match(
        await api.send(
          `GET /v2/tlds/${body.id} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\n}{]`,
        ),
        /^HTTP\/1.1 200 /,
      )
      equal(
        (await api.call('DELETE', `/v2/tlds/${body.id}`, { raw: '}{', headers: { 'Content-Type': 'text/plain' } }))
          .status,
        204,
      )
    })

    test('[H40] content types are exact, for errors too', async () => {
      const type = async (path: string, method = 'GET') => (await api.call(method, path)).headers.get('Content-Type')
      for (const path of [
        '/v2/tlds',
        '/v2/blacklists',
        '/openstack/v2/pools',
        '/openstack/v2/tlds',
        '/',
        '/nope',
        '/v2/tlds/x',
      ])
        equal(await type(path), 'application/json', path)
      for (const path of ['/v2/pools', '/v2/pools/x', `/v2/pools/${unknownId}`, '/v2/pools?x=1'])
        equal(await type(path), 'application/json; charset=UTF-8', path)
      equal(await type('/openstack/v2/pools/x'), 'application/json')
      equal(await type('/v2/tlds', 'PUT'), 'application/json')
      equal(await type('/v2/pools', 'PUT'), 'application/json; charset=UTF-8')
    })

    test('[H41] 201 tells where the new one is; 204 has no body', async () => {
      for (const mount of ['/v2', '/openstack/v2']) {
        for (const [collection, body] of [
          ['tlds', { name: 'h41' }],
          ['blacklists', { pattern: 'h41' }],
          ['pools', { name: 'h41' }],
        ] as const) {
          const made = await api.post(`${mount}/${collection}`, body)
          equal(made.status, 201)
          equal(made.headers.get('Location'), made.body.links.self)
          equal(made.body.links.self, `${api.url}${mount}/${collection}/${made.body.id}`)
          const gone = await api.delete(made.body.links.self.slice(api.url.length))
          deepEqual([gone.status, gone.text, gone.headers.get('Content-Type')], [204, '', null])
        }
      }
    })

    test('[H42] timestamps have six fractional digits and no zone; updated_at is null until the first update', async () => {
      const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
      const { body: made } = await api.post('/v2/tlds', { name: 'h42' })
      match(made.created_at, form)
      ok(Math.abs(Date.parse(`${made.created_at}Z`) - Date.now()) < 10_000)
      equal(made.updated_at, null)
      const { body: changed } = await api.patch(`/v2/tlds/${made.id}`, { description: 'x' })
      match(changed.updated_at!, form)
      equal(changed.created_at, made.created_at)
      deepEqual((await api.get(`/v2/tlds/${made.id}`)).body, changed)
    })

    test('[H43] new ids are UUIDv7', async () => {
      const { body } = await api.post('/v2/tlds', { name: 'h43' })
      match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })

    test('[H44] both mounts serve the same rows and differ in the named matters only', async () => {
      const { body: made } = await api.post('/v2/pools', { name: 'h44', description: 'same' })
      const ours = await api.get(`/v2/pools/${made.id}`)
      const theirs = await api.get(`/openstack/v2/pools/${made.id}`)
      deepEqual(ours.body.attributes, null)
      deepEqual(theirs.body.attributes, {})
      notEqual(ours.headers.get('Content-Type'), theirs.headers.get('Content-Type'))
      const moved = ours.text.replace('"attributes":null', '"attributes":{}').replace('/v2/', '/openstack/v2/')
      equal(moved, theirs.text)

      const { body: list } = await api.get<Page>('/openstack/v2/pools?name=h44&limit=1')
      deepEqual(Object.keys(list), ['pools', 'links'])
      equal(list.links.self, `${api.url}/openstack/v2/pools?name=h44&limit=1`)
      equal((await api.list('/v2/pools')).body.metadata, null)
      equal((await api.patch(`/v2/pools/${made.id}`, {})).status, 200)
      equal((await api.patch(`/openstack/v2/pools/${made.id}`, {})).status, 202)

      for (const path of ['tlds', 'blacklists', `tlds/${unknownId}`]) {
        const [a, b] = [await api.get(`/v2/${path}`), await api.get(`/openstack/v2/${path}`)]
        const plain = (text: string) => text.replaceAll('/openstack/v2', '/v2').replaceAll(/req-[0-9a-f-]+/g, '')
        deepEqual([a.status, plain(a.text)], [b.status, plain(b.text)])
      }
    })
  })
}
