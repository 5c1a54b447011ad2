import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ApiOptions } from '../../src/api/server.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { type Answer, type Api, type NewStore, type Problem, startTestApi } from '../support/api.ts'

/** The rules about who asks, how we are reached, and what stands beside the resources. */
export function callerRules(engine: string, newStore: NewStore): void {
  describe(`callers on ${engine}`, () => {
    let api: Api
    before(async () => {
      api = await startTestApi(newStore)
    })
    after(() => api.close())

    const told = ({ status, body }: Answer<Problem>) => [status, body.type]
    const forbidden = [403, 'forbidden']
    let made = 0
    const newPool = async (headers: Record<string, string> = {}) => {
      made += 1
      return (await api.post('/v2/pools', { name: `pool ${made}` }, headers)).body
    }
    const ids = async (query: string, headers: Record<string, string> = {}) =>
      (await api.list(`/v2/pools${query}`, headers)).body.pools!.map((row) => row.id)

    test('[H50] headers say who calls; without them it is noauth-project with the role admin', async () => {
      equal((await newPool()).project_id, 'noauth-project')
      equal((await newPool({ 'X-Auth-Project-ID': 'p-1', 'X-Auth-User-ID': 'u' })).project_id, 'p-1')
      equal((await newPool({ 'X-Auth-Project-ID': '' })).project_id, 'noauth-project')
      deepEqual(told(await api.get('/v2/pools', { 'X-Auth-Project-ID': 'p'.repeat(256) })), [400, 'bad_request'])
    })

    test('[H51] pools, TLDs and blacklists need the role admin', async () => {
      for (const mount of ['/v2', '/openstack/v2']) {
        for (const roles of ['member', 'reader', '', 'administrator', 'reader,member']) {
          for (const collection of ['pools', 'tlds', 'blacklists']) {
            const headers = { 'X-Roles': roles }
            const one = `${mount}/${collection}/${defaultPoolId}`
            deepEqual(told(await api.get(`${mount}/${collection}`, headers)), forbidden)
            deepEqual(told(await api.get(one, headers)), forbidden)
            deepEqual(told(await api.post(`${mount}/${collection}`, {}, headers)), forbidden)
            deepEqual(told(await api.patch(one, {}, headers)), forbidden)
            deepEqual(told(await api.delete(one, headers)), forbidden)
          }
        }
      }
      for (const roles of ['admin', 'Admin', 'member, admin'])
        equal((await api.get('/v2/tlds', { 'X-Roles': roles })).status, 200)
    })

    test('[H52] an administrator may act for another project', async () => {
      const pool = await newPool({ 'X-Auth-Project-ID': 'mine', 'X-Auth-Sudo-Project-ID': 'theirs' })
      equal(pool.project_id, 'theirs')
      equal((await newPool({ 'X-Auth-Sudo-Tenant-ID': 'old' })).project_id, 'old')
      const both = { 'X-Auth-Sudo-Project-ID': 'new', 'X-Auth-Sudo-Tenant-ID': 'old' }
      equal((await newPool(both)).project_id, 'new')
      ok((await ids('?limit=max', { 'X-Auth-Sudo-Project-ID': 'theirs' })).includes(pool.id))
      ok(!(await ids('?limit=max', { 'X-Auth-Project-ID': 'mine' })).includes(pool.id))
      for (const name of ['X-Auth-Sudo-Project-ID', 'X-Auth-Sudo-Tenant-ID'])
        deepEqual(told(await api.get('/v2/pools', { [name]: 'x', 'X-Roles': 'member' })), forbidden)
    })

    test('[H53] an administrator may look past projects, by header or by query', async () => {
      const { id } = await newPool({ 'X-Auth-Project-ID': 'elsewhere' })
      const sees = async (query: string, value?: string) =>
        (await ids(`?limit=max${query}`, value === undefined ? {} : { 'X-Auth-All-Projects': value })).includes(id)
      for (const yes of ['1', 't', 'true', 'True', 'on', 'y', 'YES']) ok(await sees('', yes), yes)
      for (const no of ['0', 'false', 'no', 'off', '', '2', 'tru']) ok(!(await sees('', no)), no)
      for (const name of ['all_projects', 'all_tenants']) {
        ok(await sees(`&${name}=true`))
        ok(!(await sees(`&${name}=false`, 'true')))
        ok(await sees(`&${name}=yes`, 'false'))
        const query = `?${name}=true&limit=1&sort_dir=desc`
        const { body } = await api.list(`/v2/pools${query}`, { 'X-Auth-Project-ID': 'nobody' })
        equal(body.links.self, `${api.url}/v2/pools${query}`)
        equal(body.links.next, `${api.url}/v2/pools${query}&marker=${body.pools![0]!.id}`)
      }
      equal((await api.get(`/v2/pools/${id}?all_projects=true`)).status, 200)
      deepEqual(told(await api.get('/v2/pools?all_projects=true', { 'X-Roles': 'reader' })), forbidden)
      deepEqual(told(await api.get('/v2/pools', { 'X-Roles': 'member', 'X-Auth-All-Projects': 'true' })), forbidden)
    })

    test('[H60] the root lists the versions with the address of the mount, to anyone', async () => {
      type Versions = { versions: { id: string; status: string; links: { rel: string; href: string }[] }[] }
      for (const [path, mount] of [
        ['/', '/v2'],
        ['/openstack', '/openstack/v2'],
        ['/openstack/', '/openstack/v2'],
      ]) {
        const { status, body } = await api.get<Versions>(path!, { 'X-Roles': '' })
        equal(status, 200)
        deepEqual(
          body.versions.map(({ id }) => id),
          ['v2', 'v2.0', 'v2.1', 'v2.2', 'v2.3', 'v2.4'],
        )
        equal(body.versions.filter((version) => version.status === 'CURRENT').length, 1)
        for (const { links } of body.versions) equal(links.find(({ rel }) => rel === 'self')?.href, api.url + mount)
      }
    })

    test('[H61] /healthcheck answers OK, as text or as JSON', async () => {
      const plain = await api.get('/healthcheck')
      deepEqual([plain.status, plain.text, plain.headers.get('Content-Type')], [200, 'OK', 'text/plain; charset=UTF-8'])
      const asked = await api.get<object>('/healthcheck', { Accept: 'application/json' })
      deepEqual([asked.status, asked.body], [200, { detailed: false, reasons: ['OK'] }])
    })

    test('[H62] /healthz and /readyz tell that we live and that the database answers', async () => {
      deepEqual((await api.get<object>('/healthz')).body, { status: 'live' })
      deepEqual((await api.get<object>('/readyz')).body, { status: 'ready', database: 'reachable' })
    })

    test('[H63] OPTIONS is 200 everywhere and lets nobody in who is not listed', async () => {
      const preflight = { Origin: 'http://dash.example', 'Access-Control-Request-Method': 'PATCH' }
      for (const path of ['/v2/pools', '/openstack/v2/tlds', '/nope', '/']) {
        const { status, text, headers } = await api.call('OPTIONS', path, { headers: preflight })
        deepEqual([status, text, headers.get('Access-Control-Allow-Origin')], [200, '', null])
      }
      await withApi({ corsOrigins: ['http://dash.example'] }, async (open) => {
        const { headers } = await open.call('OPTIONS', '/v2/pools', { headers: preflight })
        equal(headers.get('Access-Control-Allow-Origin'), 'http://dash.example')
        match(headers.get('Access-Control-Allow-Methods')!, /PATCH/)
        match(headers.get('Access-Control-Allow-Headers')!, /X-Auth-Token.*X-Auth-All-Projects.*Content-Type/)
        for (const path of ['/v2/pools', '/v2/pools/x', '/nope']) {
          const answer = await open.get(path, { Origin: 'http://dash.example' })
          equal(answer.headers.get('Access-Control-Allow-Origin'), 'http://dash.example', path)
          match(answer.headers.get('Access-Control-Expose-Headers')!, /X-OpenStack-Request-ID/)
          equal(answer.headers.get('Vary'), 'Origin')
        }
        const other = await open.get('/v2/pools', { Origin: 'http://evil.example' })
        deepEqual([other.headers.get('Access-Control-Allow-Origin'), other.headers.get('Vary')], [null, 'Origin'])
      })
    })

    /** links.self of a list asked for with these header lines. */
    const selfWith = async (to: Api, ...lines: string[]) => {
      const answer = await to.send(`GET /v2/tlds HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`)
      return /"self":"([^"]*)"/.exec(answer)?.[1]
    }

    test('[H64] links follow Host, and our own address where it is missing or odd', async () => {
      equal(await selfWith(api, 'Host: dns.example:8080'), 'http://dns.example:8080/v2/tlds')
      equal(await selfWith(api, 'Host: [::1]:9001'), 'http://[::1]:9001/v2/tlds')
      for (const odd of ['a b', 'a/b', 'x"y', 'a@b', '', 'a:b', 'a:123456', '<x>'])
        equal(await selfWith(api, `Host: ${odd}`), `${api.url}/v2/tlds`, odd)
      match(await api.send('GET /v2/tlds HTTP/1.0\r\n\r\n'), new RegExp(`"self":"${RegExp.escape(api.url)}/v2/tlds"`))
    })

    test('[H64] what proxies say of us is believed only from trusted ones', async () => {
      const standard = 'Forwarded: for=1.2.3.4;proto=https;host="dns.example:444", for=5.6.7.8;host=other'
      const old = ['X-Forwarded-Proto: https', 'X-Forwarded-Host: old.example', 'X-Forwarded-Prefix: /dns/']
      equal(await selfWith(api, 'Host: here', standard, ...old), 'http://here/v2/tlds')
      for (const trusted of ['127.0.0.1', '127.0.0.0/8', '0.0.0.0/0']) {
        await withApi({ trustedProxies: ['::1', trusted] }, async (proxied) => {
          equal(await selfWith(proxied, 'Host: here', standard), 'https://dns.example:444/v2/tlds')
          equal(await selfWith(proxied, 'Host: here', ...old), 'https://old.example/dns/v2/tlds')
          equal(await selfWith(proxied, 'Host: here'), 'http://here/v2/tlds')
          equal(await selfWith(proxied, 'Host: here', 'X-Forwarded-Host: a b'), 'http://here/v2/tlds')
          equal(await selfWith(proxied, 'Host: here', 'X-Forwarded-Proto: javascript'), 'http://here/v2/tlds')
          equal(await selfWith(proxied, 'Host: here', 'X-Forwarded-Prefix: //evil'), 'http://here/v2/tlds')
        })
      }
      await withApi({ trustedProxies: ['10.0.0.0/8'] }, async (proxied) => {
        equal(await selfWith(proxied, 'Host: here', standard), 'http://here/v2/tlds')
      })
    })

    test('[H64] a public URL that is set stands before everything', async () => {
      await withApi({ publicUrl: 'https://dns.example.org/api/', trustedProxies: ['127.0.0.1'] }, async (open) => {
        equal(await selfWith(open, 'Host: here', 'X-Forwarded-Host: there'), 'https://dns.example.org/api/v2/tlds')
        const { headers } = await open.post('/openstack/v2/tlds', { name: 'public' })
        match(headers.get('Location')!, /^https:\/\/dns\.example\.org\/api\/openstack\/v2\/tlds\//)
        match((await open.get('/')).text, /"href":"https:\/\/dns\.example\.org\/api\/v2"/)
      })
    })

    async function withApi(options: Partial<ApiOptions>, work: (other: Api) => Promise<void>): Promise<void> {
      const other = await startTestApi(newStore, options)
      try {
        await work(other)
      } finally {
        await other.close()
      }
    }
  })
}
