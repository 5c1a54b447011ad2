import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { NewStore, Shown } from '../support/api.ts'
import { mustAgree, type ShownSet, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'
import { as, mustCountRight } from './transfers.ts'

const everywhere = { 'X-Auth-All-Projects': 'true' }
const nowhere = '00000000-0000-0000-0000-00000000dead'
const deleteShares = { 'X-Designate-Delete-Shares': 'true' }

/** The rules of zones that are shared. */
export function shareRules(engine: string, newStore: NewStore): void {
  describe(`shares on ${engine}`, () => {
    let api: ZonesApi
    let made = 0
    before(async () => {
      api = await startZonesApi(newStore)
    })
    after(() => api.close())

    const zoneOf = (project: string) => {
      made += 1
      return api.newZone(`z${made}.share.`, {}, as(project))
    }
    async function shared(project: string, ...targets: string[]): Promise<ShownZone & { shares: Shown[] }> {
      const zone = await zoneOf(project)
      const shares: Shown[] = []
      for (const target_project_id of targets) {
        const { status, body } = await api.post(`/v2/zones/${zone.id}/shares`, { target_project_id }, as(project))
        equal(status, 201)
        shares.push(body)
      }
      return { ...zone, shares }
    }
    const addSet = (zone: ShownZone, label: string, project: string) =>
      api.post<ShownSet>(
        `/v2/zones/${zone.id}/recordsets`,
        { name: `${label}.${zone.name}`, type: 'A', records: ['192.0.2.1'] },
        as(project),
      )
    const refusal = async (method: string, path: string, body: unknown, headers: Record<string, string>) =>
      (await api.refused(method, path, body, headers)).slice(0, 2)

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[X20] a share is answered 201 with every field and no Location, and the zone shows it (${mount})`, async () => {
        const zone = await zoneOf('p')
        const path = `${mount}/zones/${zone.id}/shares`
        const { status, headers, body } = await api.post(path, { target_project_id: 'x' }, as('p'))
        equal(status, 201)
        equal(headers.get('location'), null)
        const { id, created_at, ...rest } = body
        match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
        deepEqual(rest, {
          zone_id: zone.id,
          project_id: 'p',
          target_project_id: 'x',
          updated_at: null,
          links: { self: `${api.url}${path}/${id}`, zone: `${api.url}${mount}/zones/${zone.id}` },
        })
        deepEqual((await api.get(`${path}/${id}`, as('p'))).body, body)
        equal(zone.shared, false)
        for (const project of ['p', 'x']) {
          equal((await api.get<ShownZone>(`${mount}/zones/${zone.id}`, as(project))).body.shared, true)
        }
      })
    }

    test('[X21] what cannot be shared is refused', async () => {
      const zone = await shared('p', 'x')
      const path = `/v2/zones/${zone.id}/shares`
      deepEqual(await refusal('POST', path, { target_project_id: 'p' }, as('p')), [400, 'bad_request'])
      deepEqual(await refusal('POST', path, { target_project_id: 'x' }, as('p')), [409, 'duplicate_shared_zone'])
      const tooLong = { target_project_id: 'l'.repeat(256) }
      for (const body of [
        {},
        { target_project_id: null },
        { target_project_id: '' },
        { target_project_id: 7 },
        tooLong,
      ]) {
        deepEqual(await refusal('POST', path, body, as('p')), [400, 'invalid_object'])
      }
      deepEqual(await refusal('POST', path, { target_project_id: 'y', id: nowhere }, as('p')), [400, 'invalid_object'])
      deepEqual(await refusal('POST', path, { target_project_id: 'y' }, as('x')), [403, 'forbidden'])
      deepEqual(await refusal('POST', path, { target_project_id: 'y' }, as('p', 'reader')), [403, 'forbidden'])
      deepEqual(await refusal('POST', path, { target_project_id: 'y' }, as('stranger')), [404, 'zone_not_found'])
      const unknown = await refusal('POST', `/v2/zones/${nowhere}/shares`, { target_project_id: 'y' }, as('p'))
      deepEqual(unknown, [404, 'zone_not_found'])
      const { body } = await api.post(path, { target_project_id: 'y' }, everywhere)
      equal((await api.post(path, { target_project_id: 'l'.repeat(255) }, as('p'))).status, 201)
      equal(body.project_id, 'p', 'who acts across projects shares for the owner')
    })

    test('[X22] who a zone is shared with has it among its own zones, in every order, paged and counted', async () => {
      const [zoneA, zoneB, zoneC] = [await zoneOf('mixed'), await shared('p', 'mixed'), await zoneOf('mixed')]
      const zoneD = await shared('p', 'mixed', 'someone')
      await api.patch(`/v2/zones/${zoneA.id}`, { ttl: 9000 }, as('mixed'))
      await api.patch(`/v2/zones/${zoneB.id}`, { ttl: 100, email: 'b@example.org' }, as('p'))
      const ids = [zoneA, zoneB, zoneC, zoneD].map(({ id }) => id)
      const { body } = await api.list('/openstack/v2/zones', as('mixed'))
      deepEqual(
        body.zones!.map(({ id }) => id),
        ids,
      )
      deepEqual(body.metadata, { total_count: 4 })
      for (const key of ['created_at', 'id', 'updated_at', 'name', 'serial', 'ttl', 'status', 'project_id']) {
        for (const direction of ['asc', 'desc']) {
          const order = `sort_key=${key === 'project_id' ? 'tenant_id' : key}&sort_dir=${direction}`
          const whole = (await api.list(`/v2/zones?${order}`, as('mixed'))).body.zones!
          deepEqual(whole.map(({ id }) => id).toSorted(), ids.toSorted(), order)
          const values = whole.map((zone) => zone[key] ?? '')
          const sorted = values.toSorted((a, b) => (a === b ? 0 : a! < b! ? -1 : 1))
          deepEqual(values, direction === 'asc' ? sorted : sorted.toReversed(), order)
          const found = await paged(`/v2/zones?limit=1&${order}`, 'mixed')
          deepEqual(
            found,
            whole.map(({ id }) => id),
            order,
          )
        }
      }
      const filtered = (await api.list('/openstack/v2/zones?email=b@example.org', as('mixed'))).body
      deepEqual([filtered.zones!.map(({ id }) => id), filtered.metadata], [[zoneB.id], { total_count: 1 }])
      equal((await api.list(`/v2/zones?name=${zoneD.name.toUpperCase()}`, as('mixed'))).body.zones!.length, 1)
      equal((await api.list('/v2/zones?name=*.share.', as('mixed'))).body.zones!.length, 4)
    })

    async function paged(path: string, project: string): Promise<string[]> {
      const ids: string[] = []
      for (let next: string | undefined = path; next !== undefined && ids.length < 50; ) {
        const { body } = await api.list(next, as(project))
        ids.push(...body.zones!.map(({ id }) => id))
        next = body.links.next?.slice(api.url.length)
      }
      return ids
    }

    test('[X22] when the share ends the zone is gone from sight', async () => {
      const zone = await shared('p', 'brief')
      equal((await api.get(`/v2/zones/${zone.id}`, as('brief', 'reader'))).status, 200)
      await api.delete(`/v2/zones/${zone.id}/shares/${zone.shares[0]!.id}`, as('p'))
      deepEqual(await refusal('GET', `/v2/zones/${zone.id}`, undefined, as('brief')), [404, 'zone_not_found'])
      const { body } = await api.list('/openstack/v2/zones', as('brief'))
      deepEqual([body.zones, body.metadata], [[], { total_count: 0 }])
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`, as('p'))).body.shared, false)
    })

    test('[X23] they see all record sets, make their own, and change and delete those', async () => {
      const zone = await shared('p', 'x')
      const sets = `/v2/zones/${zone.id}/recordsets`
      equal((await addSet(zone, 'owner', 'p')).status, 202)
      const mine = (await addSet(zone, 'mine', 'x')).body
      equal(mine.project_id, 'x')
      const listed = (await api.list(sets, as('x', 'reader'))).body.recordsets!
      deepEqual(
        listed.map(({ name, type }) => `${name} ${type}`),
        [`${zone.name} SOA`, `${zone.name} NS`, `owner.${zone.name} A`, `mine.${zone.name} A`],
      )
      for (const { id } of listed) equal((await api.get(`${sets}/${id}`, as('x'))).status, 200)
      const changed = await api.put(`${sets}/${mine.id}`, { records: ['192.0.2.5'] }, as('x'))
      deepEqual([changed.status, changed.body.records], [202, ['192.0.2.5']])
      equal((await api.put(`${sets}/new.${zone.name}/A`, { records: ['192.0.2.6'] }, as('x'))).status, 202)
      const across = (await api.list('/v2/recordsets', as('x'))).body.recordsets!
      ok(across.some(({ id }) => id === mine.id) && across.every(({ project_id }) => project_id === 'x'))
      equal((await api.get(`/v2/recordsets/${mine.id}`, as('x'))).status, 301)
      equal((await api.get(`/v2/recordsets/${mine.id}`, as('p'))).status, 301, 'the owner finds it too')
      equal((await api.get(`/v2/recordsets/${mine.id}`, as('stranger'))).status, 404)
      equal((await api.put(`${sets}/${mine.id}`, { ttl: 60 }, as('p'))).status, 202, 'the owner changes all')
      equal((await api.delete(`${sets}/${mine.id}`, as('x'))).status, 202)
      await mustAgree(api.db, zone)
      await mustCountRight(api)
    })

    test('[X23] the quotas of the zone are those of its owner', async () => {
      const zone = await shared('tight', 'x')
      await api.patch('/v2/quotas/tight', { zone_recordsets: 3 }, everywhere)
      equal((await addSet(zone, 'one', 'x')).status, 202)
      const over = await addSet(zone, 'two', 'x')
      deepEqual([over.status, over.body.type], [413, 'over_quota'])
    })

    test('[X24] all else is 403 to them, and 404 to those it is not shared with', async () => {
      const zone = await shared('p', 'x')
      const path = `/v2/zones/${zone.id}`
      const theirs = (await addSet(zone, 'theirs', 'p')).body
      const [share] = zone.shares
      const set = { name: `a.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      const cases: [string, string, unknown][] = [
        ['PATCH', path, { ttl: 60 }],
        ['DELETE', path, undefined],
        ['GET', `${path}/nameservers`, undefined],
        ['PUT', `${path}/recordsets/${theirs.id}`, { ttl: 60 }],
        ['PUT', `${path}/recordsets/theirs.${zone.name}/A`, { records: ['192.0.2.9'] }],
        ['DELETE', `${path}/recordsets/${theirs.id}`, undefined],
        ['POST', `${path}/tasks/transfer_requests`, {}],
        ['POST', `${path}/tasks/xfr`, undefined],
        ['POST', `${path}/tasks/abandon`, undefined],
        ['POST', `${path}/tasks/pool_move`, {}],
        ['POST', `${path}/shares`, { target_project_id: 'y' }],
        ['DELETE', `${path}/shares/${share!.id}`, undefined],
      ]
      for (const [method, place, body] of cases) {
        deepEqual(await refusal(method, place, body, as('x')), [403, 'forbidden'], `${method} ${place}`)
      }
      const open: [string, string, unknown][] = [
        ['GET', path, undefined],
        ['GET', `${path}/recordsets`, undefined],
        ['GET', `${path}/recordsets/${theirs.id}`, undefined],
        ['POST', `${path}/recordsets`, set],
        ['GET', `${path}/shares`, undefined],
        ['GET', `${path}/shares/${share!.id}`, undefined],
      ]
      const forAdmins = /abandon|pool_move/
      for (const [method, place, body] of [...cases.filter(([, place]) => !forAdmins.test(place)), ...open]) {
        const expected = [404, 'zone_not_found']
        deepEqual(await refusal(method, place, body, as('stranger')), expected, `${method} ${place}`)
      }
      for (const [, place, body] of cases.filter(([, place]) => forAdmins.test(place))) {
        deepEqual(await refusal('POST', place, body, as('stranger', 'admin')), [404, 'zone_not_found'], place)
      }
      const below = { name: `below.${zone.name}`, email: 'a@example.org' }
      deepEqual(await refusal('POST', '/v2/zones', below, as('x')), [403, 'illegal_child'])
      equal((await api.get<ShownZone>(path, as('p'))).body.status, 'PENDING')
    })

    test('[X24] readers of a project it is shared with change nothing', async () => {
      const zone = await shared('p', 'x')
      const mine = (await addSet(zone, 'mine', 'x')).body
      const sets = `/v2/zones/${zone.id}/recordsets`
      const body = { name: `b.${zone.name}`, type: 'A', records: ['192.0.2.1'] }
      deepEqual(await refusal('POST', sets, body, as('x', 'reader')), [403, 'forbidden'])
      deepEqual(await refusal('DELETE', `${sets}/${mine.id}`, undefined, as('x', 'reader')), [403, 'forbidden'])
    })

    test('[X25] the list of shares is the owner’s; those it is shared with see their own', async () => {
      const zone = await shared('p', 'x', 'y', 'z')
      const path = `/openstack/v2/zones/${zone.id}/shares`
      const { body } = await api.list(`${path}?limit=2`, as('p', 'reader'))
      deepEqual(Object.keys(body), ['shared_zones', 'links'])
      deepEqual(body.links, {
        self: `${api.url}${path}?limit=2`,
        next: `${api.url}${path}?limit=2&marker=${zone.shares[1]!.id}`,
      })
      const targets = async (query: string, headers: Record<string, string>) =>
        (await api.list(path + query, headers)).body.shared_zones!.map(({ target_project_id }) => target_project_id)
      deepEqual(await targets('', as('p')), ['x', 'y', 'z'])
      deepEqual(await targets('', everywhere), ['x', 'y', 'z'])
      deepEqual(await targets('?sort_dir=desc&sort_key=updated_at', as('p')), ['z', 'y', 'x'])
      deepEqual(await targets('?target_project_id=y', as('p')), ['y'])
      deepEqual(await targets('', as('z', 'reader')), ['z'])
      deepEqual(await refusal('GET', `${path}?sort_key=id2`, undefined, as('p')), [400, 'invalid_sort_key'])
      deepEqual(await refusal('GET', `${path}?bogus=1`, undefined, as('p')), [400, 'bad_request'])
      deepEqual(await refusal('GET', path, undefined, as('stranger')), [404, 'zone_not_found'])
      const other = await shared('p', 'x')
      for (const id of [nowhere, other.shares[0]!.id]) {
        const unknown = await api.refused('GET', `${path}/${id}`, undefined, as('p'))
        deepEqual(unknown, [404, 'shared_zone_not_found', 'Could not find SharedZone'])
      }
      deepEqual(await refusal('GET', `${path}/${zone.shares[0]!.id}`, undefined, as('y')), [
        404,
        'shared_zone_not_found',
      ])
      const noId = await api.refused('GET', `${path}/x`, undefined, as('p'))
      deepEqual(noId, [400, 'invalid_uuid', 'Invalid UUID zone_share_id: x'])
    })

    test('[X26] a share ends when the project has nothing in the zone or below it any more', async () => {
      const zone = await shared('p', 'x')
      const path = `/v2/zones/${zone.id}/shares/${zone.shares[0]!.id}`
      const mine = (await addSet(zone, 'mine', 'x')).body
      deepEqual(await refusal('DELETE', path, undefined, as('p')), [400, 'shared_zone_has_recordsets'])
      await api.delete(`/v2/zones/${zone.id}/recordsets/${mine.id}`, as('x'))
      const child = await api.newZone(`child.${zone.name}`, {}, as('p'))
      const { body } = await api.post(`/v2/zones/${child.id}/tasks/transfer_requests`, {}, as('p'))
      const acceptance = { key: body.key, zone_transfer_request_id: body.id }
      equal((await api.post('/v2/zones/tasks/transfer_accepts', acceptance, as('x'))).status, 201)
      deepEqual(await refusal('DELETE', path, undefined, as('p')), [400, 'shared_zone_has_sub_zone'])
      await api.delete(`/v2/zones/${child.id}`, as('x'))
      const { status, text } = await api.delete(path, as('p'))
      deepEqual([status, text], [204, ''])
      deepEqual(await refusal('DELETE', path, undefined, as('p')), [404, 'shared_zone_not_found'])
    })

    test('[X27] a shared zone is deleted only with its shares', async () => {
      const zone = await shared('owner', 'guest', 'other')
      await addSet(zone, 'guest', 'guest')
      await addSet(zone, 'owner', 'owner')
      const path = `/v2/zones/${zone.id}`
      deepEqual(await refusal('DELETE', path, undefined, as('owner')), [400, 'zone_is_shared'])
      const refused = { ...as('owner'), 'X-Designate-Delete-Shares': 'no' }
      deepEqual(await refusal('DELETE', path, undefined, refused), [400, 'zone_is_shared'])
      equal((await api.delete(path, { ...as('owner'), ...deleteShares })).status, 202)
      equal((await api.get(path, as('guest'))).status, 404)
      equal((await api.get<ShownZone>(path, as('owner'))).body.shared, false)
      deepEqual((await api.list('/v2/recordsets', as('guest'))).body.recordsets, [])
      await mustCountRight(api)
      await api.publish()
      await mustCountRight(api)
    })

    test('[X28] when a zone changes hands its shares stay, but for one with the new owner', async () => {
      const zone = await shared('p', 'heir', 'guest')
      const { body } = await api.post(`/v2/zones/${zone.id}/tasks/transfer_requests`, {}, as('p'))
      const acceptance = { key: body.key, zone_transfer_request_id: body.id }
      equal((await api.post('/v2/zones/tasks/transfer_accepts', acceptance, as('heir'))).status, 201)
      const shares = (await api.list(`/v2/zones/${zone.id}/shares`, as('heir'))).body.shared_zones!
      deepEqual(
        shares.map(({ target_project_id }) => target_project_id),
        ['guest'],
      )
      equal((await api.list('/v2/zones', as('heir'))).body.zones!.length, 1, 'once, as its own')
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`, as('guest'))).body.shared, true)
      await mustCountRight(api)
    })
  })
}
