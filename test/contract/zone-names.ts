import { deepEqual, equal, match } from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { NewStore, Problem } from '../support/api.ts'
import { type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })
const everywhere = { 'X-Auth-All-Projects': 'true' }
const email = 'a@example.org'

/** The rules of what a zone may be called and where it may stand. */
export function zoneNameRules(engine: string, newStore: NewStore): void {
  describe(`names of zones on ${engine}`, () => {
    let api: ZonesApi
    beforeEach(async () => {
      api = await startZonesApi(newStore)
    })
    afterEach(() => api.close())

    const refusal = async (name: unknown, more: object = {}, headers: Record<string, string> = {}) =>
      (await api.refused('POST', '/v2/zones', { name, email, ...more }, headers)).slice(0, 2)

    test('[N6] a name is full, of plain labels up to 63 characters, 254 in all', async () => {
      const label = 'a'.repeat(63)
      for (const name of [
        ...[
          '',
          '.',
          'example.org',
          'a b.org.',
          'a..org.',
          '.a.org.',
          '-a.org.',
          'a-.org.',
          '*.org.',
          'a.*.org.',
          'a@b.org.',
        ],
        ...['a\\.b.org.', 'a/b.org.', 'a\u0000.org.', `${'a'.repeat(64)}.org.`, `${`${label}.`.repeat(4)}`],
        ...[null, 5, true, [], {}],
      ])
        deepEqual(await refusal(name), [400, 'invalid_object'], JSON.stringify(name))
      const longest = `${`${label}.`.repeat(3)}${'b'.repeat(61)}.`
      equal(longest.length, 254)
      equal((await api.newZone(longest)).name, longest)
      deepEqual(await refusal(`x${longest}`), [400, 'invalid_object'])
      for (const name of [`${label}.org.`, '_tcp.example.net.', '2.0.192.in-addr.arpa.', 'xn--bcher-kva.example.'])
        equal((await api.newZone(name)).name, name)
    })

    test('[N7] a name has more than one label, and lies below a listed TLD once there are any', async () => {
      deepEqual(await refusal('org.'), [400, 'invalid_zone_name'])
      for (const name of ['org', 'co.uk']) equal((await api.post('/v2/tlds', { name })).status, 201)
      for (const name of ['example.net.', 'co.uk.', 'CO.uk.', 'example.uk.', 'net.'])
        deepEqual(await refusal(name), [400, 'invalid_zone_name'], name)
      for (const name of ['example.org.', 'EXAMPLE.ORG.uk.co.uk.', 'a.b.Co.Uk.']) await api.newZone(name)
      match((await api.refused('POST', '/v2/zones', { name: 'example.net.', email }))[2], /^Invalid TLD/)
      match((await api.refused('POST', '/v2/zones', { name: 'co.uk.', email }))[2], /is a TLD/)
    })

    test('[N8] blacklisted names are for administrators; a pattern means the name in any case', async () => {
      await api.post('/v2/blacklists', { pattern: '^([a-z.]+\\.)?forbidden\\.example\\.$' })
      for (const name of ['forbidden.example.', 'sub.forbidden.example.', 'FORBIDDEN.example.'])
        deepEqual(await refusal(name, {}, as('member', 'p')), [400, 'invalid_zone_name'], name)
      await api.newZone('forbidden.example.', {}, as('admin', 'p'))
      await api.newZone('allowed.example.', {}, as('member', 'p'))
    })

    test('[N9] names that are reserved for other ends are refused unless a setting allows them', async () => {
      const names = ['a.localhost.', 'b.invalid.', 'c.local.', 'd.onion.', 'e.alt.', 'home.arpa.', 'x.HOME.arpa.']
      for (const name of names) deepEqual(await refusal(name), [400, 'invalid_zone_name'], name)
      await api.newZone('notlocalhost.example.')
      const open = await startZonesApi(newStore, { allowSpecialNames: true })
      try {
        for (const name of names) await open.newZone(name)
      } finally {
        await open.close()
      }
    })

    test('[N10] a name with letters beyond ASCII is stored with A-labels, is found by either, and refusals show both', async () => {
      const made = await api.newZone('Bücher.example.')
      equal(made.name, 'xn--bcher-kva.example.')
      deepEqual(await refusal('xn--bcher-kva.EXAMPLE.'), [409, 'duplicate_zone'])
      deepEqual(await refusal('bücher。example。'), [409, 'duplicate_zone'])
      for (const name of ['bücher.example.', 'BÜCHER.example.', 'xn--bcher-kva.example.', '*.example.', 'xn--b*'])
        equal((await api.list(`/v2/zones?name=${encodeURIComponent(name)}`)).body.zones?.length, 1, name)
      await api.post('/v2/tlds', { name: 'org' })
      const [status, type, message] = await api.refused('POST', '/v2/zones', { name: 'straße.example.', email })
      deepEqual([status, type], [400, 'invalid_zone_name'])
      match(message, /xn--strae-oqa\.example\. \(straße\.example\.\)/)
      for (const name of ['xn--.org.', 'xn--a.org.', 'a\u0301\u200d.org.', '\ud800.org.', `${'ü'.repeat(60)}.org.`])
        deepEqual(await refusal(name), [400, 'invalid_object'], name)
      const set = await api.newSet(made, 'größe.bücher.example.', 'A', ['192.0.2.1'])
      equal(set.name, 'xn--gre-6ka8i.xn--bcher-kva.example.')
      const path = `/v2/zones/${made.id}/recordsets?name=${encodeURIComponent('größe.Bücher.example.')}`
      equal((await api.list(path)).body.recordsets?.length, 1)
    })

    test('[N11] a name is taken once, in whatever case, and keeps the case it was given', async () => {
      equal((await api.newZone('MiXed.Example.')).name, 'MiXed.Example.')
      deepEqual(await refusal('mixed.example.'), [409, 'duplicate_zone'])
      deepEqual(await refusal('mixed.example.', {}, as('member', 'other')), [409, 'duplicate_zone'])
      const set = await api.post(`/v2/zones/${(await api.list('/v2/zones')).body.zones![0]!.id}/recordsets`, {
        name: 'WWW.mixed.EXAMPLE.',
        type: 'A',
        records: ['192.0.2.1'],
      })
      deepEqual([set.status, set.body.name, set.body.zone_name], [202, 'WWW.mixed.EXAMPLE.', 'MiXed.Example.'])
    })

    test('[N12] above and below a zone there are only zones of the same project', async () => {
      await api.newZone('b.example.', {}, as('member', 'p'))
      await api.newZone('a.B.example.', {}, as('member', 'p'))
      deepEqual(await refusal('c.b.example.', {}, as('member', 'q')), [403, 'illegal_child'])
      deepEqual(await refusal('x.y.a.b.example.', {}, as('admin', 'q')), [403, 'illegal_child'])
      await api.newZone('x.y.z.example.', {}, as('member', 'q'))
      deepEqual(await refusal('z.example.', {}, as('member', 'p')), [403, 'illegal_parent'])
      await api.newZone('z.example.', {}, as('member', 'q'))
      await api.newZone('other-b.example.', {}, as('member', 'q'))
      await api.newZone('ab.example.', {}, as('member', 'q'))
    })

    test('[N12] those who race to stand above and below each other do not both win', async () => {
      for (let round = 0; round < 5; round += 1) {
        const names = [`r${round}.example.`, `x.r${round}.example.`, `y.x.r${round}.example.`]
        const answers = await Promise.all(
          names.map((name, i) => api.post<Problem>('/v2/zones', { name, email }, as('member', `p${i}`))),
        )
        deepEqual(
          answers.map(({ status }) => status).toSorted(),
          [202, 403, 403],
          JSON.stringify(answers.map(({ body }) => body.message)),
        )
      }
    })

    test('[N23] a zone with zones below it is not deleted, in whatever project it is asked', async () => {
      const parent = await api.newZone('parent.example.')
      const child = await api.newZone('child.parent.example.')
      const grandchild = await api.newZone('a.b.child.parent.example.')
      const refused = async (zone: ShownZone) => (await api.refused('DELETE', `/v2/zones/${zone.id}`)).slice(0, 2)
      deepEqual(await refused(parent), [400, 'zone_has_sub_zone'])
      deepEqual(await refused(child), [400, 'zone_has_sub_zone'])
      for (const zone of [grandchild, child, parent]) equal((await api.delete(`/v2/zones/${zone.id}`)).status, 202)
      equal((await api.delete(`/v2/zones/${parent.id}`)).status, 202)
    })

    test('[N18] of several faults the first in the order of checks is told', async () => {
      await api.newZone('taken.example.', {}, as('member', 'other'))
      await api.post('/v2/tlds', { name: 'example' })
      await api.post('/v2/blacklists', { pattern: 'black' })
      const headers = as('member', 'p')
      const told = (body: object) => refusal('sub.black.example.', body, headers)
      deepEqual(await refusal('bad name', { email: 'bad', bogus: 1 }, headers), [400, 'invalid_object'])
      deepEqual(await refusal('sub.black.example.', { type: 'CATALOG', email: null }, headers), [400, 'invalid_object'])
      deepEqual(await refusal('org.', { type: 'CATALOG' }, headers), [403, 'forbidden'])
      await api.patch('/v2/quotas/p', { zones: 0 }, everywhere)
      deepEqual(await told({ type: 'CATALOG' }), [403, 'forbidden'])
      deepEqual(await told({}), [413, 'over_quota'])
      deepEqual(await refusal('org.', {}, headers), [413, 'over_quota'])
      await api.patch('/v2/quotas/p', { zones: 1 }, everywhere)
      deepEqual(await told({}), [400, 'invalid_zone_name'])
      deepEqual(await refusal('taken.example.', {}, headers), [409, 'duplicate_zone'])
      deepEqual(await refusal('sub.taken.example.', {}, headers), [403, 'illegal_child'])
    })

    test('[N19] a project has no more zones than its quota, however many ask at once; the last place goes to one', async () => {
      await api.patch('/v2/quotas/p', { zones: 3 }, everywhere)
      await api.newZone('first.example.', {}, as('member', 'p'))
      await api.newZone('second.example.', {}, as('member', 'p'))
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          api.post<Problem>('/v2/zones', { name: `race${i}.example.`, email }, as('member', 'p')),
        ),
      )
      deepEqual(answers.map(({ status }) => status).toSorted(), [202, ...Array.from({ length: 11 }, () => 413)])
      const over = answers.find(({ status }) => status === 413)!
      equal(over.body.message, 'Quota exceeded for zones.')
      const { body } = await api.list('/openstack/v2/zones', as('member', 'p'))
      deepEqual([body.zones!.length, body.metadata], [3, { total_count: 3 }])
      await api.newZone('elsewhere.example.', {}, as('member', 'q'))
      await api.delete(`/v2/zones/${body.zones![0]!.id}`, as('member', 'p'))
      equal((await refusal('fourth.example.', {}, as('member', 'p')))[0], 413, 'while a server may have it')
      await api.publish()
      await api.newZone('fourth.example.', {}, as('member', 'p'))
      await api.patch('/v2/quotas/p', { zones: -1 }, everywhere)
      await Promise.all(Array.from({ length: 12 }, (_, i) => api.newZone(`free${i}.example.`, {}, as('member', 'p'))))
    })

    test('[N19] creating and deleting at once never wait in a circle', async () => {
      const zones = await Promise.all(Array.from({ length: 16 }, (_, i) => api.newZone(`old${i}.example.`)))
      const started = performance.now()
      await Promise.all(zones.map(({ id }) => api.delete(`/v2/zones/${id}`)))
      await Promise.all([
        ...Array.from({ length: 24 }, (_, i) => api.newZone(`new${i}.example.`)),
        ...Array.from({ length: 4 }, () => api.publish()),
      ])
      await api.publish()
      deepEqual((await api.list('/openstack/v2/zones')).body.metadata, { total_count: 24 })
      // PostgreSQL finds a circle only after a second of waiting.
      const taken = performance.now() - started
      equal(taken < 5000, true, `${Math.round(taken)} ms`)
    })
  })
}
