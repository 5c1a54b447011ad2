import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { staticList } from '../../src/resources/reverse-names/sources/static.ts'
import type { NewStore, Shown } from '../support/api.ts'
import { testSettings } from '../support/settings.ts'
import { linesOf } from '../support/zones.ts'
import {
  journalOf,
  mustAgree,
  type ShownSet,
  type ShownZone,
  startZonesApi,
  type ZonesApi,
} from '../support/zones-api.ts'

const managed = '00000000-0000-0000-0000-000000000000'
const everywhere = { 'X-Auth-All-Projects': 'true' }
const as = (project: string, roles = 'member') => ({ 'X-Auth-Project-ID': project, 'X-Roles': roles })
const sudo = (project: string) => ({ 'X-Auth-Sudo-Project-ID': project })

type Name = {
  readonly id: string
  readonly address: string
  readonly ptrdname: string | null
  readonly ttl: number | null
  readonly description: string | null
  readonly action: string
  readonly status: string
  readonly links: { readonly self: string }
}

/** The rules of names of addresses, with the addresses that administrators list. */
export function reverseNameRules(engine: string, newStore: NewStore): void {
  describe(`reverse names on ${engine}`, () => {
    let api: ZonesApi
    before(async () => {
      api = await startZonesApi(newStore)
    })
    after(() => api.close())

    const list = async (project: string) =>
      (await api.get<{ floatingips: Name[] }>('/v2/reverse/floatingips', as(project))).body.floatingips
    /** Gives a project an address; returns the path of it below `/v2/reverse/floatingips`. */
    async function address(text: string, project = 'p', region = 'RegionOne'): Promise<string> {
      const {
        status,
        body,
        text: told,
      } = await api.post('/v2/reverse/addresses', { address: text, project_id: project, region })
      equal(status, 201, told)
      return `/v2/reverse/floatingips/${region}:${body.id}`
    }
    const get = async (path: string, project = 'p') => (await api.get<Name>(path, as(project))).body
    async function set(path: string, ptrdname: string, more: object = {}, project = 'p'): Promise<Name> {
      const { status, body, text } = await api.patch<Name>(path, { ptrdname, ...more }, as(project))
      equal(status, 202, text)
      return body
    }
    const refusal = async (method: string, path: string, body?: unknown, headers: Record<string, string> = as('p')) =>
      (await api.refused(method, path, body, headers)).slice(0, 2)
    const zonesNamed = async (name: string) =>
      (await api.list(`/v2/zones?name=${name}`, everywhere)).body.zones as unknown as (ShownZone & {
        project_id: string
      })[]
    const setsOf = async (zone: { id: string }, type: string) =>
      (await api.list(`/openstack/v2/zones/${zone.id}/recordsets?type=${type}&limit=max`, everywhere)).body
        .recordsets as unknown as ShownSet[]
    /** Lines of the records of a type that a zone answers with. */
    const linesIn = async (zone: { id: string; name: string }, type: string) => {
      await mustAgree(api.db, zone)
      const sets = await setsOf(zone, type)
      return sets.flatMap(({ name, records }) => records.map((record) => `${name} ${record}`)).toSorted()
    }

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[G1] the addresses of a project are listed without pages, those without a name as INACTIVE (${mount})`, async () => {
        const project = `list${mount.length}`
        const first = await address(`198.51.100.${mount.length}`, project)
        await address(`2001:db8:0:0:1::${mount.length}`, project)
        const { body } = await api.get<{ floatingips: Name[] }>(`${mount}/reverse/floatingips`, as(project, 'reader'))
        deepEqual(Object.keys(body), ['floatingips', 'links'])
        deepEqual(body.floatingips[0], {
          id: first.slice('/v2/reverse/floatingips/'.length),
          description: null,
          address: `198.51.100.${mount.length}`,
          ptrdname: null,
          ttl: null,
          action: 'NONE',
          status: 'INACTIVE',
          links: { self: `${api.url}${first.replace('/v2', mount)}` },
        })
        equal(body.floatingips[1]!.address, `2001:db8::1:0:0:${mount.length}`)
        equal(body.floatingips.length, 2)
        deepEqual((await api.get(first.replace('/v2', mount), as(project))).body, body.floatingips[0])
      })
    }

    test('[G1] a project without addresses has an empty list, and the list takes no parameters', async () => {
      deepEqual(await list('nobody'), [])
      deepEqual(await refusal('GET', '/v2/reverse/floatingips?address=1'), [400, 'bad_request'])
    })

    test('[G2] what is no region:id is 400, an address of another project or region 404', async () => {
      const path = await address('198.51.100.20')
      const id = path.split(':')[1]!
      for (const key of ['abc', `:${id}`, 'RegionOne:', 'RegionOne:abc', `Region One:${id}`, id, `a/b:${id}`]) {
        const [status, type] = await refusal('GET', `/v2/reverse/floatingips/${encodeURIComponent(key)}`)
        deepEqual([status, type], [400, 'bad_request'], key)
        deepEqual(await refusal('PATCH', `/v2/reverse/floatingips/${encodeURIComponent(key)}`, {}), [
          400,
          'bad_request',
        ])
      }
      const told = await api.refused('GET', '/v2/reverse/floatingips/abc', undefined, as('p'))
      equal(told[2], 'Floating IP abc is not in the format of <region>:<uuid>')
      for (const [where, project] of [
        [path, 'q'],
        [path.replace('RegionOne', 'RegionTwo'), 'p'],
        [`/v2/reverse/floatingips/RegionOne:${managed}`, 'p'],
      ] as const) {
        deepEqual(await refusal('GET', where, undefined, as(project)), [404, 'not_found'])
        deepEqual(await refusal('PATCH', where, { ptrdname: 'a.example.' }, as(project)), [404, 'not_found'])
      }
      equal((await api.get(`${path.replace(':', '%3A')}`, as('p'))).status, 200)
      deepEqual(await refusal('PATCH', path, { ptrdname: 'a.example.' }, as('p', 'reader')), [403, 'forbidden'])
    })

    test('[G3] a name is PENDING until it is served, then ACTIVE; what is not sent stays', async () => {
      const path = await address('198.51.101.1')
      const made = await set(path, 'smtp.example.org.', { ttl: 600, description: 'mail' })
      deepEqual(
        [made.ptrdname, made.ttl, made.description, made.action, made.status],
        ['smtp.example.org.', 600, 'mail', 'CREATE', 'PENDING'],
      )
      deepEqual(await get(path), made)
      deepEqual(await list('p').then((all) => all.find(({ id }) => id === made.id)), made)
      await api.publish()
      deepEqual(await get(path), { ...made, action: 'NONE', status: 'ACTIVE' })
      const other = await set(path, 'mx.example.org.')
      deepEqual(
        [other.ptrdname, other.ttl, other.description, other.action],
        ['mx.example.org.', 600, 'mail', 'UPDATE'],
      )
      const { status, body } = await api.patch<Name>(path, { ttl: null, description: null }, as('p'))
      deepEqual([status, body.ptrdname, body.ttl, body.description], [202, 'mx.example.org.', 3600, null])
      await api.publish()
      const whole = await get(path)
      equal(
        (await api.patch<Name>(path, { ...whole, ptrdname: 'MX.example.org.' }, as('p'))).body.ptrdname,
        'MX.example.org.',
      )
      await api.publish()
      const same = await set(path, 'MX.example.org.')
      deepEqual([same.action, same.status], ['NONE', 'ACTIVE'], 'nothing changed')
      const [zone] = await zonesNamed('101.51.198.in-addr.arpa.')
      deepEqual(await linesIn(zone!, 'PTR'), ['1.101.51.198.in-addr.arpa. MX.example.org.'])
      const last = (await journalOf(api.db, zone!.id)).at(-1)!
      deepEqual(linesOf(last.added).slice(1), ['1.101.51.198.in-addr.arpa. 3600 PTR MX.example.org.'])
    })

    test('[G3] faults of a body are told all at once', async () => {
      const path = await address('198.51.101.2')
      const { body } = await api.patch<{ type: string; errors: { errors: { path: string[] }[] } }>(
        path,
        { ptrdname: 'nodot', ttl: -1, description: 'x'.repeat(161), bogus: 1, address: '192.0.2.1' },
        as('p'),
      )
      equal(body.type, 'invalid_object')
      deepEqual(body.errors.errors.map((fault) => fault.path[0]).toSorted(), [
        'address',
        'bogus',
        'description',
        'ptrdname',
        'ttl',
      ])
      for (const given of [
        { ptrdname: 5 },
        { ptrdname: '' },
        { ptrdname: '.' },
        { ptrdname: `${'a'.repeat(64)}.org.` },
        { ptrdname: 'a b.org.' },
      ]) {
        deepEqual(await refusal('PATCH', path, given), [400, 'invalid_object'], JSON.stringify(given))
      }
      deepEqual(await refusal('PATCH', path, { ptrdname: 'x'.repeat(2000) }), [400, 'invalid_object'])
      deepEqual(await refusal('PATCH', path, { ttl: 60 }), [400, 'invalid_object'], 'there is no name to change')
      deepEqual(await refusal('PATCH', path, []), [400, 'invalid_object'])
      equal((await get(path)).status, 'INACTIVE')
      equal((await set(path, 'bücher.example.')).ptrdname, 'xn--bcher-kva.example.')
    })

    test('[G3] the least TTL holds for all but administrators', async () => {
      const strict = await startZonesApi(newStore, { minTtl: 300 })
      try {
        const { body } = await strict.post('/v2/reverse/addresses', { address: '198.51.101.3', project_id: 'p' })
        const path = `/v2/reverse/floatingips/RegionOne:${body.id}`
        const given = { ptrdname: 'a.example.', ttl: 299 }
        deepEqual((await strict.refused('PATCH', path, given, as('p'))).slice(0, 2), [400, 'invalid_ttl'])
        equal((await strict.patch(path, given, as('p', 'admin'))).status, 202)
      } finally {
        await strict.close()
      }
    })

    test('[G4] null takes a name away: DELETE and PENDING until every server has dropped it, then INACTIVE', async () => {
      const path = await address('198.51.102.1')
      deepEqual(await refusal('PATCH', path, { ptrdname: null }), [404, 'not_found'])
      deepEqual(await refusal('PATCH', path, {}), [404, 'not_found'])
      await set(path, 'a.example.', { description: 'x', ttl: 60 })
      await api.publish()
      for (const body of [{ ptrdname: null }, {}]) {
        const { status, text } = await api.patch(path, body, as('p'))
        deepEqual([status, text], [202, 'null'])
        const { id, links, address: _, ...left } = await get(path)
        deepEqual(left, { description: null, ptrdname: null, ttl: null, action: 'DELETE', status: 'PENDING' })
      }
      const [zone] = await zonesNamed('102.51.198.in-addr.arpa.')
      deepEqual(await linesIn(zone!, 'PTR'), [])
      await api.publish()
      equal((await get(path)).status, 'INACTIVE')
      deepEqual(await refusal('PATCH', path, { ptrdname: null }), [404, 'not_found'])
      equal((await set(path, 'b.example.')).action, 'CREATE')
      await api.patch(path, { ptrdname: null }, as('p'))
      equal((await set(path, 'c.example.')).ptrdname, 'c.example.', 'set again before it was dropped')
      deepEqual(await linesIn(zone!, 'PTR'), ['1.102.51.198.in-addr.arpa. c.example.'])
    })

    test('[G5] the record goes to the nearest zone of the managed project', async () => {
      const zone = await api.newZone('103.in-addr.arpa.', {}, sudo(managed))
      await set(await address('103.1.2.3'), 'a.example.')
      deepEqual(await linesIn(zone, 'PTR'), ['3.2.1.103.in-addr.arpa. a.example.'])
      const nearer = await api.newZone('2.1.103.in-addr.arpa.', {}, sudo(managed))
      await set(await address('103.1.2.4'), 'b.example.')
      deepEqual(await linesIn(nearer, 'PTR'), ['4.2.1.103.in-addr.arpa. b.example.'])
      const own = await api.newZone('5.2.1.103.in-addr.arpa.', {}, sudo(managed))
      await set(await address('103.1.2.5'), 'c.example.')
      deepEqual(await linesIn(own, 'PTR'), ['5.2.1.103.in-addr.arpa. c.example.'])
      deepEqual(await zonesNamed('1.103.in-addr.arpa.'), [])
    })

    test('[G5] a zone that stands where one would be made is used whosever it is; one further up is not', async () => {
      const zone = await api.newZone('2.0.104.in-addr.arpa.', {}, as('owner'))
      await set(await address('104.0.2.1'), 'a.example.')
      deepEqual(await linesIn(zone, 'PTR'), ['1.2.0.104.in-addr.arpa. a.example.'])
      equal((await zonesNamed('2.0.104.in-addr.arpa.')).length, 1)
      await api.newZone('1.104.in-addr.arpa.', {}, as('owner'))
      deepEqual(await refusal('PATCH', await address('104.1.2.1'), { ptrdname: 'a.example.' }), [403, 'illegal_child'])
    })

    test('[G5] a SECONDARY zone takes no names, and a name moves to the zone that is nearest when it is next set', async () => {
      const secondary = { type: 'SECONDARY', masters: ['192.0.2.1'], email: undefined }
      await api.newZone('2.0.105.in-addr.arpa.', secondary, sudo(managed))
      deepEqual(await refusal('PATCH', await address('105.0.2.1'), { ptrdname: 'a.example.' }), [400, 'bad_request'])
      const path = await address('105.0.3.1')
      await set(path, 'a.example.')
      const [wide] = await zonesNamed('3.0.105.in-addr.arpa.')
      const near = await api.newZone('0-25.3.0.105.in-addr.arpa.', {}, sudo(managed))
      deepEqual(await linesIn(wide!, 'PTR'), ['1.3.0.105.in-addr.arpa. a.example.'])
      await set(path, 'b.example.')
      deepEqual(await linesIn(wide!, 'PTR'), [])
      deepEqual(await linesIn(near, 'PTR'), ['1.0-25.3.0.105.in-addr.arpa. b.example.'])
      deepEqual(await linesIn(wide!, 'CNAME'), ['1.3.0.105.in-addr.arpa. 1.0-25.3.0.105.in-addr.arpa.'])
    })

    test('[G6] where there is none a zone is made: of the /24 or /64, for the managed project', async () => {
      await set(await address('106.0.2.1'), 'a.example.')
      await set(await address('2001:db8:6::a:1'), 'b.example.')
      for (const [name, ptr] of [
        ['2.0.106.in-addr.arpa.', '1.2.0.106.in-addr.arpa. a.example.'],
        [
          '0.0.0.0.6.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.',
          '1.0.0.0.a.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. b.example.',
        ],
      ] as const) {
        const [zone] = await zonesNamed(name)
        ok(zone, name)
        deepEqual(
          [zone.project_id, zone.email, zone.ttl, zone.type],
          [managed, 'hostmaster@example.com', 3600, 'PRIMARY'],
        )
        deepEqual(await linesIn(zone, 'PTR'), [ptr])
      }
    })

    test('[G6] the prefixes, the project and the e-mail address are settings; no quota, blacklist or list of TLDs keeps such zones from being made', async () => {
      const other = await startZonesApi(newStore, {
        reversePrefixes: { ipv4: 16, ipv6: 48 },
        managedProject: 'ours',
        managedEmail: 'dns@example.net',
        quotaDefaults: {
          ...testSettings.quotaDefaults,
          zones: 0,
          zone_recordsets: 0,
          zone_records: 0,
          recordset_records: 0,
        },
      })
      try {
        await other.post('/v2/blacklists', { pattern: '\\.(in-addr|ip6)\\.arpa\\.$' })
        equal((await other.post('/v2/tlds', { name: 'example' })).status, 201)
        for (const text of ['107.0.2.1', '2001:db8:7::1']) {
          const { body } = await other.post('/v2/reverse/addresses', { address: text, project_id: 'p' })
          const given = { ptrdname: 'a.example.' }
          equal((await other.patch(`/v2/reverse/floatingips/RegionOne:${body.id}`, given, as('p'))).status, 202)
        }
        const zones = (await other.list('/v2/zones?sort_key=name', as('ours'))).body.zones!
        deepEqual(
          zones.map(({ name, email }) => `${name} ${email}`),
          ['0.107.in-addr.arpa. dns@example.net', '7.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa. dns@example.net'],
        )
      } finally {
        await other.close()
      }
    })

    test('[G6] many names set at once for one network make one zone and lose no name', async () => {
      const paths = await Promise.all(Array.from({ length: 12 }, (_, i) => address(`108.0.2.${i + 1}`)))
      const made = await Promise.all(paths.map((path, i) => set(path, `n${i}.example.`)))
      equal(new Set(made.map(({ address: one }) => one)).size, 12)
      const found = await zonesNamed('2.0.108.in-addr.arpa.')
      equal(found.length, 1)
      equal((await linesIn(found[0]!, 'PTR')).length, 12)
      const racing = await Promise.all(Array.from({ length: 8 }, (_, i) => set(paths[0]!, `r${i}.example.`)))
      const lines = await linesIn(found[0]!, 'PTR')
      equal(lines.length, 12)
      ok(racing.some(({ ptrdname }) => lines.includes(`1.2.0.108.in-addr.arpa. ${ptrdname}`)))
    })

    for (const [n, label] of ['0-25', '0/25', '0-127'].entries()) {
      test(`[G7] in the zone of a part of a network (${label}, RFC 2317) the record stands below that, with a CNAME in the zone above`, async () => {
        const block = `2.${n}.109.in-addr.arpa.`
        const part = await api.newZone(`${label}.${block}`, {}, sudo(managed))
        const inside = await address(`109.${n}.2.5`)
        await set(inside, 'a.example.')
        deepEqual(await linesIn(part, 'PTR'), [`5.${label}.${block} a.example.`])
        deepEqual(await zonesNamed(block), [], 'the zone above is held elsewhere')
        const outside = await address(`109.${n}.2.128`)
        await set(outside, 'b.example.')
        const [whole] = await zonesNamed(block)
        deepEqual(await linesIn(whole!, 'PTR'), [`128.${block} b.example.`])
        deepEqual(await linesIn(whole!, 'CNAME'), [])
        await set(inside, 'c.example.')
        deepEqual(await linesIn(whole!, 'CNAME'), [`5.${block} 5.${label}.${block}`], 'now it is held here')
        await api.patch(inside, { ptrdname: null }, as('p'))
        deepEqual([await linesIn(whole!, 'CNAME'), await linesIn(part, 'PTR')], [[], []])
      })
    }

    test('[G7] of several parts the smallest is taken, and a CNAME that is there already stays', async () => {
      const block = '2.0.110.in-addr.arpa.'
      const whole = await api.newZone(block, {}, sudo(managed))
      const half = await api.newZone(`128-25.${block}`, {}, sudo(managed))
      const eighth = await api.newZone(`192-27.${block}`, {}, sudo(managed))
      const alias = { name: `193.${block}`, type: 'CNAME', records: [`193.192-27.${block}`] }
      equal((await api.post(`/v2/zones/${whole.id}/recordsets`, alias, sudo(managed))).status, 202)
      const path = await address('110.0.2.193')
      await set(path, 'a.example.')
      deepEqual([await linesIn(half, 'PTR'), await linesIn(eighth, 'PTR')], [[], [`193.192-27.${block} a.example.`]])
      await api.patch(path, { ptrdname: null }, as('p'))
      equal((await linesIn(whole, 'CNAME')).length, 1, 'who made it keeps it')
      const elsewhere = { name: `194.${block}`, type: 'CNAME', records: ['ptr.customer.example.'] }
      equal((await api.post(`/v2/zones/${whole.id}/recordsets`, elsewhere, sudo(managed))).status, 202)
      const refused = await refusal('PATCH', await address('110.0.2.194'), { ptrdname: 'a.example.' })
      deepEqual(refused, [400, 'invalid_recordset_location'])
      deepEqual(await linesIn(eighth, 'PTR'), [], 'and nothing of it is left')
    })

    test("[G8] the record set is the service's own: members see it and cannot change it; administrators may insist", async () => {
      const zone = await api.newZone('2.0.111.in-addr.arpa.', {}, as('owner'))
      const path = await address('111.0.2.1')
      await set(path, 'a.example.', { ttl: 300 })
      const [made] = await setsOf(zone, 'PTR')
      deepEqual([made!.project_id, made!.ttl, made!.version, made!.action], ['owner', 300, 1, 'CREATE'])
      const at = `/v2/zones/${zone.id}/recordsets/${made!.id}`
      deepEqual(await refusal('PUT', at, { records: ['x.example.'] }, as('owner')), [400, 'bad_request'])
      deepEqual(await refusal('DELETE', at, undefined, as('owner')), [400, 'bad_request'])
      const insisting = { ...sudo('owner'), 'X-Designate-Edit-Managed-Records': 'true' }
      equal((await api.put(at, { records: ['b.example.'] }, insisting)).status, 202)
      equal((await get(path)).ptrdname, 'b.example.')
      equal((await api.delete(at, insisting)).status, 202)
      equal((await get(path)).status, 'INACTIVE')
      await set(path, 'c.example.')
      deepEqual(await linesIn(zone, 'PTR'), ['1.2.0.111.in-addr.arpa. c.example.'])
    })

    test('[G8] a PTR record that someone made by hand gives way; the quotas and counts of the owner do not count ours', async () => {
      const zone = await api.newZone('2.0.112.in-addr.arpa.', {}, as('owner112'))
      const byHand = { name: '1.2.0.112.in-addr.arpa.', type: 'PTR', records: ['generic.example.'] }
      await api.post(`/v2/zones/${zone.id}/recordsets`, byHand, as('owner112'))
      await set(await address('112.0.2.1'), 'a.example.')
      deepEqual(await linesIn(zone, 'PTR'), ['1.2.0.112.in-addr.arpa. a.example.'])
      const total = async () => (await api.list('/openstack/v2/recordsets', as('owner112'))).body.metadata
      deepEqual(await total(), { total_count: 3 })
    })

    test('[G8] a name goes with its zone, and can be set anew', async () => {
      const path = await address('113.0.2.1')
      await set(path, 'a.example.')
      const [zone] = await zonesNamed('2.0.113.in-addr.arpa.')
      equal((await api.delete(`/v2/zones/${zone!.id}`, everywhere)).status, 202)
      equal((await get(path)).status, 'INACTIVE')
      equal((await set(path, 'b.example.')).ptrdname, 'b.example.')
      const [fresh] = await zonesNamed('2.0.113.in-addr.arpa.&status=PENDING').then((all) =>
        all.filter(({ id }) => id !== zone!.id),
      )
      deepEqual(await linesIn(fresh!, 'PTR'), ['1.2.0.113.in-addr.arpa. b.example.'])
    })

    test('[G9] when an address is given to another project its name is gone, and the new project sees none', async () => {
      const path = await address('114.0.2.1', 'before')
      await set(path, 'secret.example.', { description: 'ours' }, 'before')
      const at = path.replace('floatingips/RegionOne:', 'addresses/')
      equal((await api.patch(at, { project_id: 'after' })).status, 200)
      deepEqual(await list('before'), [])
      const [now] = await list('after')
      deepEqual([now!.ptrdname, now!.description, now!.status], [null, null, 'INACTIVE'])
      const [zone] = await zonesNamed('2.0.114.in-addr.arpa.')
      deepEqual(await linesIn(zone!, 'PTR'), [])
      await set(path, 'b.example.', {}, 'after')
      equal((await api.delete(at)).status, 204)
      deepEqual(await linesIn(zone!, 'PTR'), [])
      const again = await address('114.0.2.1', 'third')
      equal((await get(again, 'third')).status, 'INACTIVE')
    })

    test('[G9] an address that was given to another project while a name for it was on its way gets none', async () => {
      let meanwhile = async () => {}
      const one: typeof staticList.one = async (asker, key) => {
        const held = await staticList.one(asker, key)
        await meanwhile()
        return held
      }
      const other = await startZonesApi(newStore, { addressSource: { ...staticList, one } })
      try {
        const { body } = await other.post('/v2/reverse/addresses', { address: '115.0.2.1', project_id: 'before' })
        meanwhile = async () => {
          meanwhile = async () => {}
          equal((await other.patch(`/v2/reverse/addresses/${body.id}`, { project_id: 'after' })).status, 200)
        }
        const path = `/v2/reverse/floatingips/RegionOne:${body.id}`
        equal((await other.patch(path, { ptrdname: 'late.example.' }, as('before'))).status, 404)
        equal((await other.get<Name>(path, as('after'))).body.status, 'INACTIVE')
        deepEqual((await other.list('/v2/zones', everywhere)).body.zones, [])
      } finally {
        await other.close()
      }
    })

    test('[G10] an address that two regions have has but one name', async () => {
      const [here, there] = [await address('115.0.2.1', 'p', 'North'), await address('115.0.2.1', 'q', 'South')]
      await set(here, 'a.example.')
      equal((await get(there, 'q')).status, 'INACTIVE')
      const [status, type, message] = await api.refused('PATCH', there, { ptrdname: 'b.example.' }, as('q'))
      deepEqual([status, type], [409, 'duplicate_recordset'])
      match(message, /North/)
      deepEqual(await refusal('PATCH', there, { ptrdname: null }, as('q')), [404, 'not_found'])
      await api.patch(here, { ptrdname: null }, as('p'))
      equal((await set(there, 'b.example.', {}, 'q')).ptrdname, 'b.example.')
      equal((await get(here)).status, 'INACTIVE')
    })

    const addresses = '/v2/reverse/addresses'

    test('[G20] administrators list addresses: 201 with Location and every field, in one form', async () => {
      const { status, headers, body } = await api.post(addresses, {
        address: '2001:DB8::0:20',
        project_id: 'x',
        description: 'lab',
      })
      equal(status, 201)
      const { id, created_at, ...rest } = body
      equal(headers.get('location'), `${api.url}${addresses}/${id}`)
      match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
      deepEqual(rest, {
        address: '2001:db8::20',
        project_id: 'x',
        region: 'RegionOne',
        description: 'lab',
        updated_at: null,
        links: { self: `${api.url}${addresses}/${id}` },
      })
      deepEqual((await api.get(`${addresses}/${id}`)).body, body)
      const changed = (await api.patch(`${addresses}/${id}`, { ...body, description: null })).body
      deepEqual([changed.description, changed.updated_at === null], [null, false])
    })

    test('[G20] what is no address, no region or taken already is refused; all of it is for administrators alone', async () => {
      const given = { address: '192.0.2.21', project_id: 'x' }
      const { body } = await api.post(addresses, given)
      const admin = as('a', 'admin')
      deepEqual(await refusal('POST', addresses, given, admin), [409, 'duplicate_reverse_address'])
      equal((await api.post(addresses, { ...given, region: 'RegionTwo' })).status, 201)
      for (const wrong of [
        { address: '192.0.2' },
        { address: '192.0.2.256' },
        { address: '192.0.2.01' },
        { address: '2001:db8::g' },
        { address: 'fe80::1%eth0' },
        { address: '::ffff:192.0.2.77' },
        { address: '0:0:0:0:0:FFFF:c000:24d' },
        { address: '192.0.2.0/24' },
        { address: '' },
        { address: null },
        { address: 7 },
        { address: 'x'.repeat(5000) },
        { project_id: '' },
        { project_id: null },
        { region: 'a:b' },
        { region: '' },
        { region: 'r'.repeat(101) },
        { description: 'x'.repeat(161) },
        { id: managed },
        { bogus: 1 },
      ]) {
        const refused = await refusal('POST', addresses, { address: '192.0.2.99', project_id: 'x', ...wrong }, admin)
        deepEqual(refused, [400, 'invalid_object'], JSON.stringify(wrong))
      }
      deepEqual(await refusal('POST', addresses, {}, admin), [400, 'invalid_object'])
      const at = `${addresses}/${body.id}`
      for (const fixed of [{ address: '192.0.2.22' }, { region: 'RegionTwo' }]) {
        deepEqual(await refusal('PATCH', at, fixed, admin), [400, 'invalid_object'])
      }
      for (const [method, path, sent] of [
        ['POST', addresses, given],
        ['GET', addresses, undefined],
        ['GET', at, undefined],
        ['PATCH', at, {}],
        ['DELETE', at, undefined],
      ] as const) {
        deepEqual(await refusal(method, path, sent, as('x')), [403, 'forbidden'], method)
      }
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const nowhere = `${addresses}/${managed}`
        const refused = await refusal(method, nowhere, method === 'PATCH' ? {} : undefined, admin)
        deepEqual(refused, [404, 'reverse_address_not_found'])
      }
    })

    test('[G21] the list is over all projects, paged, filtered by address in any form, project and region, and sorted', async () => {
      await address('2001:db8:21::1', 'g21', 'North')
      await address('198.18.21.2', 'g21', 'South')
      await address('198.18.21.1', 'g21b', 'South')
      const found = async (query: string) =>
        ((await api.list(`${addresses}?${query}`)).body.addresses as Shown[]).map((row) => row.address)
      deepEqual(await found('project_id=g21'), ['2001:db8:21::1', '198.18.21.2'])
      deepEqual(await found('address=2001:DB8:21:0::1'), ['2001:db8:21::1'])
      deepEqual(await found('address=198.18.21.*&sort_key=address'), ['198.18.21.1', '198.18.21.2'])
      deepEqual(await found('region=South&sort_key=created_at&sort_dir=desc'), [
        '198.18.21.1',
        '198.18.21.2',
        '115.0.2.1',
      ])
      deepEqual(await found('project_id=g21&address=198.*'), ['198.18.21.2'])
      deepEqual(await refusal('GET', `${addresses}?bogus=1`, undefined, {}), [400, 'bad_request'])
      const first = (await api.list(`${addresses}?project_id=g21&limit=1`)).body
      deepEqual(Object.keys(first), ['addresses', 'links'])
      const next = (await api.list(first.links.next!.slice(api.url.length))).body
      deepEqual([next.addresses!.length, next.links.next], [1, undefined])
    })

    test('[G22] a project has at most 10000 addresses', async () => {
      await api.db.write(async (tx) => {
        for (let i = 0; i < 9999; i += 1) {
          const text = `10.22.${i >> 8}.${i & 255}`
          await tx.run(sql`insert into reverse_addresses (id, address, project_id, region, created_at)
            values (${`bulk-${i}`}, ${text}, 'bulk', 'Bulk', '2026-01-01T00:00:00.000000')`)
        }
      })
      await address('10.23.0.1', 'bulk', 'Bulk')
      equal((await list('bulk')).length, 10_000)
      const more = { address: '10.23.0.2', project_id: 'bulk' }
      deepEqual(await refusal('POST', addresses, more, {}), [413, 'over_quota'])
      const { body } = await api.post(addresses, { ...more, project_id: 'small' })
      deepEqual(await refusal('PATCH', `${addresses}/${body.id}`, { project_id: 'bulk' }, {}), [413, 'over_quota'])
    })
  })
}
