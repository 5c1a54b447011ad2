import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { NewStore, Page } from '../support/api.ts'
import { type ShownSet, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

const everywhere = { 'X-Auth-All-Projects': 'true' }
const other = { 'X-Roles': 'member', 'X-Auth-Project-ID': 'other' }

/** The rules of listing and finding record sets. */
export function recordsetListRules(engine: string, newStore: NewStore): void {
  describe(`lists of record sets on ${engine}`, () => {
    let api: ZonesApi
    let zone: ShownZone
    let second: ShownZone
    let www: ShownSet
    before(async () => {
      api = await startZonesApi(newStore)
      zone = await api.newZone('one.example.')
      second = await api.newZone('two.example.')
      www = await api.newSet(zone, 'www.one.example.', 'A', ['192.0.2.1', '192.0.2.2'], { ttl: 60, description: 'web' })
      await api.newSet(zone, 'Mail.one.example.', 'MX', ['10 MX.one.example.'], { ttl: 120 })
      await api.newSet(zone, 'www.one.example.', 'AAAA', ['2001:DB8:0:0::1'])
      await api.newSet(second, 'www.two.example.', 'A', ['192.0.2.1'])
      await api.newSet(second, '*.two.example.', 'TXT', ['token', '"two words"'])
      const theirs = await api.newZone('other.example.', {}, other)
      const body = { name: 'www.other.example.', type: 'A', records: ['192.0.2.1'] }
      await api.post(`/v2/zones/${theirs.id}/recordsets`, body, other)
    })
    after(() => api.close())

    const places = async (path: string, headers: Record<string, string> = {}) => {
      const page = (await api.list(path, headers)).body
      return page.recordsets!.map(({ name, type }) => `${name} ${type}`)
    }

    test('[R18] a zone lists its sets, oldest first, by name, type, ttl, data, status and description', async () => {
      const path = `/v2/zones/${zone.id}/recordsets`
      const all = [
        'one.example. SOA',
        'one.example. NS',
        'www.one.example. A',
        'Mail.one.example. MX',
        'www.one.example. AAAA',
      ]
      deepEqual(await places(path), all)
      for (const [query, found] of [
        ['name=www.one.example.', ['www.one.example. A', 'www.one.example. AAAA']],
        ['name=MAIL.*', ['Mail.one.example. MX']],
        ['type=A', ['www.one.example. A']],
        ['type=BOGUS', []],
        ['ttl=60', ['www.one.example. A']],
        ['ttl=abc', []],
        ['description=web', ['www.one.example. A']],
        ['status=PENDING&limit=1', ['one.example. SOA']],
        ['status=ERROR', []],
        ['action=CREATE&type=A', ['www.one.example. A']],
        ['action=UPDATE&type=A', []],
        ['data=192.0.2.1', ['www.one.example. A']],
        ['type=MX&data=*nx*', []],
        ['type=MX&data=*MX*', ['Mail.one.example. MX']],
      ] as const)
        deepEqual(await places(`${path}?${query}`), found, query)
      for (const key of ['created_at', 'id', 'updated_at', 'zone_id', 'tenant_id', 'name', 'type', 'ttl'])
        equal((await places(`${path}?sort_key=${key}`)).length, 5, key)
      deepEqual(await places(`${path}?sort_key=name&sort_dir=desc&limit=2`), [
        'www.one.example. AAAA',
        'www.one.example. A',
      ])
      for (const key of ['records', 'data', 'status'])
        equal((await api.refused('GET', `${path}?sort_key=${key}`))[1], 'invalid_sort_key')
      for (const filter of ['bogus', 'zone_name', 'records', 'managed'])
        equal((await api.refused('GET', `${path}?${filter}=1`))[1], 'bad_request')
    })

    test('[R18] the document of the API has every filter', async () => {
      type Parameters = { readonly parameters: readonly { readonly name: string }[] }
      const { body } = await api.get<{ paths: Record<string, { get: Parameters }> }>('/openapi.json')
      for (const path of ['/v2/recordsets', '/v2/zones/{zone_id}/recordsets']) {
        const names = body.paths[path]!.get.parameters.map(({ name }) => name)
        for (const filter of ['name', 'type', 'ttl', 'data', 'status', 'action', 'description'])
          ok(names.includes(filter), `${path} ${filter}`)
      }
    })

    test('[R18] following the pages of a zone shows every set once', async () => {
      const seen: string[] = []
      for (
        let next: string | undefined = `/v2/zones/${zone.id}/recordsets?limit=2&sort_key=type`;
        next !== undefined;
      ) {
        const page: Page = (await api.list(next)).body
        ok(page.recordsets!.length <= 2)
        seen.push(...page.recordsets!.map(({ id }) => id))
        next = page.links.next?.slice(api.url.length)
      }
      equal(new Set(seen).size, 5)
      equal(seen.length, 5)
    })

    test('[R19] the list across zones shows a project its own sets, by zone_id too, and all projects to who may ask', async () => {
      equal((await places('/v2/recordsets')).length, 9)
      for (const [query, found] of [
        ['name=www.one.example.', ['www.one.example. A', 'www.one.example. AAAA']],
        ['name=www.*&type=A', ['www.one.example. A', 'www.two.example. A']],
        [`zone_id=${second.id}&type=TXT`, ['*.two.example. TXT']],
        ['zone_id=nowhere', []],
        ['ttl=120', ['Mail.one.example. MX']],
        ['data=192.0.2.1', ['www.one.example. A', 'www.two.example. A']],
        ['description=w*', ['www.one.example. A']],
        ['status=ACTIVE', []],
        ['name=%5C*.two.example.', ['*.two.example. TXT']],
      ] as const)
        deepEqual(await places(`/v2/recordsets?${query}`), found, query)
      deepEqual(await places('/v2/recordsets?data=192.0.2.1', other), ['www.other.example. A'])
      equal((await places('/v2/recordsets?data=192.0.2.1', everywhere)).length, 3)
      const { body } = await api.list('/v2/recordsets?limit=1')
      equal(body.recordsets![0]!.links.self, `${api.url}/v2/zones/${zone.id}/recordsets/${body.recordsets![0]!.id}`)
      equal((await api.refused('GET', '/v2/recordsets?zone_name=x'))[1], 'bad_request')
      equal((await api.refused('POST', '/v2/recordsets', {}))[0], 405)
    })

    test('[R20] data is found as it was written, in its canonical form, and by how it begins', async () => {
      for (const [value, found] of [
        ['2001:DB8:0:0::1', 1],
        ['2001:db8::1', 1],
        ['2001:0db8::0001', 1],
        ['2001:db8:*', 1],
        ['10 MX.one.example.', 1],
        ['10 mx.one.example.', 1],
        ['10 mx*', 1],
        ['token', 1],
        ['"token"', 1],
        ['"two words"', 1],
        ['"two*', 1],
        ['192.0.2.*', 2],
        ['192.0.2', 0],
        ['192_0_2_1', 0],
        ['*', 7],
        ['', 0],
        ['\u0000', 0],
        ['%', 0],
      ] as const)
        equal((await places(`/v2/recordsets?data=${encodeURIComponent(value)}`)).length, found, value)
      const set = await api.newSet(second, 'moving.two.example.', 'A', ['198.51.100.1'])
      await api.put(`/v2/zones/${second.id}/recordsets/${set.id}`, { records: ['198.51.100.2'] })
      deepEqual(await places('/v2/recordsets?data=198.51.100.1'), [])
      deepEqual(await places('/v2/recordsets?data=198.51.100.2'), ['moving.two.example. A'])
      await api.delete(`/v2/zones/${second.id}/recordsets/${set.id}`)
      deepEqual(await places('/v2/recordsets?data=198.51.100.2'), [])
    })

    test('[R20] records longer than any index row are found whole and by how they begin', async () => {
      // Random, so that no engine makes it short by compression; without x, which the twin alone ends in.
      const letters = Array.from({ length: 4000 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 23))).join(
        '',
      )
      const long = `"${letters.slice(0, 250)}" "${letters.slice(250, 500)}" ${letters
        .slice(500)
        .match(/.{1,250}/g)!
        .map((part) => `"${part}"`)
        .join(' ')}`
      const set = await api.newSet(second, 'long.two.example.', 'TXT', [long])
      const twin = `${long.slice(0, -1)}x"`
      await api.newSet(second, 'twin.two.example.', 'TXT', [twin])
      for (const [value, found] of [
        [long, ['long.two.example. TXT']],
        [twin, ['twin.two.example. TXT']],
        [`${long.slice(0, 255)}*`, ['long.two.example. TXT', 'twin.two.example. TXT']],
        [`${long.slice(0, 300)}*`, ['long.two.example. TXT', 'twin.two.example. TXT']],
        [`${long.slice(0, 300)}*x"`, ['twin.two.example. TXT']],
        [long.slice(0, 255), []],
      ] as const)
        deepEqual(await places(`/v2/recordsets?data=${encodeURIComponent(value)}`), found, value.slice(-20))
      await api.delete(`/v2/zones/${second.id}/recordsets/${set.id}`)
    })

    test('[R21] rows of lists have no records under /v2 and have them under /openstack/v2, with the total', async () => {
      for (const path of [`/zones/${zone.id}/recordsets`, '/recordsets']) {
        const plain = (await api.list(`/v2${path}`)).body
        ok(plain.recordsets!.every((row) => !('records' in row)))
        equal('metadata' in plain, false)
        const full = (await api.list(`/openstack/v2${path}`)).body
        deepEqual(full.recordsets!.find(({ id }) => id === www.id)!.records, ['192.0.2.1', '192.0.2.2'])
        deepEqual(full.metadata, { total_count: full.recordsets!.length })
        const few = await api.list(`/openstack/v2${path}?limit=1&type=A`)
        deepEqual(few.body.metadata, { total_count: (await places(`/v2${path}?type=A`)).length })
        const hidden = await api.list(`/openstack/v2${path}`, { 'OpenStack-DNS-Hide-Counts': 'true' })
        deepEqual(hidden.body.metadata, {})
        equal('metadata' in (await api.list(`/v2${path}`, { 'OpenStack-DNS-Hide-Counts': 'true' })).body, false)
      }
    })

    test('[R22] a set is also found by its id alone: 301 to its place', async () => {
      for (const mount of ['/v2', '/openstack/v2']) {
        const { status, headers, body } = await api.get(`${mount}/recordsets/${www.id}`)
        deepEqual([status, headers.get('location')], [301, `${api.url}${mount}/zones/${zone.id}/recordsets/${www.id}`])
        deepEqual(body as unknown, { code: 301, title: 'Moved Permanently', description: null })
      }
      deepEqual((await api.refused('GET', `/v2/recordsets/${www.id}`, undefined, other)).slice(0, 2), [
        404,
        'recordset_not_found',
      ])
      equal((await api.get(`/v2/recordsets/${www.id}`, everywhere)).status, 301)
      deepEqual(await api.refused('GET', '/v2/recordsets/xyz'), [400, 'invalid_uuid', 'Invalid UUID recordset_id: xyz'])
    })

    test('[R21] the totals of a project stay exact while sets and zones come and go', async () => {
      const headers = { 'X-Auth-Project-ID': 'totals' }
      const total = async () => (await api.list('/openstack/v2/recordsets', headers)).body.metadata
      const own = await api.newZone('totals.example.', {}, headers)
      const path = `/v2/zones/${own.id}/recordsets`
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          api.post(path, { name: `n${i}.totals.example.`, type: 'A', records: ['192.0.2.1'] }, headers),
        ),
      )
      deepEqual(await total(), { total_count: 12 })
      await Promise.all(made.slice(0, 4).map(({ body }) => api.delete(`${path}/${body.id}`, headers)))
      deepEqual(await total(), { total_count: 8 })
      await api.delete(`/v2/zones/${own.id}`, headers)
      await api.publish()
      deepEqual(await total(), { total_count: 0 })
      deepEqual((await api.list('/v2/recordsets', headers)).body.recordsets, [])
    })
  })
}
