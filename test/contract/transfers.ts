import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { believeHeaders } from '../../src/api/auth.ts'
import type { Call } from '../../src/api/route.ts'
import { type Sql, sql, type Tx } from '../../src/db/sql.ts'
import { quotaPresets } from '../../src/resources/quotas/fields.ts'
import { accept } from '../../src/resources/transfers/accept.ts'
import type { NewStore, Shown } from '../support/api.ts'
import { journalOf, type ShownSet, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

export const as = (project: string, roles = 'member') => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })
const everywhere = { 'X-Auth-All-Projects': 'true' }
const nowhere = '00000000-0000-0000-0000-00000000dead'
const requests = '/v2/zones/tasks/transfer_requests'
const accepts = '/v2/zones/tasks/transfer_accepts'

type Offer = Shown & { readonly key: string; readonly status: string; readonly zone_id: string }

/** The rules of zones that change hands. */
export function transferRules(engine: string, newStore: NewStore): void {
  describe(`transfer of zones on ${engine}`, () => {
    let api: ZonesApi
    let made = 0
    before(async () => {
      api = await startZonesApi(
        newStore,
        {},
        {
          // A token without a project, as other kinds of authentication can have.
          authenticate: async (headers) => {
            const caller = await believeHeaders(headers)
            return headers['x-no-project'] === undefined ? caller : { ...caller, project_id: '' }
          },
        },
      )
    })
    after(() => api.close())

    /** A zone of a project with two record sets of its own. */
    async function zoneOf(project: string): Promise<ShownZone> {
      made += 1
      const zone = await api.newZone(`z${made}.transfer.`, {}, as(project))
      for (const [name, records] of [
        ['a', ['192.0.2.1']],
        ['b', ['192.0.2.2', '192.0.2.3']],
      ] as const) {
        const body = { name: `${name}.${zone.name}`, type: 'A', records }
        equal((await api.post(`/v2/zones/${zone.id}/recordsets`, body, as(project))).status, 202)
      }
      return zone
    }
    async function offer(zone: ShownZone, body: object = {}): Promise<Offer> {
      const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
      const answer = await api.post<Offer>(path, body, as(String(zone.project_id)))
      equal(answer.status, 201, answer.text)
      return answer.body
    }
    const take = ({ id, key }: Offer, headers: Record<string, string>) =>
      api.post<Shown>(accepts, { key, zone_transfer_request_id: id }, headers)
    const total = async (collection: string, project: string) =>
      ((await api.list(`/openstack/v2/${collection}`, as(project))).body.metadata as { total_count: number })
        .total_count

    for (const mount of ['/v2', '/openstack/v2']) {
      test(`[X1] an offer is answered 201 with its place and every field (${mount})`, async () => {
        const zone = await zoneOf('p')
        const path = `${mount}/zones/${zone.id}/tasks/transfer_requests`
        const { status, headers, body } = await api.post<Offer>(path, { description: 'take it' }, as('p'))
        equal(status, 201)
        equal(headers.get('location'), `${api.url}${mount}/zones/tasks/transfer_requests/${body.id}`)
        const { id, key, created_at, ...rest } = body
        match(key, /^[A-Z0-9]{8}$/)
        match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
        deepEqual(rest, {
          zone_id: zone.id,
          project_id: 'p',
          target_project_id: null,
          description: 'take it',
          status: 'ACTIVE',
          zone_name: zone.name,
          updated_at: null,
          links: { self: headers.get('location') },
        })
        deepEqual((await api.get(`${mount}/zones/tasks/transfer_requests/${id}`, as('p'))).body, body)
      })
    }

    test('[X1] the body may be empty, with a content type and without', async () => {
      for (const headers of [as('p'), { ...as('p'), 'Content-Type': 'application/json' }]) {
        const zone = await zoneOf('p')
        const answer = await api.call<Offer>('POST', `/v2/zones/${zone.id}/tasks/transfer_requests`, { headers })
        equal(answer.status, 201)
        deepEqual([answer.body.target_project_id, answer.body.description], [null, null])
      }
    })

    test('[X1] what is no body of an offer is refused, and text that is not JSON too', async () => {
      const zone = await zoneOf('p')
      const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
      for (const body of [{ key: 'ABCDEFGH' }, { status: 'COMPLETE' }, { target_project_id: 5 }, { bogus: 1 }, []]) {
        deepEqual((await api.refused('POST', path, body, as('p'))).slice(0, 2), [400, 'invalid_object'])
      }
      const raw = await api.call('POST', path, { headers: as('p'), raw: '{}' })
      equal(raw.status, 415)
    })

    test('[X1] only the owner offers a zone, and none that is being deleted', async () => {
      const zone = await zoneOf('p')
      const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
      equal((await api.post(`/v2/zones/${zone.id}/shares`, { target_project_id: 'sharee' }, as('p'))).status, 201)
      deepEqual((await api.refused('POST', path, {}, as('sharee'))).slice(0, 2), [403, 'forbidden'])
      deepEqual((await api.refused('POST', path, {}, as('stranger'))).slice(0, 2), [404, 'zone_not_found'])
      deepEqual((await api.refused('POST', path, {}, as('stranger', 'admin'))).slice(0, 2), [404, 'zone_not_found'])
      deepEqual((await api.refused('POST', path, {}, as('p', 'reader'))).slice(0, 2), [403, 'forbidden'])
      equal((await api.post<Offer>(path, {}, everywhere)).body.project_id, 'p')
      const going = await zoneOf('p')
      await api.delete(`/v2/zones/${going.id}`, as('p'))
      const late = await api.refused('POST', `/v2/zones/${going.id}/tasks/transfer_requests`, {}, as('p'))
      deepEqual(late.slice(0, 2), [400, 'bad_request'])
    })

    test('[X3] a zone has one open offer at a time', async () => {
      const zone = await zoneOf('p')
      const first = await offer(zone)
      const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
      const again = () => api.refused('POST', path, {}, as('p'))
      deepEqual((await again()).slice(0, 2), [409, 'duplicate_zone_transfer_request'])
      equal((await api.delete(`${requests}/${first.id}`, as('p'))).status, 204)
      const second = await offer(zone)
      notEqual(second.key, first.key)
      equal((await take(second, as('x'))).status, 201)
      const third = await api.post<Offer>(path, {}, as('x'))
      equal(third.status, 201)
    })

    test('[X3] of many who offer one zone at once one does', async () => {
      const zone = await zoneOf('p')
      const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
      const answers = await Promise.all(Array.from({ length: 6 }, () => api.post(path, {}, as('p'))))
      deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
    })

    test('[X4] the owner and administrators see all of an offer, those it is made to a part, others nothing', async () => {
      const zone = await zoneOf('p')
      const targeted = await offer(zone, { target_project_id: 'x', description: 'for x' })
      const path = `${requests}/${targeted.id}`
      const { id, zone_id, description, status, zone_name, links } = targeted
      const part = { id, zone_id, description, status, zone_name, links }
      deepEqual((await api.get(path, as('p', 'reader'))).body, targeted)
      deepEqual((await api.get(path, as('elsewhere', 'admin'))).body, targeted)
      deepEqual((await api.get(path, as('x'))).body, part)
      deepEqual((await api.get(path, as('p', ''))).body, part)
      for (const row of (await api.list(requests, as('p', ''))).body.transfer_requests!) ok(!('key' in row))
      deepEqual((await api.refused('GET', path, undefined, as('third'))).slice(0, 2), [403, 'forbidden'])
      const open = await offer(await zoneOf('p'))
      deepEqual(Object.keys((await api.get(`${requests}/${open.id}`, as('third'))).body), Object.keys(part))
      const unknown = await api.refused('GET', `${requests}/${nowhere}`, undefined, as('p'))
      deepEqual(unknown, [404, 'zone_transfer_request_not_found', 'Could not find ZoneTransferRequest'])
      const noId = await api.refused('GET', `${requests}/x`, undefined, as('p'))
      deepEqual(noId, [400, 'invalid_uuid', 'Invalid UUID zone_transfer_request_id: x'])
    })

    test('[X4] the offers of a zone are gone with it', async () => {
      const zone = await zoneOf('gone')
      const { id } = await offer(zone)
      await api.delete(`/v2/zones/${zone.id}`, as('gone'))
      await api.publish()
      equal((await api.get(`${requests}/${id}`, as('gone'))).status, 404)
      deepEqual((await api.list(requests, as('gone'))).body.transfer_requests, [])
      deepEqual((await api.post(accepts, { key: 'ABCDEFGH', zone_transfer_request_id: id }, as('x'))).status, 404)
    })

    test('[X5] the list has the offers of a project and those made to it, as one', async () => {
      const mine = []
      for (const target_project_id of ['lister', 'other', null, 'lister']) {
        mine.push(await offer(await zoneOf(mine.length < 2 ? 'lister' : 'giver'), { target_project_id }))
      }
      const expected = [mine[0]!.id, mine[1]!.id, mine[3]!.id]
      for (const mount of ['/v2', '/openstack/v2']) {
        const { body } = await api.list(`${mount}/zones/tasks/transfer_requests`, as('lister'))
        deepEqual(Object.keys(body), ['transfer_requests', 'links'])
        equal(body.links.self, `${api.url}${mount}/zones/tasks/transfer_requests`)
        deepEqual(
          body.transfer_requests!.map(({ id }) => id),
          expected,
        )
        deepEqual(
          body.transfer_requests!.map((one) => 'key' in one),
          [true, true, false],
        )
      }
      deepEqual(await paged(`${requests}?limit=1`, 'lister'), expected)
      deepEqual(await paged(`${requests}?limit=2&sort_dir=desc`, 'lister'), expected.toReversed())
      deepEqual(await paged(`${requests}?limit=1&sort_key=id`, 'lister'), expected)
      await api.patch(`${requests}/${mine[0]!.id}`, { description: 'later' }, as('lister'))
      const byUpdate = await paged(`${requests}?limit=1&sort_key=updated_at`, 'lister')
      deepEqual(byUpdate, [mine[1]!.id, mine[3]!.id, mine[0]!.id])
      await take(mine[3]!, as('lister'))
      const active = (await api.list(`${requests}?status=ACTIVE`, as('lister'))).body.transfer_requests!
      deepEqual(
        active.map(({ id }) => id),
        expected.slice(0, 2),
      )
      const everyone = (await api.list(`${requests}?limit=max`, everywhere)).body.transfer_requests!
      ok(mine.every(({ id }) => everyone.some((one) => one.id === id && 'key' in one)))
      deepEqual((await api.refused('GET', `${requests}?bogus=1`)).slice(0, 2), [400, 'bad_request'])
      deepEqual((await api.refused('GET', `${requests}?sort_key=key`)).slice(0, 2), [400, 'invalid_sort_key'])
    })

    async function paged(path: string, project: string): Promise<string[]> {
      const ids: string[] = []
      for (let next: string | undefined = path; next !== undefined && ids.length < 50; ) {
        const { body } = await api.list(next, as(project))
        ids.push(...body.transfer_requests!.map(({ id }) => id))
        next = body.links.next?.slice(api.url.length)
      }
      return ids
    }

    test('[X6] an offer is changed and taken back by its owner or an administrator', async () => {
      const made = await offer(await zoneOf('p'))
      const path = `${requests}/${made.id}`
      const changed = await api.patch(path, { description: 'now for x', target_project_id: 'x' }, as('p'))
      equal(changed.status, 200)
      deepEqual(changed.body, {
        ...made,
        description: 'now for x',
        target_project_id: 'x',
        updated_at: changed.body.updated_at,
      })
      ok(changed.body.updated_at)
      deepEqual((await api.get(path, as('p'))).body, changed.body)
      equal((await api.patch(path, changed.body, as('p'))).status, 200, 'what was shown can be sent back')
      for (const body of [{ key: 'X' }, { zone_id: nowhere }, { bogus: 1 }, { status: 'COMPLETE' }]) {
        deepEqual((await api.refused('PATCH', path, body, as('p'))).slice(0, 2), [400, 'invalid_object'])
      }
      for (const other of ['x', 'third']) {
        deepEqual((await api.refused('PATCH', path, {}, as(other))).slice(0, 2), [403, 'forbidden'])
        deepEqual((await api.refused('DELETE', path, undefined, as(other))).slice(0, 2), [403, 'forbidden'])
      }
      equal((await api.patch(path, { description: null }, as('elsewhere', 'admin'))).status, 200)
      const { status, text } = await api.delete(path, as('p'))
      deepEqual([status, text], [204, ''])
      equal((await api.get(path, as('p'))).status, 404)
      equal((await api.delete(path, as('p'))).status, 404)
    })

    test('[X6] after an offer was accepted, only its description changes', async () => {
      const made = await offer(await zoneOf('p'), { target_project_id: 'x' })
      await take(made, as('x'))
      const path = `${requests}/${made.id}`
      const late = await api.refused('PATCH', path, { target_project_id: 'y' }, as('p'))
      deepEqual(late.slice(0, 2), [400, 'invalid_zone_transfer_request'])
      const noted = await api.patch(path, { description: 'done' }, as('p'))
      deepEqual([noted.body.description, noted.body.status], ['done', 'COMPLETE'])
    })

    test('[X7] who accepts has the zone and all record sets in it, and what it answers is the same', async () => {
      const zone = await zoneOf('p')
      const before = await journalOf(api.db, zone.id)
      const made = await offer(zone, { target_project_id: 'x' })
      const { status, headers, body } = await take(made, as('x'))
      equal(status, 201)
      equal(headers.get('location'), `${api.url}${accepts}/${body.id}`)
      const { id, created_at, ...rest } = body
      deepEqual(rest, {
        zone_transfer_request_id: made.id,
        project_id: 'x',
        key: made.key,
        status: 'COMPLETE',
        zone_id: zone.id,
        updated_at: created_at,
        links: { self: headers.get('location'), zone: `${api.url}/v2/zones/${zone.id}` },
      })
      deepEqual((await api.get(`${accepts}/${id}`, as('x', 'reader'))).body, { ...body, key: null })
      equal((await api.get(`/v2/zones/${zone.id}`, as('p'))).status, 404)
      const taken = (await api.get<ShownZone>(`/v2/zones/${zone.id}`, as('x'))).body
      deepEqual([taken.project_id, taken.serial, taken.name], ['x', before.at(-1)!.to, zone.name])
      const sets = (await api.list(`/v2/zones/${zone.id}/recordsets`, as('x'))).body.recordsets!
      deepEqual(
        sets.map(({ project_id }) => project_id),
        ['x', 'x', 'x', 'x'],
      )
      equal((await api.get<Offer>(`${requests}/${made.id}`, as('p'))).body.status, 'COMPLETE')
      deepEqual(await journalOf(api.db, zone.id), before)
      equal((await api.patch(`/v2/zones/${zone.id}`, { ttl: 77 }, as('x'))).status, 202)
    })

    test('[X7] zones above and below a zone that changes hands stay whose they were', async () => {
      const zone = await zoneOf('p')
      const below = await api.newZone(`below.${zone.name}`, {}, as('p'))
      equal((await take(await offer(below), as('x'))).status, 201)
      for (const [{ id }, project] of [
        [zone, 'p'],
        [below, 'x'],
      ] as const)
        equal((await api.get<ShownZone>(`/v2/zones/${id}`, as(project))).body.project_id, project)
      equal((await api.refused('DELETE', `/v2/zones/${zone.id}`, undefined, as('p')))[1], 'zone_has_sub_zone')
    })

    test('[X7] an offer may come back to its own project, which changes nothing but the offer', async () => {
      const zone = await zoneOf('self')
      const made = await offer(zone)
      equal((await take(made, as('self'))).status, 201)
      equal(await total('zones', 'self'), 1)
      equal(await total('recordsets', 'self'), 4)
    })

    test('[X8] what does not fit the offer is refused, in order', async () => {
      const zone = await zoneOf('p')
      const made = await offer(zone, { target_project_id: 'x' })
      const right = { key: made.key, zone_transfer_request_id: made.id }
      const cases: [object, Record<string, string>, [number, string]][] = [
        [{}, as('x'), [400, 'invalid_object']],
        [{ key: made.key }, as('x'), [400, 'invalid_object']],
        [{ zone_transfer_request_id: made.id }, as('x'), [400, 'invalid_object']],
        [{ ...right, zone_transfer_request_id: 'x' }, as('x'), [400, 'invalid_object']],
        [{ ...right, key: '' }, as('x'), [400, 'invalid_object']],
        [{ ...right, key: null }, as('x'), [400, 'invalid_object']],
        [{ ...right, project_id: 'x' }, as('x'), [400, 'invalid_object']],
        [right, { 'X-No-Project': '1' }, [401, 'missing_project_id']],
        [{ ...right, zone_transfer_request_id: nowhere }, as('x'), [404, 'zone_transfer_request_not_found']],
        [{ ...right, key: 'BADKEY00' }, as('x'), [403, 'invalid_key']],
        [{ ...right, key: made.key.toLowerCase() }, as('third'), [403, 'invalid_key']],
        [right, as('third'), [403, 'forbidden']],
      ]
      for (const [body, headers, expected] of cases) {
        deepEqual((await api.refused('POST', accepts, body, headers)).slice(0, 2), expected, JSON.stringify(body))
      }
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`, as('p'))).body.project_id, 'p')
      const byAdmin = await take(made, as('ops', 'admin'))
      deepEqual([byAdmin.status, byAdmin.body.project_id], [201, 'ops'])
      const used = await api.refused('POST', accepts, { ...right, key: 'BADKEY00' }, as('x'))
      deepEqual(used, [400, 'invalid_zone_transfer_request', 'Zone Transfer Request has been used'])
    })

    test('[X8] a zone that is being deleted is not taken over', async () => {
      const zone = await zoneOf('p')
      const made = await offer(zone)
      await api.delete(`/v2/zones/${zone.id}`, as('p'))
      const { status, body } = await take(made, as('x'))
      deepEqual([status, body.type], [400, 'bad_request'])
    })

    test('[X9] the quota of zones of the one who accepts holds, and nothing has changed', async () => {
      const zone = await zoneOf('p')
      const made = await offer(zone)
      await api.patch('/v2/quotas/full', { zones: 0 }, everywhere)
      const { status, body } = await take(made, as('full'))
      deepEqual([status, body.type], [413, 'over_quota'])
      equal((await api.get<Offer>(`${requests}/${made.id}`, as('p'))).body.status, 'ACTIVE')
      equal((await api.get<ShownZone>(`/v2/zones/${zone.id}`, as('p'))).body.project_id, 'p')
      deepEqual([await total('zones', 'full'), await total('recordsets', 'full')], [0, 0])
      await api.patch('/v2/quotas/full', { zones: 1 }, everywhere)
      equal((await take(made, as('full'))).status, 201)
    })

    test('[X9] however many accept at once, the quota is not passed', async () => {
      const offers = []
      for (let i = 0; i < 5; i += 1) offers.push(await offer(await zoneOf('many')))
      await api.patch('/v2/quotas/narrow', { zones: 2 }, everywhere)
      const answers = await Promise.all(offers.map((one) => take(one, as('narrow'))))
      deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 413, 413, 413])
      equal(await total('zones', 'narrow'), 2)
      equal(await total('zones', 'many'), 3)
    })

    test('[X10] of several who accept at once one wins, and zones that cross on the way do no harm', async () => {
      const made = await offer(await zoneOf('p'))
      const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => take(made, as(`racer${i}`))))
      deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400, 400])
      const [there, back] = [await offer(await zoneOf('east')), await offer(await zoneOf('west'))]
      const crossing = await Promise.all([take(there, as('west')), take(back, as('east'))])
      deepEqual(
        crossing.map(({ status }) => status),
        [201, 201],
      )
      deepEqual([await total('zones', 'east'), await total('zones', 'west')], [1, 1])
    })

    test('[X11] all counts follow the zone, those of record sets that others made in it too', async () => {
      const zone = await zoneOf('from')
      await api.post(`/v2/zones/${zone.id}/shares`, { target_project_id: 'guest' }, as('from'))
      const set = { name: `guest.${zone.name}`, type: 'A', records: ['192.0.2.9'] }
      equal((await api.post<ShownSet>(`/v2/zones/${zone.id}/recordsets`, set, as('guest'))).status, 202)
      deepEqual([await total('recordsets', 'from'), await total('recordsets', 'guest')], [4, 1])
      equal((await take(await offer(zone), as('to'))).status, 201)
      for (const [project, zones, sets] of [
        ['from', 0, 0],
        ['to', 1, 5],
        ['guest', 1, 0],
      ] as const) {
        deepEqual([await total('zones', project), await total('recordsets', project)], [zones, sets], project)
        equal((await api.list('/v2/recordsets', as(project))).body.recordsets!.length, sets, project)
      }
      await mustCountRight(api)
    })

    test('[X12] accepts are listed by administrators and shown to the project that made them', async () => {
      const [one, two] = [await offer(await zoneOf('p')), await offer(await zoneOf('p'))]
      const ours = (await take(one, as('collector'))).body
      const theirs = (await take(two, as('another'))).body
      deepEqual((await api.refused('GET', accepts, undefined, as('collector'))).slice(0, 2), [403, 'forbidden'])
      const { body } = await api.list(`/openstack${accepts}`, as('collector', 'admin'))
      deepEqual(Object.keys(body), ['transfer_accepts', 'links', 'metadata'])
      deepEqual(body.metadata, { total_count: 1 })
      const shown = { ...ours, key: null }
      const { self, zone } = shown.links as { self: string; zone: string }
      const links = { self: self.replace('/v2', '/openstack/v2'), zone: zone.replace('/v2', '/openstack/v2') }
      deepEqual(body.transfer_accepts, [{ ...shown, links }])
      const all = (await api.list(`${accepts}?limit=max&status=COMPLETE`, everywhere)).body.transfer_accepts!
      ok([ours.id, theirs.id].every((id) => all.some((row) => row.id === id)))
      equal((await api.get(`${accepts}/${theirs.id}`, as('another', 'reader'))).status, 200)
      for (const headers of [as('collector'), as('collector', 'admin')]) {
        const hidden = await api.refused('GET', `${accepts}/${theirs.id}`, undefined, headers)
        deepEqual(hidden, [404, 'zone_transfer_accept_not_found', 'Could not find ZoneTransferAccept'])
      }
      equal((await api.get(`${accepts}/${theirs.id}`, everywhere)).status, 200)
      await api.delete(`${requests}/${two.id}`, as('p'))
      equal((await api.get(`${accepts}/${theirs.id}`, everywhere)).status, 404)
    })

    test('[X13] an accept that is cut off after any of its statements has changed nothing, and can be made again', async () => {
      const zone = await zoneOf('before')
      const made = await offer(zone)
      const body = { key: made.key, zone_transfer_request_id: made.id }
      const caller = await believeHeaders({ 'x-auth-project-id': 'behind' })
      const quotaDefaults = quotaPresets.nameplane
      const owners = () =>
        api.db.read((tx) =>
          tx.all(sql`
            select project_id, version from zones where id = ${zone.id}
            union all select project_id, version from recordsets where zone_id = ${zone.id}`),
        )
      const untouched = await owners()
      let statements = 0
      for (let isDone = false; !isDone; statements += 1) {
        const accepted = api.db.write((tx) =>
          accept({ tx: cutOff(tx, statements), body, caller, now: new Date() } as Call, { quotaDefaults }),
        )
        isDone = await accepted.then(
          () => true,
          (error: Error) => {
            equal(error, powerIsGone)
            return false
          },
        )
        if (!isDone) deepEqual(await owners(), untouched, `after ${statements} statements`)
        await mustCountRight(api)
      }
      ok(statements > 8, `only ${statements} statements`)
      deepEqual([await total('zones', 'before'), await total('zones', 'behind')], [0, 1])
      deepEqual([await total('recordsets', 'before'), await total('recordsets', 'behind')], [0, 4])
    })
  })
}

const powerIsGone = new Error('power is gone')

/** A transaction whose work ends, as if the process did, after so many statements. */
function cutOff(tx: Tx, statements: number): Tx {
  let left = statements
  const spent = () => {
    if (left === 0) throw powerIsGone
    left -= 1
  }
  return {
    forUpdate: tx.forUpdate,
    engine: tx.engine,
    trigrams: tx.trigrams,
    wake: (topic) => tx.wake(topic),
    get: async <T>(query: Sql) => {
      spent()
      return tx.get<T>(query)
    },
    all: async <T>(query: Sql) => {
      spent()
      return tx.all<T>(query)
    },
    values: async (query) => {
      spent()
      return tx.values(query)
    },
    run: async (query) => {
      spent()
      return tx.run(query)
    },
  }
}

/** Holds every count that is kept to what there is. */
export async function mustCountRight(api: ZonesApi): Promise<void> {
  const [kept, there] = await api.db.read(async (tx) => [
    await tx.all<{ project_id: string; what: string; n: number }>(sql`
      select project_id, what, cast(sum(n) as bigint) as n from counts group by project_id, what having sum(n) <> 0`),
    await tx.all<{ project_id: string; what: string; n: number }>(sql`
      select project_id, 'zones' as what, count(*) as n from zones where gone_at is null group by project_id
      union all
      select r.project_id, 'recordsets', count(*) from recordsets r join zones z on z.id = r.zone_id
      where z.gone_at is null group by r.project_id
      union all
      select project_id, 'records', sum(record_count) from zones where gone_at is null
      group by project_id having sum(record_count) > 0
      union all
      select target_project_id, 'shared_zones', count(*) from zone_shares group by target_project_id`),
  ])
  const inOrder = (rows: typeof kept) => rows.map(({ project_id, what, n }) => `${project_id} ${what} ${n}`).toSorted()
  deepEqual(inOrder(kept), inOrder(there))
}
