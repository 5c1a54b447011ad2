import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '../../src/resources/index.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { ensureDefaultPool } from '../../src/resources/pools/seed.ts'
import { type Answer, type Api, type NewStore, type Problem, type Shown, startTestApi } from '../support/api.ts'
import { testSettings } from '../support/settings.ts'

const ns = (hostname: string, priority: unknown = 1) => ({ hostname, priority })

/** The rules of pools, specification 2.1 and 4.3. */
export function poolRules(engine: string, newStore: NewStore): void {
  describe(`pools on ${engine}`, () => {
    let api: Api
    let made = 0
    before(async () => {
      api = await startTestApi(newStore)
    })
    after(() => api.close())

    const told = ({ status, body }: Answer<Problem>) => [status, body.type]
    const pathsOf = (answer: Answer<Problem>) => answer.body.errors?.errors.map(({ path }) => path.join('/'))
    const newPool = async (body: object = {}, headers: Record<string, string> = {}): Promise<Shown> => {
      made += 1
      const answer = await api.post('/v2/pools', { name: `pool ${made}`, ...body }, headers)
      equal(answer.status, 201, answer.text)
      return answer.body
    }
    const refusal = (body: object) => api.post<Problem>('/v2/pools', { name: 'refused', ...body })

    test('[P1] a pool is created from its name and name servers; the rest is unset or made by us', async () => {
      const { status, body } = await api.post('/v2/pools', {
        name: 'Example pool',
        ns_records: [ns('ns1.example.org.', 1)],
      })
      equal(status, 201)
      const { id, created_at, links, ...rest } = body
      deepEqual(rest, {
        name: 'Example pool',
        description: null,
        project_id: 'noauth-project',
        updated_at: null,
        attributes: null,
        ns_records: [{ hostname: 'ns1.example.org.', priority: 1 }],
      })
      deepEqual(links, { self: `${api.url}/v2/pools/${id}` })
      deepEqual((await api.get(`/v2/pools/${id}`)).body, body)
      ok(created_at)
      const full = {
        description: 'd',
        attributes: { scope: 'public' },
        ns_records: [ns('b.org.', 10000), ns('a.org.', 2)],
      }
      const other = await newPool(full)
      for (const [field, value] of Object.entries(full)) deepEqual(other[field], value)
      deepEqual((await newPool({ ns_records: null, attributes: null, description: null })).ns_records, [])
      deepEqual((await api.post('/openstack/v2/pools', { name: 'os' })).body.attributes, {})
    })

    test('[P2] the default pool is there from the first start, and later starts leave it as it is', async () => {
      const { body } = await api.get(`/v2/pools/${defaultPoolId}`)
      deepEqual(
        [body.name, body.project_id, body.ns_records, body.updated_at],
        ['default', null, [{ hostname: 'ns1.nameplane.test.', priority: 1 }], null],
      )
      match(body.created_at, /^20\d\d-/)
      await api.patch(`/v2/pools/${defaultPoolId}`, { description: 'ours' })
      await api.db.write((tx) => ensureDefaultPool(tx, ['other.test.'], new Date()))
      const later = (await api.get(`/v2/pools/${defaultPoolId}`)).body
      deepEqual([later.description, later.ns_records], ['ours', body.ns_records])
      const page = await api.list(`/v2/pools?marker=${defaultPoolId}&limit=1`)
      equal(page.status, 200)
    })

    test('[P3] the list has the caller’s pools and nobody’s, with metadata as each mount says it', async () => {
      const mine = await newPool({}, { 'X-Auth-Project-ID': 'mine' })
      const theirs = await newPool({}, { 'X-Auth-Project-ID': 'theirs' })
      const ids = async (headers: Record<string, string>) =>
        (await api.list('/v2/pools?limit=max', headers)).body.pools!.map((row) => row.id)
      deepEqual((await ids({ 'X-Auth-Project-ID': 'mine' })).toSorted(), [mine.id, defaultPoolId].toSorted())
      const all = await ids({ 'X-Auth-Project-ID': 'mine', 'X-Auth-All-Projects': 'true' })
      for (const id of [mine.id, theirs.id, defaultPoolId]) ok(all.includes(id))
      equal((await api.list('/v2/pools')).body.metadata, null)
      equal('metadata' in (await api.list('/openstack/v2/pools')).body, false)
    })

    test('[P4] PATCH replaces what is sent, whole, and keeps the rest', async () => {
      const pool = await newPool({
        description: 'd',
        attributes: { a: '1', b: '2' },
        ns_records: [ns('a.org.'), ns('b.org.', 2)],
      })
      const { body: first } = await api.patch(`/v2/pools/${pool.id}`, { ns_records: [ns('c.org.', 7)] })
      deepEqual(first, { ...pool, ns_records: [ns('c.org.', 7)], updated_at: first.updated_at })
      match(first.updated_at!, /^20\d\d-/)
      const { body: second } = await api.patch(`/v2/pools/${pool.id}`, { attributes: { c: '3' }, description: null })
      deepEqual([second.attributes, second.description, second.ns_records], [{ c: '3' }, null, [ns('c.org.', 7)]])
      deepEqual((await api.patch(`/v2/pools/${pool.id}`, { attributes: null })).body.attributes, null)
      const { body: last } = await api.patch(`/v2/pools/${pool.id}`, { name: 'renamed' })
      deepEqual((await api.get(`/v2/pools/${pool.id}`)).body, last)
      equal((await api.patch(`/v2/pools/${pool.id}`, {})).status, 200)
    })

    test('[P5] a whole body may be read, changed and sent back', async () => {
      for (const mount of ['/v2', '/openstack/v2']) {
        const { id } = await newPool({ ns_records: [ns('a.org.')] })
        const path = `${mount}/pools/${id}`
        for (const round of [1, 2]) {
          const { body: shown } = await api.get(path)
          const sent = { ...shown, description: `round ${round}`, ns_records: [ns('a.org.'), ns(`b${round}.org.`)] }
          const { body: now } = await api.patch(path, sent)
          deepEqual(now, { ...sent, updated_at: now.updated_at })
        }
        const { body: shown } = await api.get(path)
        for (const [key, value] of [
          ['id', defaultPoolId],
          ['created_at', shown.updated_at],
          ['updated_at', null],
          ['project_id', 'other'],
          ['links', {}],
          ['links', { self: 'x' }],
        ] as const) {
          const answer = await api.patch<Problem>(path, { ...shown, [key]: value })
          deepEqual([...told(answer), pathsOf(answer)], [400, 'invalid_object', [key]])
          const is = `'${key}' is set by the service and is ${JSON.stringify(shown[key])} now: leave it out or send it so`
          equal(answer.body.message, `${key}: ${is}`)
        }
        deepEqual((await api.get(path)).body, shown)
      }
    })

    test('[P6] a name is required, 1 to 50 characters, and unique', async () => {
      for (const name of [undefined, null, '', 5, ['x'], 'x'.repeat(51), '\u{1f600}'.repeat(51), 'a\0b', 'a\ud800'])
        deepEqual(told(await refusal({ name })), [400, 'invalid_object'], String(name))
      for (const name of ['x'.repeat(50), '\u{1f600}'.repeat(50), ' ', "Robert'); drop table pools;--"])
        equal((await newPool({ name })).name, name)
      const pool = await newPool({ name: 'taken' })
      deepEqual(told(await refusal({ name: 'taken' })), [409, 'duplicate_pool'])
      const other = await newPool({ name: 'Taken' })
      deepEqual(told(await api.patch(`/v2/pools/${other.id}`, { name: 'taken' })), [409, 'duplicate_pool'])
      equal((await api.patch(`/v2/pools/${pool.id}`, { name: 'taken' })).status, 200)
      equal((await api.get(`/v2/pools/${other.id}`)).body.name, 'Taken')
    })

    test('[P7] description and attributes are bounded text', async () => {
      for (const wrong of [
        { description: 'x'.repeat(161) },
        { description: 5 },
        { attributes: [] },
        { attributes: 'x' },
        { attributes: { a: 5 } },
        { attributes: { a: null } },
        { attributes: { '': 'x' } },
        { attributes: { ['k'.repeat(51)]: 'x' } },
        { attributes: { k: 'v'.repeat(51) } },
        { attributes: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, ''])) },
      ])
        deepEqual(told(await refusal(wrong)), [400, 'invalid_object'], JSON.stringify(wrong))
      equal((await newPool({ description: '\u{1f600}'.repeat(160) })).description, '\u{1f600}'.repeat(160))
      const attributes = { ['k'.repeat(50)]: 'v'.repeat(50), é: '', 'a b': '"\\' }
      deepEqual((await newPool({ attributes })).attributes, attributes)
    })

    test('[P8] a hostname is a full name that ends with a dot', async () => {
      const long = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253)
      for (const wrong of [
        'x',
        '',
        '.',
        'a..b.',
        '.a.',
        '-a.org.',
        'a-.org.',
        'a b.org.',
        'a/b.org.',
        '*.org.',
        'é.org.',
        `${'a'.repeat(64)}.org.`,
        `${long.slice(0, 250)}.abcd.`,
        'a.org.\n',
        'a\\.b.org.',
        'a.org',
        ' a.org.',
        'a@b.org.',
      ]) {
        const answer = await refusal({ ns_records: [ns('ok.org.'), ns(wrong)] })
        deepEqual([...told(answer), pathsOf(answer)], [400, 'invalid_object', ['ns_records/1/hostname']], wrong)
      }
      const { body } = await refusal({ ns_records: [ns('bücher.org.')] })
      match(
        body.message,
        /hostname: must be in ASCII, other letters as A-labels such as 'xn--bcher-kva'; 'bücher' is not$/,
      )
      for (const hostname of [
        'ns1.example.org.',
        'A.ORG.',
        '_x._tcp.org.',
        'a--b.org.',
        '1.2.',
        `${long}.`,
        `${'a'.repeat(63)}.org.`,
      ])
        deepEqual((await newPool({ ns_records: [ns(hostname)] })).ns_records, [ns(hostname)])
    })

    test('[P9] a priority is a whole number from 1 to 10000, and both keys are required', async () => {
      for (const priority of [0, -1, 10_001, 1.5, '1', 'a', null, true, [], 1e300])
        deepEqual(
          pathsOf(await refusal({ ns_records: [ns('a.org.', priority)] })),
          ['ns_records/0/priority'],
          String(priority),
        )
      deepEqual((await newPool({ ns_records: [ns('a.org.', 1), ns('b.org.', 10_000)] })).ns_records, [
        ns('a.org.', 1),
        ns('b.org.', 10_000),
      ])
      const missing = await refusal({ ns_records: [{ hostname: 'a.org.' }] })
      equal(missing.body.errors?.errors[0]?.message, "'priority' is a required property")
      deepEqual(pathsOf(await refusal({ ns_records: [{ ...ns('a.org.'), id: 1 }] })), ['ns_records/0/id'])
      for (const wrong of ['a.org.', { hostname: 'a.org.' }, 5])
        equal(told(await refusal({ ns_records: wrong }))[0], 400)
      deepEqual(pathsOf(await refusal({ ns_records: ['a.org.', null, []] })), [
        'ns_records/0',
        'ns_records/1',
        'ns_records/2',
      ])
      const many = Array.from({ length: 101 }, (_, i) => ns(`n${i}.org.`))
      deepEqual(pathsOf(await refusal({ ns_records: many })), ['ns_records'])
    })

    test('[P10] the same hostname twice is refused, in any case', async () => {
      for (const again of ['a.org.', 'A.Org.'])
        deepEqual(told(await refusal({ ns_records: [ns('a.org.', 1), ns(again, 2)] })), [
          409,
          'duplicate_pool_ns_record',
        ])
      const { id } = await newPool()
      deepEqual(told(await api.patch(`/v2/pools/${id}`, { ns_records: [ns('a.org.'), ns('A.org.')] })), [
        409,
        'duplicate_pool_ns_record',
      ])
    })

    test('[P11] a pool may start without name servers but not lose its last', async () => {
      const { id } = await newPool({ ns_records: [] })
      equal((await api.patch(`/v2/pools/${id}`, { ns_records: [] })).status, 200)
      equal((await api.patch(`/v2/pools/${id}`, { ns_records: [ns('a.org.')] })).status, 200)
      for (const none of [[], null])
        deepEqual(told(await api.patch(`/v2/pools/${id}`, { ns_records: none })), [
          400,
          'last_server_delete_not_allowed',
        ])
      deepEqual((await api.get(`/v2/pools/${id}`)).body.ns_records, [ns('a.org.')])
    })

    test('[P12] a pool can be deleted once, the default pool never', async () => {
      const { id } = await newPool({ ns_records: [ns('a.org.')] })
      equal((await api.delete(`/v2/pools/${id}`)).status, 204)
      deepEqual(told(await api.delete(`/v2/pools/${id}`)), [404, 'pool_not_found'])
      deepEqual(told(await api.get(`/v2/pools/${id}`)), [404, 'pool_not_found'])
      deepEqual(told(await api.delete(`/v2/pools/${defaultPoolId}`)), [400, 'invalid_operation'])
      equal((await api.get(`/v2/pools/${defaultPoolId}`)).status, 200)
    })

    test('[P12] a pool that holds zones stays', async () => {
      const filled = await startTestApi(newStore, {
        routes: routes({ ...testSettings, schedulerFilters: ['pool_id_attribute'] }),
      })
      try {
        const { body: pool } = await filled.post('/v2/pools', { name: 'filled', ns_records: [ns('a.org.')] })
        const zone = { name: 'p12.example.org.', email: 'a@example.org', attributes: { pool_id: pool.id } }
        equal((await filled.post('/v2/zones', zone)).body.pool_id, pool.id)
        deepEqual(told(await filled.delete(`/v2/pools/${pool.id}`)), [400, 'invalid_operation'])
        equal((await filled.get(`/v2/pools/${pool.id}`)).status, 200)
      } finally {
        await filled.close()
      }
    })

    test('[P13] a changed pool is answered 200, and 202 where Designate’s clients ask', async () => {
      const { id } = await newPool()
      equal((await api.patch(`/v2/pools/${id}`, { description: 'x' })).status, 200)
      equal((await api.patch(`/openstack/v2/pools/${id}`, { description: 'y' })).status, 202)
    })

    test('[P14] project_id is the caller’s and cannot be given', async () => {
      equal((await newPool({}, { 'X-Auth-Project-ID': 'p14' })).project_id, 'p14')
      for (const key of ['project_id', 'tenant_id', 'id', 'created_at', 'links', 'provisioner', 'pool'])
        deepEqual(pathsOf(await refusal({ [key]: 'x' })), [key])
    })

    test('[P15] a pool of another project is not found', async () => {
      const { id } = await newPool({}, { 'X-Auth-Project-ID': 'owner' })
      const stranger = { 'X-Auth-Project-ID': 'stranger' }
      for (const answer of [
        await api.get<Problem>(`/v2/pools/${id}`, stranger),
        await api.patch<Problem>(`/v2/pools/${id}`, { name: 'x' }, stranger),
        await api.delete<Problem>(`/v2/pools/${id}`, stranger),
      ])
        deepEqual(told(answer), [404, 'pool_not_found'])
      deepEqual(told(await api.get(`/v2/pools?marker=${id}`, stranger)), [400, 'marker_not_found'])
      equal((await api.get(`/v2/pools/${id}`, { ...stranger, 'X-Auth-All-Projects': 'true' })).status, 200)
    })

    test('[P16] of writers that want one name at once, one gets it', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => api.post<Problem>('/v2/pools', { name: 'wanted' })),
      )
      deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(19).fill(409)])
      const pools = await Promise.all(Array.from({ length: 5 }, () => newPool()))
      const renamed = await Promise.all(pools.map(({ id }) => api.patch(`/v2/pools/${id}`, { name: 'also wanted' })))
      deepEqual(renamed.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409])
    })
  })
}
