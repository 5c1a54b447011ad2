import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { keyByName, keysFor } from '../../src/resources/tsigkeys/store.ts'
import { purgeSome } from '../../src/resources/zones/store.ts'
import { type Api, type NewStore, type Problem, type Shown, startTestApi } from '../support/api.ts'
import { testSettings } from '../support/settings.ts'

const secret = Buffer.from('a secret of some length').toString('base64')
const key = { name: 'key-1', algorithm: 'hmac-sha256', secret, scope: 'POOL', resource_id: defaultPoolId } as const
const unknownId = '00000000-0000-7000-8000-00000000dead'
const { secrets } = testSettings

/** The rules of TSIG keys. */
export function tsigkeyRules(engine: string, newStore: NewStore): void {
  describe(`TSIG keys on ${engine}`, () => {
    let api: Api
    let now = Date.parse('2026-11-15T08:00:00Z')
    before(async () => {
      api = await startTestApi(newStore, {
        clock: () => {
          now += 1000
          return new Date(now)
        },
      })
    })
    beforeEach(() => api.db.write((tx) => tx.run(sql`delete from tsigkeys`)))
    after(() => api.close())

    const add = async (changes: object = {}): Promise<Shown> => {
      const { status, body } = await api.post('/v2/tsigkeys', { ...key, ...changes })
      equal(status, 201, JSON.stringify(body))
      return body
    }
    const refused = async (body: object) => {
      const answer = await api.post<Problem>('/v2/tsigkeys', body)
      return [answer.status, answer.body.type, answer.body.errors?.errors.map(({ path }) => path)]
    }
    const namesAt = async (query: string) =>
      (await api.list(`/v2/tsigkeys${query}`)).body.tsigkeys!.map(({ name }) => name)

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[K1] a key is made, shown, listed, changed and removed (${mount})`, async () => {
        const made = await api.post(`${mount}/tsigkeys`, key)
        const { id, created_at } = made.body
        const self = `${api.url}${mount}/tsigkeys/${id}`
        const shown = { id, ...key, created_at, updated_at: null, links: { self } }
        deepEqual([made.status, made.headers.get('location'), made.body], [201, self, shown])
        deepEqual((await api.get(`${mount}/tsigkeys/${id}`)).body, shown)
        const page = { tsigkeys: [shown], links: { self: `${api.url}${mount}/tsigkeys` } }
        deepEqual((await api.list(`${mount}/tsigkeys`)).body, page)
        const changed = await api.patch(`${mount}/tsigkeys/${id}`, { name: 'key-2', secret: 'AAAA' })
        equal(changed.status, 200)
        deepEqual(changed.body, { ...shown, name: 'key-2', secret: 'AAAA', updated_at: changed.body.updated_at })
        ok(changed.body.updated_at! > created_at)
        deepEqual((await api.get(`${mount}/tsigkeys/${id}`)).body, changed.body)
        const gone = await api.delete(`${mount}/tsigkeys/${id}`)
        deepEqual([gone.status, gone.text], [204, ''])
        for (const method of ['GET', 'DELETE']) {
          const { status, body } = await api.call<Problem>(method, `${mount}/tsigkeys/${id}`)
          deepEqual([status, body.type, body.message], [404, 'tsigkey_not_found', 'Could not find TsigKey'])
        }
      })
    }

    test('[K1] an id that is none is told as such', async () => {
      const { status, body } = await api.get<Problem>('/v2/tsigkeys/foo')
      deepEqual([status, body.type, body.message], [400, 'invalid_uuid', 'Invalid UUID tsigkey_id: foo'])
    })

    test('[K2] only administrators have to do with keys', async () => {
      const { id } = await add()
      for (const [method, path] of [
        ['GET', '/v2/tsigkeys'],
        ['POST', '/v2/tsigkeys'],
        ['GET', `/v2/tsigkeys/${id}`],
        ['PATCH', `/v2/tsigkeys/${id}`],
        ['DELETE', `/v2/tsigkeys/${id}`],
      ] as const) {
        const { status, body } = await api.call<Problem>(method, path, { headers: { 'X-Roles': 'member' } })
        deepEqual([status, body.type], [403, 'forbidden'])
      }
    })

    test('[K3] all five fields are required, and every fault is told at once', async () => {
      const paths = [['name'], ['algorithm'], ['secret'], ['scope'], ['resource_id']]
      deepEqual(await refused({}), [400, 'invalid_object', paths])
      const wrong = { name: 'a..b', algorithm: 'HMAC-SHA256', secret: '*', scope: 'pool', resource_id: 'x' }
      deepEqual(await refused(wrong), [400, 'invalid_object', paths])
      const kinds = { name: 1, algorithm: {}, secret: null, scope: [], resource_id: true }
      deepEqual(await refused(kinds), [400, 'invalid_object', paths])
      deepEqual(await refused({ ...key, bogus: 1 }), [400, 'invalid_object', [['bogus']]])
    })

    test('[K3] every algorithm is taken', async () => {
      for (const bits of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']) {
        equal((await add({ name: bits, algorithm: `hmac-${bits}` })).algorithm, `hmac-${bits}`)
      }
    })

    test('[K4] a name is a domain name, with or without its final dot, and is shown as it was given', async () => {
      for (const name of ['k', 'Transfer.Example.ORG.', 'a.b', 'with space', '_x', 'a\\.b', '\\255']) {
        equal((await add({ name })).name, name)
      }
      for (const name of ['', '.', '@', 'a..b', '.a', 'x'.repeat(64), `${'a.'.repeat(80)}a`, 'ключ', 'a\tb', 'a\\']) {
        deepEqual(await refused({ ...key, name }), [400, 'invalid_object', [['name']]], name)
      }
    })

    test('[K5] a name is taken once, whatever its case and final dot: on create and on change', async () => {
      await add({ name: 'Key.Example.' })
      const other = await add({ name: 'other' })
      for (const name of ['Key.Example.', 'key.example', 'KEY.EXAMPLE', 'k\\101y.example']) {
        const made = await api.post<Problem>('/v2/tsigkeys', { ...key, name })
        deepEqual(
          [made.status, made.body.type, made.body.message],
          [409, 'duplicate_tsigkey', 'Duplicate TsigKey'],
          name,
        )
        const changed = await api.patch<Problem>(`/v2/tsigkeys/${other.id}`, { name })
        deepEqual([changed.status, changed.body.type], [409, 'duplicate_tsigkey'], name)
      }
      equal((await api.patch(`/v2/tsigkeys/${other.id}`, { name: 'OTHER.' })).status, 200)
    })

    test('[K6] a secret is base64 of 1 to 160 characters', async () => {
      for (const [i, good] of ['AA==', 'AAA=', 'AAAA', '+/+/', 'A'.repeat(160)].entries()) {
        equal((await add({ name: `k${i}`, secret: good })).secret, good)
      }
      for (const bad of ['A', 'AA', 'AAA', 'SomeSecretKey', '-_-_', 'AAAA\n', ' AAAA', 'AB==', 'A'.repeat(164)]) {
        const answer = await api.post<Problem>('/v2/tsigkeys', { ...key, secret: bad })
        deepEqual([answer.status, answer.body.type], [400, 'invalid_object'], bad)
        deepEqual(
          answer.body.errors!.errors.map(({ path }) => path),
          [['secret']],
        )
        ok(bad.length < 9 || !answer.text.includes(bad), 'the secret is not repeated')
      }
    })

    test('[K6] an empty secret is refused where clients made for Designate look for it', async () => {
      const fault = {
        path: ['type'],
        message: "'secret' should not be empty",
        validator: 'value',
        validator_value: ['secret'],
      }
      const made = await api.post<Problem>('/v2/tsigkeys', { ...key, secret: '' })
      deepEqual([made.status, made.body.type, made.body.errors], [400, 'invalid_object', { errors: [fault] }])
      const { id } = await add()
      const changed = await api.patch<Problem>(`/v2/tsigkeys/${id}`, { secret: '' })
      deepEqual([changed.status, changed.body.errors], [400, { errors: [fault] }])
    })

    test('[K7] resource_id is a pool or a zone that is there, as the scope says', async () => {
      for (const wrong of [{ resource_id: unknownId }, { scope: 'ZONE' }, { scope: 'ZONE', resource_id: unknownId }]) {
        deepEqual((await refused({ ...key, ...wrong })).slice(0, 2), [400, 'invalid_tsigkey'], JSON.stringify(wrong))
      }
      const { id } = await add()
      for (const wrong of [{ resource_id: unknownId }, { scope: 'ZONE' }]) {
        const { status, body } = await api.patch<Problem>(`/v2/tsigkeys/${id}`, wrong)
        deepEqual([status, body.type], [400, 'invalid_tsigkey'])
      }
      const upper = await api.patch(`/v2/tsigkeys/${id}`, {
        resource_id: defaultPoolId.toUpperCase().replaceAll('-', ''),
      })
      deepEqual([upper.status, upper.body.resource_id], [200, defaultPoolId])
    })

    test('[K7] a zone may have keys as long as it is there', async () => {
      const made = await api.post('/v2/zones', { name: 'signed.example.', email: 'host@signed.example' })
      equal(made.status, 202, made.text)
      const zone = { scope: 'ZONE', resource_id: made.body.id }
      const { id } = await add({ ...zone, name: 'of-zone' })
      deepEqual((await refused({ ...key, resource_id: zone.resource_id })).slice(0, 2), [400, 'invalid_tsigkey'])
      equal((await api.patch(`/v2/tsigkeys/${id}`, { scope: 'POOL', resource_id: defaultPoolId })).status, 200)
      await api.db.write((tx) => tx.run(sql`update zones set deleted_at = '', gone_at = '' where id = ${made.body.id}`))
      const { status, body } = await api.patch<Problem>(`/v2/tsigkeys/${id}`, zone)
      deepEqual([status, body.type], [400, 'invalid_tsigkey'])
    })

    test('[K8] the keys of a pool go with it', async () => {
      const { body: pool } = await api.post('/v2/pools', { name: 'short-lived' })
      await add({ name: 'stays' })
      await add({ name: 'goes', resource_id: pool.id })
      equal((await api.delete(`/v2/pools/${pool.id}`)).status, 204)
      deepEqual(await namesAt(''), ['stays'])
    })

    test('[K8] the keys of a zone go when it is purged', async () => {
      const { body: zone } = await api.post('/v2/zones', { name: 'purged.example.', email: 'host@purged.example' })
      await add({ name: 'stays' })
      await add({ name: 'goes', scope: 'ZONE', resource_id: zone.id })
      equal((await api.delete(`/v2/zones/${zone.id}`)).status, 202)
      deepEqual(await namesAt(''), ['stays', 'goes'])
      for (let done = false; !done; ) done = await api.db.write((tx) => purgeSome(tx, zone.id, 100))
      deepEqual(await namesAt(''), ['stays'])
    })

    test('[K9] the database holds no secret in the clear, and each under its own row', async () => {
      const [one, other] = [await add({ name: 'one' }), await add({ name: 'other' })]
      const rows = await api.db.read((tx) => tx.all<{ secret: string }>(sql`select secret from tsigkeys order by name`))
      for (const row of rows) match(row.secret, /^v1:[0-9a-f]{12}:[\w-]{40,}$/)
      ok(rows[0]!.secret !== rows[1]!.secret)
      equal(secrets.open(rows[0]!.secret, `tsigkeys/${one.id}`), secret)
      await api.db.write((tx) => tx.run(sql`update tsigkeys set secret = ${rows[0]!.secret} where id = ${other.id}`))
      const { status } = await fetch(`${api.url}/v2/tsigkeys/${other.id}`)
      equal(status, 500)
    })

    test('[K11] the list is filtered by name, algorithm and scope', async () => {
      await add({ name: 'Alpha', algorithm: 'hmac-md5' })
      await add({ name: 'beta' })
      deepEqual(await namesAt('?name=alpha'), ['Alpha'])
      deepEqual(await namesAt('?name=*T*'), ['beta'])
      deepEqual(await namesAt('?algorithm=hmac-sha256&scope=POOL'), ['beta'])
      deepEqual(await namesAt('?algorithm=hmac-*'), ['Alpha', 'beta'])
      deepEqual(await namesAt('?scope=ZONE'), [])
      for (const filter of ['secret', 'resource_id', 'id']) {
        const { status, body } = await api.get<Problem>(`/v2/tsigkeys?${filter}=x`)
        deepEqual([status, body.type], [400, 'bad_request'], filter)
      }
    })

    test('[K11] the list is sorted by created_at, id, updated_at and name', async () => {
      for (const name of ['b', 'A', 'c']) await add({ name })
      deepEqual(await namesAt(''), ['b', 'A', 'c'])
      deepEqual(await namesAt('?sort_key=id&sort_dir=desc'), ['c', 'A', 'b'])
      deepEqual(await namesAt('?sort_key=name'), ['A', 'b', 'c'])
      const [first] = (await api.list('/v2/tsigkeys?limit=1')).body.tsigkeys!
      await api.patch(`/v2/tsigkeys/${first!.id}`, { algorithm: 'hmac-sha1' })
      deepEqual(await namesAt('?sort_key=updated_at&sort_dir=desc&limit=1'), ['b'])
      deepEqual(await namesAt(`?sort_key=name&marker=${first!.id}`), ['c'])
      for (const wrong of ['secret', 'algorithm', 'scope']) {
        const { status, body } = await api.get<Problem>(`/v2/tsigkeys?sort_key=${wrong}`)
        deepEqual([status, body.type], [400, 'invalid_sort_key'], wrong)
      }
    })

    test('[K12] keys are found for signing by what they are for, and by the name in a message', async () => {
      const { body: pool } = await api.post('/v2/pools', { name: 'signed' })
      await add({ name: 'Pool.Key', resource_id: pool.id })
      await add({ name: 'pool.key2.', resource_id: pool.id, secret: 'AAEC', algorithm: 'hmac-sha512' })
      await add({ name: 'elsewhere' })
      const owner = { scope: 'POOL', resource_id: pool.id } as const
      const keys = await api.db.read((tx) => keysFor(tx, secrets, owner))
      deepEqual(keys, [
        { name: 'pool.key.', algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64'), ...owner },
        { name: 'pool.key2.', algorithm: 'hmac-sha512', secret: Buffer.from([0, 1, 2]), ...owner },
      ])
      await api.db.read(async (tx) => {
        deepEqual(await keyByName(tx, secrets, 'POOL.key.'), keys[0])
        deepEqual(await keyByName(tx, secrets, 'pool.key2'), keys[1])
        equal(await keyByName(tx, secrets, 'nobody.'), undefined)
        equal(await keyByName(tx, secrets, '..'), undefined)
      })
      await api.delete(`/v2/pools/${pool.id}`)
    })
  })
}
