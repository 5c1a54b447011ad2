import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import * as targets from '../../src/resources/pool-targets/store.ts'
import { secretsWith } from '../../src/secrets.ts'
import { targetKinds } from '../../src/target-kinds.ts'
import type { NewStore, Problem, Shown } from '../support/api.ts'
import { type PoolsApi, startPoolsApi } from '../support/pools-api.ts'
import { testSettings } from '../support/settings.ts'

const masters = [{ host: '192.0.2.1', port: 5354 }]
const pdns = { type: 'pdns4', masters, options: { api_endpoint: 'http://127.0.0.1:8081', api_token: 'hidden-token' } }
const nobody = '00000000-0000-4000-8000-000000000000'

/** The rules of a pool's targets, nameservers and also_notifies. */
export function poolTargetRules(engine: string, newStore: NewStore): void {
  describe(`the servers of a pool on ${engine}`, () => {
    let api: PoolsApi
    before(async () => {
      api = await startPoolsApi(newStore)
    })
    after(() => api.close())

    const collections: [string, object, object, string][] = [
      ['targets', { description: 'first' }, { description: 'second' }, 'pool_target_not_found'],
      ['nameservers', { host: '192.0.2.2' }, { port: 5300 }, 'pool_nameserver_not_found'],
      ['also_notifies', { host: 'notify.example.org' }, { port: 5300 }, 'pool_also_notify_not_found'],
    ]

    for (const [collection, body, change, missing] of collections) {
      test(`[W1] ${collection} are made, listed, shown, changed and removed on both mounts`, async () => {
        for (const mount of ['/v2', '/openstack/v2']) {
          const pool = (await api.newPool()).replace('/v2', mount)
          const one = await api.post(`${pool}/${collection}`, body)
          equal(one.status, 201)
          const here = `${pool}/${collection}/${one.body.id}`
          equal(one.headers.get('Location'), api.url + here)
          deepEqual(one.body.links, { self: api.url + here, pool: api.url + pool })
          deepEqual((await api.get(here)).body, one.body)
          deepEqual((await api.list(`${pool}/${collection}`)).body[collection], [one.body])
          const { status, body: changed } = await api.patch(here, { ...one.body, ...change })
          equal(status, 200)
          deepEqual(changed, { ...one.body, ...change, updated_at: changed.updated_at })
          match(changed.updated_at!, /^20/)
          deepEqual((await api.get(here)).body, changed)
          const elsewhere = `${await api.newPool()}/${collection}/${one.body.id}`
          for (const [method, sent] of [['GET'], ['PATCH', change], ['DELETE']] as const)
            deepEqual((await api.refused(method, elsewhere, sent)).slice(0, 2), [404, missing])
          equal((await api.delete(here)).status, 204)
          deepEqual((await api.refused('GET', here)).slice(0, 2), [404, missing])
          deepEqual((await api.refused('DELETE', here)).slice(0, 2), [404, missing])
        }
      })

      test(`[W1] ${collection} need an administrator and a pool that the caller sees`, async () => {
        const pool = await api.newPool({ 'X-Auth-Project-ID': 'owner' })
        const stranger = { 'X-Auth-Project-ID': 'stranger' }
        for (const path of [pool, `/v2/pools/${nobody}`]) {
          deepEqual((await api.refused('GET', `${path}/${collection}`, undefined, stranger))[1], 'pool_not_found')
          deepEqual((await api.refused('POST', `${path}/${collection}`, body, stranger))[1], 'pool_not_found')
        }
        const member = { 'X-Auth-Project-ID': 'owner', 'X-Roles': 'member' }
        for (const [method, sent] of [['GET'], ['POST', body]] as const)
          deepEqual((await api.refused(method, `${pool}/${collection}`, sent, member))[0], 403)
        equal(
          (await api.post(`${pool}/${collection}`, body, { ...stranger, 'X-Auth-All-Projects': 'true' })).status,
          201,
        )
      })

      test(`[W1] lists of ${collection} are paged in every order`, async () => {
        const pool = await api.newPool()
        const ids: string[] = []
        for (const i of [1, 2, 3])
          ids.push((await api.add(pool, collection, collection === 'targets' ? {} : { host: `192.0.2.${i}` })).id)
        await api.patch(`${pool}/${collection}/${ids[0]}`, {})
        const idsBy = async (query: string) =>
          (await api.list(`${pool}/${collection}?${query}`)).body[collection]!.map(({ id }) => id)
        deepEqual(await idsBy('sort_key=id'), ids)
        deepEqual(await idsBy('sort_key=created_at&sort_dir=desc'), ids.toReversed())
        deepEqual(await idsBy('sort_key=updated_at'), [ids[1], ids[2], ids[0]])
        deepEqual(await idsBy(`limit=1&marker=${ids[0]}`), [ids[1]])
        const page = (await api.list(`${pool}/${collection}?limit=2`)).body
        ok(page.links.next?.includes(`${pool}/${collection}?limit=2&marker=${ids[1]}`))
      })
    }

    test('[W2] the type is catalog when nothing is said, one of the table else, and stays', async () => {
      const pool = await api.newPool()
      const { id, pool_id, created_at, links, ...rest } = await api.add(pool, 'targets')
      ok(id && pool_id && created_at && links)
      deepEqual(rest, {
        type: 'catalog',
        description: null,
        tsigkey_id: null,
        masters: [],
        options: {},
        secrets_set: [],
        updated_at: null,
      })
      const required = { pdns4: pdns.options } as Record<string, object>
      for (const type of Object.keys(targetKinds))
        equal((await api.add(pool, 'targets', { type, masters, options: required[type] ?? {} })).type, type)
      for (const type of ['powerdns', 'Catalog', '', null, 5, {}])
        deepEqual((await api.faults('POST', `${pool}/targets`, { type })).slice(1), ['invalid_object', ['type']])
      const path = `${pool}/targets/${id}`
      deepEqual((await api.faults('PATCH', path, { type: 'bind9' }))[2], ['type'])
      equal((await api.patch(path, { type: 'catalog' })).status, 200)
      for (const description of ['x'.repeat(161), 5])
        deepEqual((await api.faults('PATCH', path, { description }))[2], ['description'])
      for (const key of ['id', 'pool_id', 'secrets_set', 'secrets', 'updated_key'])
        deepEqual((await api.faults('POST', `${pool}/targets`, { [key]: 'x' }))[2], [key])
      deepEqual((await api.list(`${pool}/targets?type=pdns4`)).body.targets!.length, 1)
    })

    test('[W3] options are held to the table of their type, all faults at once', async () => {
      const pool = await api.newPool()
      const wrong: [string, object, string[]][] = [
        ['catalog', { rndc_port: 953, hosts: 'x' }, ['rndc_port', 'hosts']],
        ['catalog', { host: 'no host', port: 0 }, ['host', 'port']],
        ['catalog', { host: '300.1.1.1', port: 65_536 }, ['host', 'port']],
        ['catalog', { host: '', port: 1.5 }, ['host', 'port']],
        ['catalog', { host: 'fe80::1%eth0', port: [] }, ['host', 'port']],
        ['catalog', { host: 5, port: 'x' }, ['host', 'port']],
        ['bind9', { clean_zonefile: 'yes', rndc_timeout: 0, view: 'a\nb' }, ['clean_zonefile', 'rndc_timeout', 'view']],
        [
          'bind9',
          { rndc_key_file: 'x'.repeat(1001), rndc_key_name: {}, view: 'a\ud800' },
          ['rndc_key_file', 'rndc_key_name', 'view'],
        ],
        ['pdns4', {}, ['api_endpoint', 'api_token']],
        ['pdns4', { api_endpoint: '127.0.0.1:8081', api_token: null }, ['api_endpoint', 'api_token']],
        ['catalog', { constructor: 'x', toString: 1 }, ['constructor', 'toString']],
      ]
      for (const [type, options, names] of wrong) {
        const [status, error, paths] = await api.faults('POST', `${pool}/targets`, { type, masters, options })
        deepEqual([status, error, paths], [400, 'invalid_object', names.map((name) => `options/${name}`)])
      }
      for (const options of [[], 'x', 5, Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`o${i}`, 1]))])
        deepEqual((await api.faults('POST', `${pool}/targets`, { options }))[2], ['options'])
      const [, , unknown] = await api.refused('POST', `${pool}/targets`, { options: { hots: 'x' } })
      equal(unknown, 'options.hots: is no option of the kind catalog, which has host, port')
      const [, , missing] = await api.refused('POST', `${pool}/targets`, { ...pdns, options: { api_token: 't' } })
      match(missing, /^options\.api_endpoint: 'api_endpoint' is a required property of pdns4: such as http:/)
      for (const host of ['192.0.2.1', '2001:db8::1', 'ns1.example.org', 'NS1.example.org.', 'localhost'])
        deepEqual((await api.add(pool, 'targets', { options: { host, port: null } })).options, { host })
      deepEqual((await api.add(pool, 'targets', { options: null })).options, {})
    })

    test('[W4] numbers and booleans may be written as text', async () => {
      const pool = await api.newPool()
      const options = { port: '5353', rndc_port: '0953', clean_zonefile: 'True' }
      deepEqual((await api.add(pool, 'targets', { type: 'bind9', masters, options })).options, {
        port: 5353,
        rndc_port: 953,
        clean_zonefile: true,
      })
      const { options: nsd } = await api.add(pool, 'targets', { type: 'nsd4', options: { verify_ssl: 'false' } })
      deepEqual(nsd, { verify_ssl: false })
      for (const port of ['', ' 53', '53.0', '-1', '5e1', '99999999999'])
        deepEqual((await api.faults('POST', `${pool}/targets`, { options: { port } }))[2], ['options/port'], port)
    })

    test('[W5] secrets are written, kept when others change, taken away by null, and never shown', async () => {
      const pool = await api.newPool()
      const made = await api.post(`${pool}/targets`, pdns)
      const path = `${pool}/targets/${made.body.id}`
      const texts = [made.text]
      const patched = async (body: object) => {
        const answer = await api.patch(path, body)
        equal(answer.status, 200, answer.text)
        texts.push(answer.text)
        return answer.body
      }
      const tokenOf = async () => {
        const rows = await api.db.read((tx) => targets.allOf(tx, testSettings.secrets, made.body.pool_id as string))
        return rows[0]!.options.api_token
      }
      deepEqual(
        [made.body.options, made.body.secrets_set],
        [{ api_endpoint: pdns.options.api_endpoint }, ['api_token']],
      )
      const endpoint = { api_endpoint: 'https://pdns.example.org:8081' }
      deepEqual((await patched({ options: endpoint })).options, endpoint)
      equal(await tokenOf(), 'hidden-token')
      await patched({ description: 'x' })
      await patched({ ...(await api.get(path)).body, description: 'y' })
      equal(await tokenOf(), 'hidden-token')
      deepEqual((await patched({ options: { ...endpoint, api_token: 'other-token', timeout: 5 } })).secrets_set, [
        'api_token',
      ])
      equal(await tokenOf(), 'other-token')
      deepEqual((await api.faults('PATCH', path, { options: { ...endpoint, api_token: null } }))[2], [
        'options/api_token',
      ])
      deepEqual((await api.faults('PATCH', path, { options: {} }))[2], ['options/api_endpoint'])
      deepEqual((await api.faults('PATCH', path, { options: null }))[2], ['options/api_endpoint'])
      const bind = await api.post(`${pool}/targets`, {
        type: 'bind9',
        masters,
        options: { rndc_key_secret: 'hidden-key' },
      })
      const without = await api.patch(`${pool}/targets/${bind.body.id}`, {
        options: { rndc_key_secret: null, port: 54 },
      })
      deepEqual([without.body.options, without.body.secrets_set], [{ port: 54 }, []])
      texts.push(bind.text, without.text, (await api.get(path)).text, (await api.list(`${pool}/targets`)).text)
      for (const text of texts) ok(!/hidden|other-token/.test(text), text)
      const stored = await api.db.read((tx) => tx.all<{ secrets: string | null }>(sql`select * from pool_targets`))
      for (const row of stored) ok(!/hidden|other-token/.test(JSON.stringify(row)))
      const sealed = stored.find(({ secrets }) => secrets !== null)!
      const other = secretsWith(new Uint8Array(32).fill(8))
      let opened: unknown
      try {
        opened = targets.open(other, { ...sealed })
      } catch {}
      equal(opened, undefined)
    })

    test('[W5] a secret that was copied to another row does not open there', async () => {
      const pool = await api.newPool()
      const [first, second] = [await api.add(pool, 'targets', pdns), await api.add(pool, 'targets', pdns)]
      await api.db.write((tx) =>
        tx.run(sql`
          update pool_targets set secrets = (select secrets from pool_targets where id = ${first.id}) where id = ${second.id}`),
      )
      const opened = api.db.read((tx) => targets.allOf(tx, testSettings.secrets, first.pool_id as string))
      match(String(await opened.catch((error: unknown) => error)), /was changed, or moved here from elsewhere/)
    })

    test('[W6] masters are hosts with ports, and there where the type needs them', async () => {
      const pool = await api.newPool()
      for (const type of ['bind9', 'knot', 'pdns4'])
        for (const none of [{}, { masters: [] }, { masters: null }])
          deepEqual(
            (await api.faults('POST', `${pool}/targets`, { type, ...none, options: pdns.options }))[2].includes(
              'masters',
            ),
            true,
          )
      const wrong: [unknown, string[]][] = [
        [[{ port: 53 }], ['masters/0/host']],
        [[{ host: '192.0.2.1', port: 0 }], ['masters/0/port']],
        [[{ host: 'a b', port: '53' }], ['masters/0/host', 'masters/0/port']],
        [[{ host: '192.0.2.1', key: 'x' }], ['masters/0/key']],
        [['192.0.2.1'], ['masters/0']],
        ['192.0.2.1', ['masters']],
        [Array(17).fill(masters[0]), ['masters']],
      ]
      for (const [given, paths] of wrong)
        deepEqual((await api.faults('POST', `${pool}/targets`, { type: 'bind9', masters: given }))[2], paths)
      const target = await api.add(pool, 'targets', { type: 'bind9', masters: [{ host: '2001:db8::1' }, masters[0]] })
      deepEqual(target.masters, [{ host: '2001:db8::1', port: 53 }, masters[0]])
      const path = `${pool}/targets/${target.id}`
      deepEqual((await api.faults('PATCH', path, { masters: [] }))[2], ['masters'])
      deepEqual((await api.patch(path, { masters })).body.masters, masters)
      deepEqual((await api.add(pool, 'targets', { type: 'nsd4' })).masters, [])
    })

    for (const [collection, body] of collections.slice(0, 2)) {
      test(`[W7] the TSIG key of ${collection} is one for pools`, async () => {
        const pool = await api.newPool()
        const zone = await api.newZone(`w7-${collection}-${engine.toLowerCase()}.example.org.`)
        const ofZone = await api.newKey(pool, { scope: 'ZONE', resource_id: zone.id })
        for (const tsigkey_id of [nobody, ofZone, 'x', 5])
          deepEqual(await api.faults('POST', `${pool}/${collection}`, { ...body, tsigkey_id }), [
            400,
            'invalid_object',
            ['tsigkey_id'],
          ])
        match(
          (await api.refused('POST', `${pool}/${collection}`, { ...body, tsigkey_id: nobody }))[2],
          /^tsigkey_id: must be the id of a TSIG key; none is 0/,
        )
        const tsigkey_id = await api.newKey(pool)
        const one = await api.add(pool, collection, { ...body, tsigkey_id })
        equal(one.tsigkey_id, tsigkey_id)
        const path = `${pool}/${collection}/${one.id}`
        deepEqual((await api.faults('PATCH', path, { tsigkey_id: nobody }))[2], ['tsigkey_id'])
        equal((await api.patch(path, { tsigkey_id: null })).body.tsigkey_id, null)
      })

      test(`[W8] a key that ${collection} use stays, and so does its pool`, async () => {
        const [owner, pool] = [await api.newPool(), await api.newPool()]
        const tsigkey_id = await api.newKey(owner)
        const one = await api.add(pool, collection, { ...body, tsigkey_id })
        const key = `/v2/tsigkeys/${tsigkey_id}`
        const [status, type, message] = await api.refused('DELETE', key)
        deepEqual([status, type], [409, 'tsigkey_in_use'])
        ok(message.includes(one.id) && message.includes(pool.split('/').at(-1)!), message)
        const zone = await api.newZone(`w8-${collection}-${engine.toLowerCase()}.example.org.`)
        const toZone = { scope: 'ZONE', resource_id: zone.id }
        deepEqual((await api.refused('PATCH', key, toZone)).slice(0, 2), [409, 'tsigkey_in_use'])
        equal((await api.patch(key, { secret: 'b3RoZXI=' })).status, 200)
        deepEqual((await api.refused('DELETE', owner)).slice(0, 2), [400, 'invalid_operation'])
        equal((await api.delete(`${pool}/${collection}/${one.id}`)).status, 204)
        equal((await api.delete(owner)).status, 204)
        equal((await api.get(key)).status, 404)
      })
    }

    test('[W8] a pool whose key only its own servers use goes with both', async () => {
      const pool = await api.newPool()
      const tsigkey_id = await api.newKey(pool)
      await api.add(pool, 'targets', { tsigkey_id })
      equal((await api.delete(pool)).status, 204)
      equal((await api.get(`/v2/tsigkeys/${tsigkey_id}`)).status, 404)
    })

    for (const [name, collection, duplicate] of [
      ['[W9] nameservers have hosts and ports, no two the same', 'nameservers', 'duplicate_pool_nameserver'],
      ['[W10] also_notifies have hosts and ports, no two the same', 'also_notifies', 'duplicate_pool_also_notify'],
    ] as const) {
      test(name, async () => {
        const pool = await api.newPool()
        const path = `${pool}/${collection}`
        const first = await api.add(pool, collection, { host: '2001:db8::1' })
        const names = ['id', 'pool_id', 'host', 'port', 'created_at', 'updated_at', 'links']
        deepEqual(
          Object.keys(first).toSorted(),
          [...names, ...(collection === 'nameservers' ? ['tsigkey_id'] : [])].toSorted(),
        )
        deepEqual([first.host, first.port], ['2001:db8::1', 53])
        const second = await api.add(pool, collection, { host: 'ns1.example.org', port: 5300 })
        for (const body of [
          { host: '2001:db8::1' },
          { host: '2001:DB8:0::1', port: 53 },
          { host: 'NS1.example.org.', port: 5300 },
        ])
          deepEqual((await api.refused('POST', path, body)).slice(0, 2), [409, duplicate], JSON.stringify(body))
        deepEqual((await api.refused('PATCH', `${path}/${second.id}`, { host: '2001:db8::1', port: 53 })).slice(0, 2), [
          409,
          duplicate,
        ])
        equal((await api.patch(`${path}/${second.id}`, { host: 'NS1.example.org' })).body.host, 'NS1.example.org')
        await api.add(pool, collection, { host: '2001:db8::1', port: 54 })
        await api.add(await api.newPool(), collection, { host: '2001:db8::1' })
        for (const host of [
          undefined,
          null,
          '',
          'a b',
          '1.2.3',
          '-a.example',
          'a..b',
          '192.0.2.1:53',
          '[::1]',
          'x'.repeat(300),
          5,
        ])
          deepEqual((await api.faults('POST', path, { host }))[2], ['host'], String(host))
        for (const port of [0, 65_536, '53', null, 1.5])
          deepEqual((await api.faults('POST', path, { host: '192.0.2.9', port }))[2], ['port'], String(port))
        const racing = await Promise.all(
          Array.from({ length: 8 }, () => api.post<Problem>(path, { host: '192.0.2.77' })),
        )
        deepEqual(racing.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)])
      })
    }

    test('[W11] a pool is delivered from its first target or nameserver to its last, and each change is told', async () => {
      const topics: string[] = []
      const stop = api.db.follow((woken) => topics.push(...woken))
      const pool = await api.newPool()
      const poolId = pool.split('/').at(-1)!
      const delivered = async () =>
        (await api.db.read((tx) =>
          tx.get<{ delivered: number }>(sql`select delivered from pools where id = ${poolId}`),
        ))!.delivered
      const told = async <T>(change: Promise<T>): Promise<T> => {
        const result = await change
        const until = Date.now() + 5000
        while (!topics.includes('delivery') && Date.now() < until) await new Promise((next) => setTimeout(next, 5))
        ok(topics.includes('delivery'))
        topics.length = 0
        return result
      }
      const gone = (collection: string, { id }: Shown) => told(api.delete(`${pool}/${collection}/${id}`))
      equal(await delivered(), 0)
      const also = await told(api.add(pool, 'also_notifies', { host: '192.0.2.1' }))
      await told(api.patch(`${pool}/also_notifies/${also.id}`, { port: 54 }))
      equal(await delivered(), 0)
      const target = await told(api.add(pool, 'targets'))
      equal(await delivered(), 1)
      const server = await told(api.add(pool, 'nameservers', { host: '192.0.2.1' }))
      await told(api.patch(`${pool}/targets/${target.id}`, { description: 'x' }))
      await told(api.patch(`${pool}/nameservers/${server.id}`, { port: 54 }))
      await gone('targets', target)
      equal(await delivered(), 1)
      await gone('nameservers', server)
      equal(await delivered(), 0)
      await gone('also_notifies', also)
      await told(api.patch(`${pool}/delivery`, { grace_seconds: 1 }))
      await told(api.post(`${pool}/checks`, {}))
      await told(api.delete(pool))
      stop()
    })

    test('[W19] targets are handed to who delivers with presets and secrets', async () => {
      const pool = await api.newPool()
      await api.add(pool, 'targets', { options: { port: 5300 } })
      const { id, pool_id } = await api.add(pool, 'targets', pdns)
      const rows = await api.db.read((tx) => targets.allOf(tx, testSettings.secrets, pool_id as string))
      deepEqual(rows[0]!.options, { host: '127.0.0.1', port: 5300 })
      const options = { host: '127.0.0.1', port: 53, timeout: 10, ...pdns.options }
      deepEqual(rows[1], { id, pool_id, type: 'pdns4', tsigkey_id: null, masters, options })
    })
  })
}
