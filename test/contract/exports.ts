import { deepEqual, equal, ok } from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { types } from '../../src/dns/types/index.ts'
import { printZoneFile } from '../../src/dns/zonefile/print.ts'
import { typeFaults } from '../../src/resources/recordsets/rules.ts'
import { compare } from '../../src/zonedata/compare.ts'
import type { NewStore, Problem, Shown } from '../support/api.ts'
import { handOver, type ImportsApi, startImportsApi } from '../support/imports-api.ts'
import { anyRdata } from '../support/records.ts'
import { linesOf } from '../support/zones.ts'
import { stored } from '../support/zones-api.ts'

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })

/** The rules of exports. */
export function exportRules(engine: string, newStore: NewStore): void {
  describe(`exports on ${engine}`, () => {
    let api: ImportsApi
    before(async () => {
      api = await startImportsApi(newStore)
    })
    after(() => api.close())

    const start = async (zoneId: string) =>
      (
        await api.call<Shown>('POST', `/v2/zones/${zoneId}/tasks/export`, {
          headers: { 'Content-Type': 'application/json' },
        })
      ).body

    for (const word of ['exports', 'export']) {
      test(`[I20] an export is there at once, under tasks/${word} too`, async () => {
        const zone = await api.newZone(`${word}.org.`)
        const answer = await api.call<Shown>('POST', `/v2/zones/${zone.id}/tasks/export`)
        equal(answer.status, 202)
        const { id, status, location, message, zone_id, version, links } = answer.body
        deepEqual([status, location, message, zone_id, version], ['PENDING', null, null, zone.id, 1])
        equal(answer.headers.get('Location'), links.self)
        const { body } = await api.get<Shown>(`/v2/zones/tasks/${word}/${id}`)
        deepEqual(
          [body.status, body.location, body.version],
          ['COMPLETE', `designate://v2/zones/tasks/exports/${id}/export`, 2],
        )
        deepEqual(body.links, { self: links.self, export: `${links.self}/export` })
        const list = await api.list(`/openstack/v2/zones/tasks/${word}?zone_id=${zone.id}`)
        deepEqual(
          [list.body.exports, list.body.metadata],
          [[{ ...body, links: list.body.exports![0]!.links }], { total_count: 1 }],
        )
        equal((await api.get(`/v2/zones/tasks/${word}/${id}/export`)).status, 200)
        const other = await api.get<Problem>(`/v2/zones/tasks/${word}/${id}`, as('member', 'other'))
        equal(other.body.type, 'zone_export_not_found')
        equal((await api.delete(`/v2/zones/tasks/${word}/${id}`)).status, 204)
        equal((await api.delete<Problem>(`/v2/zones/tasks/${word}/${id}`)).body.type, 'zone_export_not_found')
      })
    }

    test('[I20] only a zone that the caller owns can be exported', async () => {
      const zone = await api.newZone('owned.org.')
      const refused = await api.call<Problem>('POST', `/v2/zones/${zone.id}/tasks/export`, {
        headers: as('member', 'p2'),
      })
      deepEqual([refused.status, refused.body.type], [404, 'zone_not_found'])
      const reader = await api.call<Problem>('POST', `/v2/zones/${zone.id}/tasks/export`, {
        headers: as('reader', 'noauth-project'),
      })
      equal(reader.status, 403)
    })

    test('[I20] who exported a zone that is now only shared with them is not sent its file any more', async () => {
      const zone = await api.newZone('handed.org.')
      const { id } = await start(zone.id)
      await handOver(api, zone.id, 'heir')
      const path = `/v2/zones/tasks/exports/${id}/export`
      equal((await api.get(path, as('member', 'noauth-project'))).status, 404)
      const share = { target_project_id: 'noauth-project' }
      equal((await api.post(`/v2/zones/${zone.id}/shares`, share, as('member', 'heir'))).status, 201)
      equal((await api.get(path, as('member', 'noauth-project'))).status, 403)
    })

    test('[I21] the file has $ORIGIN, $TTL, a blank line, and a line for each record in the order of creation', async () => {
      const zone = await api.newZone('layout.org.', { ttl: 300 })
      await api.newSet(zone, 'www.layout.org.', 'A', ['192.0.2.7', '192.0.2.8'], { ttl: 60 })
      await api.newSet(zone, 'layout.org.', 'TXT', ['"a b"'])
      const [origin, ttl, blank, soa, ...rest] = (await api.exported(zone.id)).split('\n')
      deepEqual([origin, ttl, blank], ['$ORIGIN layout.org.', '$TTL 300', ''])
      ok(
        /^layout\.org\. {2}IN SOA ns1\.nameplane\.test\. a\.example\.org\. \d+ 3[56]\d\d 600 86400 3600$/.test(soa!),
        String(soa),
      )
      deepEqual(rest, [
        'layout.org.  IN NS ns1.nameplane.test.',
        'www.layout.org. 60 IN A 192.0.2.7',
        'www.layout.org. 60 IN A 192.0.2.8',
        'layout.org.  IN TXT "a b"',
        '',
      ])
    })

    test('[I22] the file is text/dns; an Accept that leaves that out is 406', async () => {
      const { id } = await start((await api.newZone('accept.org.')).id)
      const at = `/v2/zones/tasks/exports/${id}/export`
      for (const accept of ['text/dns', '*/*', 'text/*', 'application/json, text/dns;q=0.5']) {
        const { status, headers } = await api.get(at, { Accept: accept })
        deepEqual([status, headers.get('Content-Type')], [200, 'text/dns'], accept)
      }
      for (const accept of ['image/jpeg', 'application/json'])
        equal((await api.get(at, { Accept: accept })).status, 406, accept)
    })

    test('[I23] a zone with more record sets than the quota api_export_size is not exported', async () => {
      const zone = await api.newZone('sized.org.', {}, as('member', 'sized'))
      const quota = (n: number) =>
        api.patch('/v2/quotas/sized', { api_export_size: n }, { 'X-Auth-All-Projects': 'true' })
      const asked = () =>
        api.call<Problem>('POST', `/v2/zones/${zone.id}/tasks/export`, { headers: as('member', 'sized') })
      await quota(1)
      const { status, body } = await asked()
      deepEqual([status, body.type, body.message], [413, 'over_quota', 'Quota exceeded for api_export_size.'])
      await quota(2)
      equal((await asked()).status, 202)
    })

    test('[I24] a file is of one state of the zone, however long it takes; who goes away ends it', async () => {
      const lines = Array.from(
        { length: 30_000 },
        (_, i) => `host-with-a-long-name-${i} IN TXT "${'x'.repeat(200)}"`,
      ).join('\n')
      const head = '$ORIGIN slow.org.\n$TTL 300\n@ IN SOA a. b. 1 1 1 1 1\n'
      const { zone_id } = await api.imported(head + lines)
      const { id } = await start(zone_id!)
      const { hostname, port } = new URL(api.url)
      const path = `/v2/zones/tasks/exports/${id}/export`
      const ask = () => {
        const socket = connect(Number(port), hostname)
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        return socket
      }
      const reader = ask()
      await new Promise((resolve) => reader.once('readable', resolve))
      // All the places there are, and more: those who wait for one, and those who have it, go away.
      const gone = Array.from({ length: 5 }, ask)
      await sleep(200)
      for (const socket of gone) socket.destroy()
      await api.newSet({ id: zone_id! }, 'zz-later.slow.org.', 'TXT', ['"later"'])
      let text = ''
      for await (const part of reader.setEncoding('latin1')) text += part
      equal(text.includes('zz-later'), false)
      equal(text.match(/IN TXT/g)?.length, 30_000)
      ok((await api.exported(zone_id!)).includes('zz-later.slow.org.  IN TXT "later"'))
    })

    test('[I25] what was exported and is imported is the same zone, for records of every type', async () => {
      const usable = types.filter(
        ({ type }) =>
          typeFaults(type, undefined).length === 0 &&
          !['SOA', 'NS', 'CNAME', 'DNAME', 'SRV', 'TLSA', 'DS'].includes(type),
      )
      const seed = 20_261_115
      const records = usable.flatMap((type, i) =>
        fc
          .sample(anyRdata(type), { seed, numRuns: 4 })
          .map((rdata) => ({ name: `t${i}.every.org.`, type: type.code, class: 1, ttl: 60 * (i % 3), rdata })),
      )
      const special = [
        '_x._tcp IN SRV 1 2 3 www',
        '_443._tcp IN TLSA 3 1 0 00ff',
        'c IN CNAME www',
        'd IN DNAME x.org.',
        'sub IN NS a.',
        'sub IN DS 1 8 1 0123456789012345678901234567890123456789',
      ]
      const odd = [
        'a\\032b IN A 192.0.2.1',
        '*.w IN A 192.0.2.1',
        'UPPER IN TXT "\\000\\255\\"quoted\\" ; no comment"',
        'x\\.y IN A 192.0.2.2',
      ]
      const head = '$ORIGIN every.org.\n$TTL 3600\n@ IN SOA a. b. 7 1 2 3 4\n'
      const { zone_id } = await api.imported(
        `${head}${[...special, ...odd].join('\n')}\n${printZoneFile(records, { types: 'all' })}`,
      )
      const before = await stored(api.db, { id: zone_id!, name: 'every.org.' })
      ok(before.recordCount > 100)
      const text = await api.exported(zone_id!)
      equal((await api.delete(`/v2/zones/${zone_id}`)).status, 202)
      await api.publish()
      const again = await api.imported(text)
      const after = await stored(api.db, { id: again.zone_id!, name: 'every.org.' })
      const { removed, added } = compare(before, after)
      const content = (lines: string[]) => lines.filter((line) => !/\bSOA\b/.test(line))
      deepEqual([content(linesOf(removed)), content(linesOf(added))], [[], []])
    })
  })
}
