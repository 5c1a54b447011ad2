import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, test } from 'node:test'
import type { ApiOptions } from '../../src/api/server.ts'
import { systemClock } from '../../src/clock.ts'
import { routes } from '../../src/resources/index.ts'
import { type NetworkOptions, networkService } from '../../src/resources/reverse-names/sources/openstack.ts'
import { staticList } from '../../src/resources/reverse-names/sources/static.ts'
import type { NewStore, Shown } from '../support/api.ts'
import { type NetworkService, startNetworkService } from '../support/network-service.ts'
import { testSettings } from '../support/settings.ts'
import { mustAgree, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

type Name = { readonly id: string; readonly address: string; readonly ptrdname: string | null; readonly status: string }

const as = (project: string, roles = 'member') => ({ 'X-Auth-Project-ID': project, 'X-Roles': roles })
const credentials = { username: 'dns', password: 'right', project: 'service', domain: 'Default' }

/** The rules of addresses that OpenStack's network service knows. */
export function networkAddressRules(engine: string, newStore: NewStore): void {
  describe(`addresses of a network service on ${engine}`, () => {
    let network: NetworkService
    let api: ZonesApi
    before(async () => {
      network = await startNetworkService()
      api = await startWith({})
    })
    after(async () => {
      await api.close()
      await network.close()
    })
    afterEach(() => {
      network.fault = undefined
      network.maxPage = 1000
      network.ignoresProject = false
      network.tokenSeconds = 3600
      network.asked.length = 0
    })

    const source = (more: Partial<NetworkOptions>) =>
      networkService({
        url: network.url,
        region: 'RegionOne',
        identity: { url: `${network.url}/v3`, credentials },
        clock: systemClock,
        milliseconds: 1500,
        ...more,
      })
    const startWith = (more: Partial<NetworkOptions>, options: Partial<ApiOptions> = {}) =>
      startZonesApi(newStore, { addressSource: source(more) }, options)

    let made = 0
    function give(project: string, address: string | null): string {
      made += 1
      const id = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`
      network.floatingips.push({ id, floating_ip_address: address, project_id: project })
      return id
    }
    const take = (id: string) => {
      network.floatingips = network.floatingips.filter((one) => one.id !== id)
    }
    const at = (id: string) => `/v2/reverse/floatingips/RegionOne:${id}`
    const list = async (project: string, from = api, headers: Record<string, string> = {}) =>
      (await from.get<{ floatingips: Name[] }>('/v2/reverse/floatingips', { ...as(project), ...headers })).body
        .floatingips
    const set = async (id: string, ptrdname: string, project: string) =>
      equal((await api.patch(at(id), { ptrdname }, as(project))).status, 202)
    async function linesIn(zoneName: string): Promise<unknown[]> {
      const zones = await api.list(`/v2/zones?name=${zoneName}`, { 'X-Auth-All-Projects': 'true' })
      const zone = zones.body.zones![0] as unknown as ShownZone
      await mustAgree(api.db, zone)
      const sets = await api.list(`/openstack/v2/zones/${zone.id}/recordsets?type=PTR`, {
        'X-Auth-All-Projects': 'true',
      })
      return (sets.body.recordsets as Shown[]).flatMap(({ records }) => records as string[])
    }

    test('[G30] addresses are those the network service says the project has, page after page', async () => {
      network.maxPage = 2
      const ids = ['120.0.2.1', '120.0.2.2', '120.0.2.3', '2001:DB8::120', '120.0.2.5'].map((one) => give('p30', one))
      give('other', '120.0.2.9')
      give('p30', null)
      const found = await list('p30')
      deepEqual(
        found.map(({ id, address }) => `${id} ${address}`),
        ids.map(
          (id, i) => `RegionOne:${id} ${['120.0.2.1', '120.0.2.2', '120.0.2.3', '2001:db8::120', '120.0.2.5'][i]}`,
        ),
      )
      const pages = network.asked.filter(({ what }) => /project_id=p30&limit=1000/.test(what))
      deepEqual(
        pages.map(({ what }) => /marker=.*/.exec(what)?.[0]),
        [undefined, `marker=${ids[1]}`, `marker=${ids[3]}`],
      )
      equal((await api.get<Name>(at(ids[2]!), as('p30'))).body.address, '120.0.2.3')
      const [status, type, message] = await api.refused('GET', at(ids[0]!), undefined, as('other'))
      deepEqual([status, type], [404, 'not_found'])
      equal(message, `FloatingIP ${ids[0]} in RegionOne is not associated for project "other"`)
      const elsewhere = at(ids[0]!).replace('RegionOne', 'RegionTwo')
      equal((await api.get(elsewhere, as('p30'))).status, 404)
    })

    test('[G30] a token is got once and used until it expires or is refused', async () => {
      give('p31', '121.0.2.1')
      await list('p31')
      network.asked.length = 0
      await Promise.all([list('p31'), list('p31')])
      equal(network.asked.filter(({ what }) => what.startsWith('POST')).length, 0)
      network.tokens.clear()
      equal((await list('p31')).length, 1)
      equal(network.asked.filter(({ what }) => what.startsWith('POST')).length, 1)
      network.tokenSeconds = 30
      const brief = await startWith({ identity: { url: network.url, credentials: { id: 'cred', secret: 'right' } } })
      try {
        network.asked.length = 0
        await list('p31', brief)
        await list('p31', brief)
        equal(network.asked.filter(({ what }) => what.startsWith('POST')).length, 2, 'about to expire, so not kept')
        equal((await list('p31', brief)).length, 1)
      } finally {
        await brief.close()
      }
    })

    test('[G9] a name that is given while the network service is asked outlives what it answers', async () => {
      const first = give('p90', '190.0.2.1')
      await set(first, 'first.example.', 'p90')
      let id = ''
      network.fault = async (response) => {
        network.fault = undefined
        const floatingips = network.floatingips.filter(({ project_id }) => project_id === 'p90')
        id = give('p90', '190.0.2.2')
        await set(id, 'second.example.', 'p90')
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ floatingips }))
      }
      deepEqual(
        (await list('p90')).map(({ ptrdname }) => ptrdname),
        ['first.example.', 'second.example.'],
      )
      deepEqual((await linesIn('2.0.190.in-addr.arpa.')).toSorted(), ['first.example.', 'second.example.'])
      network.fault = async (response) => {
        network.fault = undefined
        const floatingips = network.floatingips.filter((one) => one.id === id)
        take(id)
        await set(give('p91', '190.0.2.2'), 'third.example.', 'p91')
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ floatingips }))
      }
      equal((await api.get(at(id), as('p90'))).status, 404)
      deepEqual((await linesIn('2.0.190.in-addr.arpa.')).toSorted(), ['first.example.', 'third.example.'])
    })

    test("[G31] without credentials of its own the service passes on the caller's token", async () => {
      const plain = await startWith({ identity: undefined })
      try {
        give('p32', '122.0.2.1')
        network.tokens.set('theirs', 'p32').set('all', '*')
        equal((await list('p32', plain, { 'X-Auth-Token': 'theirs' })).length, 1)
        network.ignoresProject = true
        equal((await list('p32', plain, { 'X-Auth-Token': 'all' })).length, 1, 'of its project alone')
        deepEqual(
          await list('p99', plain, { 'X-Auth-Token': 'theirs' }),
          [],
          'a token of another project shows nothing',
        )
        const refusal = async (headers: Record<string, string>) =>
          (await plain.refused('GET', '/v2/reverse/floatingips', undefined, { ...as('p32'), ...headers })).slice(0, 2)
        deepEqual(await refusal({}), [401, 'unauthorized'])
        deepEqual(await refusal({ 'X-Auth-Token': 'wrong' }), [401, 'unauthorized'])
        network.fault = (response) => void response.writeHead(403).end('{}')
        deepEqual(await refusal({ 'X-Auth-Token': 'theirs' }), [403, 'forbidden'])
      } finally {
        await plain.close()
      }
    })

    const faults: readonly [string, (response: ServerResponse) => void, RegExp][] = [
      ['says 500', (response) => void response.writeHead(500).end('{"NeutronError": {}}'), /answered 500/],
      ['sends HTML', (response) => void response.writeHead(200).end('<html>'), /no JSON/],
      ['sends another JSON', (response) => void response.writeHead(200).end('{"floatingips": [7]}'), /answered 200/],
      [
        'redirects',
        (response) => void response.writeHead(302, { Location: 'http://192.0.2.1/' }).end('{}'),
        /answered 302/,
      ],
      [
        'breaks off',
        (response) => void response.writeHead(200).write('{"float', () => response.destroy()),
        /broke off|cannot be reached/,
      ],
      ['hangs up', (response) => void response.destroy(), /cannot be reached/],
      ['says nothing', () => {}, /did not answer within 1.5 seconds/],
      [
        'never ends',
        (response) => void response.writeHead(200).write('x'.repeat(5_000_000)),
        /more than 4194304 bytes/,
      ],
    ]
    for (const [what, fault, told] of faults) {
      test(`[G32] a network service that ${what} is told as 504 in the usual shape, and nothing is changed`, async () => {
        network.fault = undefined
        const id = give('p33', `123.0.2.${made}`)
        await set(id, 'kept.example.', 'p33')
        network.fault = fault
        for (const [method, path, body] of [
          ['GET', '/v2/reverse/floatingips', undefined],
          ['PATCH', at(id), { ptrdname: null }],
        ] as const) {
          const [status, type, message] = await api.refused(method, path, body, as('p33'))
          deepEqual([status, type], [504, 'neutron_communication_failure'])
          match(message, told)
          ok(!message.includes('127.0.0.1'), 'where it is, is nobody’s business')
        }
        network.fault = undefined
        equal((await api.get<Name>(at(id), as('p33'))).body.ptrdname, 'kept.example.')
      })
    }

    test('[G32] an identity service that is away or does not know us is told as such', async () => {
      const wrong = { url: network.url, credentials: { ...credentials, password: 'wrong' } }
      for (const [identity, told] of [
        [wrong, /does not accept the credentials/],
        [{ url: 'http://127.0.0.1:1', credentials }, /cannot be reached \(ECONNREFUSED\)/],
      ] as const) {
        const other = await startWith({ identity })
        try {
          const [status, type, message] = await other.refused('GET', '/v2/reverse/floatingips', undefined, as('p'))
          deepEqual([status, type], [504, 'keystone_communication_failure'])
          match(message, told)
          ok(!message.includes('wrong'))
        } finally {
          await other.close()
        }
      }
    })

    test('[G32] other requests do not wait for a network service that is slow', async () => {
      network.fault = () => {}
      const slow = api.refused('PATCH', at(give('p34', '124.0.2.1')), { ptrdname: 'a.example.' }, as('p34'))
      const start = performance.now()
      equal((await api.post('/v2/tlds', { name: 'arpa' })).status, 201)
      ok(performance.now() - start < 1000, 'no transaction was open')
      equal((await slow)[0], 504)
    })

    test('[G33] a page that comes again and again, or a project with too many addresses, ends', async () => {
      const page = (from: number) =>
        Array.from({ length: 1000 }, (_, i) => ({
          id: `00000000-0000-4000-9000-${String(from + i).padStart(12, '0')}`,
          floating_ip_address: `10.${(from + i) >> 16}.${((from + i) >> 8) & 255}.${(from + i) & 255}`,
          project_id: 'p35',
        }))
      const links = [{ rel: 'next', href: 'x' }]
      const answer = (response: ServerResponse, rows: object[]) =>
        void response.writeHead(200).end(JSON.stringify({ floatingips: rows, floatingips_links: links }))
      network.fault = (response) => answer(response, page(0))
      equal((await list('p35')).length, 1000)
      let from = 0
      network.fault = (response) => {
        answer(response, page(from))
        from += 1000
      }
      const [status, type, message] = await api.refused('GET', '/v2/reverse/floatingips', undefined, as('p35'))
      deepEqual([status, type], [504, 'neutron_communication_failure'])
      match(message, /more than 10000/)
    })

    test('[G9] the name of an address that was released is dropped when its project lists', async () => {
      const [kept, released] = [give('p36', '126.0.2.1'), give('p36', '126.0.2.2')]
      await set(kept, 'kept.example.', 'p36')
      await set(released, 'released.example.', 'p36')
      take(released)
      deepEqual((await linesIn('2.0.126.in-addr.arpa.')).toSorted(), ['kept.example.', 'released.example.'])
      deepEqual(
        (await list('p36')).map(({ ptrdname }) => ptrdname),
        ['kept.example.'],
      )
      deepEqual(await linesIn('2.0.126.in-addr.arpa.'), ['kept.example.'])
    })

    for (const [how, n] of [
      ['lists', 1],
      ['shows it', 2],
      ['sets a name', 3],
    ] as const) {
      test(`[G9] the name of an address that another project has now is dropped when that one ${how}`, async () => {
        const address = `127.${n}.2.1`
        const before = give('old', address)
        await set(before, 'old.example.', 'old')
        take(before)
        const now = give(`new${n}`, address)
        if (n === 1) equal((await list('new1'))[0]!.ptrdname, null)
        if (n === 2) equal((await api.get<Name>(at(now), as('new2'))).body.ptrdname, null)
        if (n === 3) await set(now, 'new.example.', 'new3')
        deepEqual(await linesIn(`2.${n}.127.in-addr.arpa.`), n === 3 ? ['new.example.'] : [])
        equal((await api.get(at(before), as('old'))).status, 404)
      })
    }

    test('[G9] names of addresses that another source knew are left alone', async () => {
      const id = give('p37', '129.0.2.1')
      await set(id, 'network.example.', 'p37')
      const other = routes({ ...testSettings, addressSource: staticList })
      const listing = other.find(({ method, path }) => method === 'GET' && path === '/v2/reverse/floatingips')!
      const call = { caller: { project_id: 'p37' }, headers: {}, params: {} }
      deepEqual(
        await listing.prepare!(call as unknown as Parameters<NonNullable<typeof listing.prepare>>[0], api.db),
        [],
      )
      deepEqual(await linesIn('2.0.129.in-addr.arpa.'), ['network.example.'])
    })
  })
}
