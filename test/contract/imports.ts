import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { sql } from '../../src/db/sql.ts'
import { since } from '../../src/journal/since.ts'
import { runSettings } from '../../src/resources/imports/settings.ts'
import { startImports } from '../../src/resources/imports/start.ts'
import { sameContent } from '../../src/zonedata/compare.ts'
import type { Answer, NewStore, Problem, Shown } from '../support/api.ts'
import {
  ended,
  handOver,
  hidden,
  type ImportsApi,
  type ShownFault,
  type ShownImport,
  startImportsApi,
} from '../support/imports-api.ts'
import { testSettings } from '../support/settings.ts'
import { mustAgree, type ShownSet, type ShownZone, startZonesApi, stored } from '../support/zones-api.ts'
import { mustCountRight } from './transfers.ts'

type FaultPage = { faults: ShownFault[]; links: { self: string; next?: string } }

const as = (roles: string, project: string) => ({ 'X-Roles': roles, 'X-Auth-Project-ID': project })

/** A sound file of a zone. */
export const file = (origin: string, more = '') => `$ORIGIN ${origin}
$TTL 3600
@ 900 IN SOA ns.old.example. first\\.last.example.org. 2024010101 1111 2222 333333 444
@ IN NS ns.old.example.
@ IN MX 10 mail
mail IN A 192.0.2.5
www 300 IN A 192.0.2.1
www 300 IN A 192.0.2.2
ftp IN CNAME www
sub IN NS ns.sub
ns.sub IN A 192.0.2.53
zero 0 IN TXT "a b" "c"
${more}`

/** The rules of imports. */
export function importRules(engine: string, newStore: NewStore): void {
  describe(`imports on ${engine}`, () => {
    let api: ImportsApi
    before(async () => {
      api = await startImportsApi(newStore, { minTtl: 0 })
    })
    after(() => api.close())

    const setsOf = async (zoneId: string): Promise<ShownSet[]> =>
      (await api.list(`/openstack/v2/zones/${zoneId}/recordsets?limit=max`)).body.recordsets as unknown as ShownSet[]
    const rows = (sets: readonly ShownSet[]) =>
      sets.map(({ name, type, ttl, records }) => `${name} ${ttl} ${type} ${records.join(' | ')}`)
    const post = (raw: string | Uint8Array<ArrayBuffer>, type: string, query = '') =>
      api.call<ShownImport & Problem>('POST', `/v2/zones/tasks/imports${query}`, {
        headers: { 'Content-Type': type },
        raw,
      })

    test('[I1] a file is answered 202 with where to look, and becomes a zone', async () => {
      const { status, headers, body } = await post(file('one.org.'), 'text/dns')
      equal(status, 202)
      equal(headers.get('Location'), body.links.self)
      deepEqual(
        [body.status, body.message, body.zone_id, body.updated_at, body.version],
        ['PENDING', null, null, null, 1],
      )
      const done = await ended(api, body.id)
      deepEqual([done.status, done.message, done.version], ['COMPLETE', 'one.org. imported', 2])
      ok(done.links.zone?.endsWith(`/v2/zones/${done.zone_id}`))
      equal((await api.get<ShownZone>(`/v2/zones/${done.zone_id}`)).body.name, 'one.org.')
      const size = file('one.org.').length
      deepEqual(done.progress, { bytes_read: size, bytes_total: size, records_read: 10 })
    })

    test('[I2] JSON with a zonefile and attributes does the same; other bodies are refused', async () => {
      const json = (value: unknown) => post(JSON.stringify(value), 'application/json')
      const { status, body } = await json({ zonefile: file('json.org.'), attributes: { tier: 'gold' } })
      equal(status, 202)
      const done = await ended(api, body.id)
      const zone = await api.get<ShownZone>(`/v2/zones/${done.zone_id}`)
      deepEqual(zone.body.attributes, { tier: 'gold' })
      for (const wrong of [
        {},
        { zonefile: 5 },
        [],
        'x',
        { zonefile: 'x', more: 1 },
        { zonefile: 'x', attributes: [] },
      ]) {
        equal((await json(wrong)).status, 400, JSON.stringify(wrong))
      }
      const refused = await post('{"zonefile": ', 'application/json')
      deepEqual([refused.status, refused.body.type], [400, 'bad_request'])
      const other = await post(file('x.org.'), 'text/plain')
      deepEqual([other.status, other.body.type], [415, 'unsupported_content_type'])
    })

    test('[I3] the zone takes serial, contact, TTL, retry, expire and minimum of the SOA; SOA and NS are the pool’s', async () => {
      const { zone_id } = await api.imported(file('maps.org.'))
      const { body } = await api.get<ShownZone>(`/v2/zones/${zone_id}`)
      deepEqual([body.serial, body.email, body.ttl, body.type], [2024010101, 'first.last@example.org', 900, 'PRIMARY'])
      const sets = await setsOf(zone_id!)
      match(
        sets[0]!.records[0]!,
        /^ns1\.nameplane\.test\. first\\\.last\.example\.org\. 2024010101 3[56]\d\d 2222 333333 444$/,
      )
      deepEqual(rows(sets.slice(1)), [
        'maps.org. null NS ns1.nameplane.test.',
        'maps.org. 3600 MX 10 mail.maps.org.',
        'mail.maps.org. 3600 A 192.0.2.5',
        'www.maps.org. 300 A 192.0.2.1 | 192.0.2.2',
        'ftp.maps.org. 3600 CNAME www.maps.org.',
        'sub.maps.org. 3600 NS ns.sub.maps.org.',
        'ns.sub.maps.org. 3600 A 192.0.2.53',
        'zero.maps.org. 0 TXT "a b" "c"',
      ])
      await mustAgree(api.db, { id: zone_id!, name: 'maps.org.' })
    })

    test('[I4] what keeps a file from being a zone is told in the words that clients know', async () => {
      const message = async (text: string, query = '') => {
        const { status, message } = await api.import(text, query)
        equal(status, 'ERROR')
        return message!
      }
      const noOrigin = 'The $ORIGIN statement is required and must be the first statement in the zonefile.'
      equal(await message(''), noOrigin)
      equal(await message('garbage here'), noOrigin)
      equal(await message('$ORIGIN no-soa.org.\n$TTL 5\n@ IN NS ns\n'), 'An SOA record is required.')
      match(await message('$ORIGIN no-ttl.org.\n@ IN NS ns\n'), /^Malformed zonefile\. line 2, column 1: a TTL must/)
      await api.imported(file('twice.org.'))
      equal(await message(file('twice.org.')), 'Duplicate zone.')
      match(await message(file('single.')), /more than one label/)
      match(
        await message(file('here.org.'), '?origin=there.org'),
        /^The SOA is at here\.org\., and the zone is to be there\.org\./,
      )
    })

    test('[I5] every fault has its line and column: the first in the message, 100 in the resource, all at a link', async () => {
      const bad = Array.from({ length: 1500 }, (_, i) => `bad${i} IN A 1.2.3.${i + 300}`)
      const { status, message, fault_count, faults, links } = await api.import(file('faulty.org.', bad.join('\n')))
      deepEqual([status, fault_count, faults.length], ['ERROR', 1500, 100])
      match(message!, /^Malformed zonefile\. line 13, column 11: /)
      ok(message!.length <= 160)
      deepEqual([faults[99]!.line, faults[99]!.column, faults[99]!.severity], [112, 12, 'error'])
      const path = new URL(links.faults!).pathname
      const pages: ShownFault[][] = []
      let next: string | undefined = `${links.faults}?limit=700`
      while (next !== undefined && pages.length < 5) {
        const { pathname, search }: URL = new URL(next)
        const page: Answer<FaultPage> = await api.get<FaultPage>(pathname + search)
        deepEqual([page.status, page.body.links.self], [200, next])
        pages.push(page.body.faults)
        next = page.body.links.next
      }
      deepEqual(
        pages.map(({ length }) => length),
        [700, 700, 100],
      )
      const all = pages.flat()
      deepEqual(all.slice(0, 100), faults)
      deepEqual(
        all.map(({ line }) => line),
        bad.map((_, i) => i + 13),
      )
      equal((await api.get<FaultPage>(path)).body.faults.length, 20)
      const exact = await api.get<FaultPage>(`${path}?marker=2.399&limit=100`)
      deepEqual([exact.body.faults.length, exact.body.links.next], [100, undefined])
      for (const [query, type] of [
        ['limit=0', 'invalid_limit'],
        ['marker=x', 'invalid_marker'],
        ['marker=-1.0', 'invalid_marker'],
        ['marker=2.500', 'marker_not_found'],
        ['marker=3.0', 'marker_not_found'],
        ['sort_key=line', 'bad_request'],
      ] as const)
        deepEqual((await api.refused('GET', `${path}?${query}`)).slice(0, 2), [400, type], query)
      equal((await api.list('/v2/zones?name=faulty.org.')).body.zones!.length, 0)
      equal(await hidden(api), 0)
    })

    for (const mode of ['create', 'replace', 'merge']) {
      test(`[I5] what records do wrong together is told beside lines that cannot be read (${mode})`, async () => {
        const origin = `both-${mode}.org.`
        if (mode !== 'create') await api.imported(file(origin))
        const wrong = 'bad IN A 192.0.2.256\nwww IN CNAME ftp\nd IN DNAME x.org.\nu.d IN A 192.0.2.9\n'
        const { status, message, faults } = await api.import(file(origin, wrong), `?mode=${mode}`)
        equal(status, 'ERROR')
        match(message!, /^Malformed zonefile\. line 13, column 10: /)
        deepEqual(
          faults.map(({ line, severity }) => [line, severity]).toSorted(),
          [13, 14, 16].map((line) => [line, 'error']),
          JSON.stringify(faults),
        )
      })
    }

    for (const [what, line, fault] of [
      ['a CNAME beside others', 'www IN CNAME ftp', /CNAME must stand alone/],
      ['two CNAMEs', 'ftp IN CNAME other', /one CNAME record at most/],
      ['a CNAME at the top', '@ IN CNAME www', /CNAME must stand alone/],
      ['what lies below a DNAME', 'd IN DNAME x.org.\nu.d IN A 192.0.2.9', /below the DNAME/],
      ['what lies outside the zone', 'www.elsewhere.org. IN A 192.0.2.1', /must be places\.org\. or end in/],
      ['a second SOA', '@ IN SOA a. b. 9 9 9 9 9', /one SOA/],
      ['types that a signer makes', 'www IN NSEC a.places.org. A', /not a supported record type/],
      ['an SRV without service', 'srv IN SRV 0 0 1 www', /_service\._protocol/],
      ['a TLSA without port', 'tlsa IN TLSA 3 1 0 00', /_port\._protocol/],
      ['a wildcard delegation', '*.w IN NS ns.sub', /wildcard/],
    ] as const) {
      test(`[I6] refused is ${what}, with its line`, async () => {
        const { status, message, faults } = await api.import(file('places.org.', line))
        equal(status, 'ERROR')
        const found = faults.find(({ severity, message }) => severity === 'error' && fault.test(message))
        ok(found, `${message} ${JSON.stringify(faults)}`)
        ok(found.line === 7 || found.line === 9 || (found.line! >= 13 && found.line! <= 14), `line ${found.line}`)
        equal(await hidden(api), 0)
      })
    }

    test('[I6] a file too large for memory is held to the same rules, with the same lines', async () => {
      const many = Array.from({ length: 11_000 }, (_, i) => `h${i} IN A 192.0.2.${i % 250}`)
      const wrong = [
        'h5 IN CNAME h6',
        'd IN DNAME x.org.',
        'below.d IN A 192.0.2.1',
        'two IN CNAME a',
        'two IN CNAME b',
      ]
      const { status, faults, fault_count } = await api.import(file('manyfaults.org.', [...many, ...wrong].join('\n')))
      equal(status, 'ERROR')
      deepEqual(
        faults.map(({ line, message }) => [line, /^(\S+ \S+):/.exec(message)?.[1]]),
        [
          [11_013, 'h5.manyfaults.org. CNAME'],
          [11_016, 'two.manyfaults.org. CNAME'],
          [11_015, 'below.d.manyfaults.org. A'],
        ],
      )
      equal(fault_count, 3)
    })

    test('[I6] what only a person can judge is told as a warning, and the zone is made', async () => {
      const done = await api.imported(file('warns.org.', 'x.sub IN TXT "hidden"\nx.sub IN TXT "hidden"\n'))
      equal(done.fault_count, done.faults.length)
      deepEqual([...new Set(done.faults.map(({ severity }) => severity))], ['warning'])
      ok(done.faults.some(({ line, message }) => line === 14 && /twice/.test(message)))
      ok(done.faults.some(({ line, message }) => line === 13 && /delegation/.test(message)))
    })

    test('[I7] the quotas of the project hold for imports', async () => {
      const quota = (body: object) => api.patch('/v2/quotas/small', body, { 'X-Auth-All-Projects': 'true' })
      const message = async (name: string) => {
        const { status, message } = await api.import(file(name), '', as('member', 'small'))
        return status === 'COMPLETE' ? 'imported' : message
      }
      const over = (what: string, allowed: number, needed: number) =>
        `Quota exceeded during zone import. Quota exceeded for ${what}. ${allowed} allowed, at least ${needed} needed; set at /v2/quotas/small`
      await quota({ zone_records: 7 })
      equal(await message('q1.org.'), over('zone_records', 7, 8))
      await quota({ zone_records: -1, zone_recordsets: 8 })
      equal(await message('q2.org.'), over('zone_recordsets', 8, 9))
      await quota({ zone_recordsets: 9, recordset_records: 1 })
      equal(await message('q3.org.'), over('recordset_records', 1, 2))
      await quota({ recordset_records: 2, zones: 1 })
      equal(await message('q4.org.'), 'imported')
      equal(await message('q5.org.'), over('zones', 1, 2))
      equal(await hidden(api), 0)
    })

    test('[I8] an import is one change of its zone, which appears at once and whole', async () => {
      const { zone_id } = await api.imported(file('whole.org.'))
      const changes = await api.db.read((tx) => since(tx, zone_id!, 0))
      equal(changes!.length, 1)
      const { body } = await api.get<ShownZone>(`/v2/zones/${zone_id}`)
      deepEqual([body.status, body.action, body.version], ['PENDING', 'CREATE', 1])
      await api.publish()
      equal((await api.get<ShownZone>(`/v2/zones/${zone_id}`)).body.status, 'ACTIVE')
      const total = (await api.list('/openstack/v2/zones?limit=max')).body
      deepEqual(total.metadata, { total_count: total.zones!.length })
      await mustCountRight(api)
    })

    test('[I9] the journal does not list what a large import holds: who is behind takes the whole zone', async () => {
      const many = Array.from(
        { length: 12_000 },
        (_, i) => `h${i % 6000} IN ${i < 6000 ? 'A 192.0.2.1' : 'AAAA 2001:db8::1'}`,
      )
      const text = file('large.org.', many.join('\n'))
      const { zone_id } = await api.imported(text)
      equal(await api.db.read((tx) => since(tx, zone_id!, 0)), undefined)
      const kept = await api.db.read((tx) =>
        tx.get(sql`select recordset_count, record_count from zones where id = ${zone_id}`),
      )
      deepEqual({ ...kept }, { recordset_count: 12_009, record_count: 12_008 })
      equal((await api.newSet({ id: zone_id! }, 'later.large.org.', 'A', ['192.0.2.1'])).status, 'PENDING')
      equal((await api.db.read((tx) => since(tx, zone_id!, 2024010101)))!.length, 1)
    })

    test('[I10] a zone that was given to another project and is only shared by then is not changed', async () => {
      const idle = await startZonesApi(newStore)
      try {
        const zone = await idle.newZone('handed.org.')
        const mine = as('member', 'noauth-project')
        const { body } = await idle.call<ShownImport>(
          'POST',
          `/v2/zones/tasks/imports?mode=replace&zone_id=${zone.id}`,
          {
            headers: { 'Content-Type': 'text/dns', ...mine },
            raw: file('handed.org.'),
          },
        )
        await handOver(idle, zone.id, 'heir')
        const share = { target_project_id: 'noauth-project' }
        equal((await idle.post(`/v2/zones/${zone.id}/shares`, share, as('member', 'heir'))).status, 201)
        const log = pino({ level: 'error' })
        const imports = startImports({ db: idle.db, settings: runSettings(testSettings), log })
        const done = await ended(idle, body.id, mine)
        await imports.stop()
        equal(done.status, 'ERROR')
        match(done.message!, /belongs to another project/)
        equal(done.difference, null)
        const sets = await idle.list(`/v2/zones/${zone.id}/recordsets`, as('member', 'heir'))
        equal(sets.body.recordsets!.length, 2)
      } finally {
        await idle.close()
      }
    })

    test('[I10] mode=replace makes the content of a zone that of the file, as one change; what is the same stays', async () => {
      const { zone_id } = await api.imported(file('again.org.'))
      const before = await setsOf(zone_id!)
      const text = file('again.org.', 'new IN A 192.0.2.99\n')
        .replace('192.0.2.2', '192.0.2.3')
        .replace('ftp IN CNAME www\n', '')
      const done = await api.imported(text, '?mode=replace')
      equal(done.zone_id, zone_id)
      deepEqual(done.difference, {
        records_added: 2,
        records_removed: 2,
        recordsets_created: 1,
        recordsets_updated: 1,
        recordsets_deleted: 1,
        recordsets: [
          { action: 'delete', name: 'ftp.again.org.', type: 'CNAME', removed: ['www.again.org.'], added: [] },
          { action: 'create', name: 'new.again.org.', type: 'A', removed: [], added: ['192.0.2.99'] },
          { action: 'update', name: 'www.again.org.', type: 'A', removed: ['192.0.2.2'], added: ['192.0.2.3'] },
        ],
      })
      const after = await setsOf(zone_id!)
      const [mx, mxNow] = [before, after].map((sets) => sets.find(({ type }) => type === 'MX'))
      deepEqual([mxNow!.id, mxNow!.version], [mx!.id, 1])
      equal(after.find(({ name }) => name === 'www.again.org.')!.version, 2)
      equal((await api.db.read((tx) => since(tx, zone_id!, 2024010101)))!.length, 1)
      await mustAgree(api.db, { id: zone_id!, name: 'again.org.' })
      const found = await api.list('/v2/recordsets?data=192.0.2.99')
      equal(found.body.recordsets!.length, 1)
      const same = await api.imported(text, `?mode=replace&zone_id=${zone_id}`)
      equal(same.difference!.records_added, 0)
    })

    test('[I10] the name that was set for an address stays, and a file with another is told so', async () => {
      const zone = await api.newZone('100.51.198.in-addr.arpa.')
      for (const host of [7, 8]) {
        const { body } = await api.post('/v2/reverse/addresses', {
          address: `198.51.100.${host}`,
          project_id: 'noauth-project',
        })
        const named = { ptrdname: `h${host}.example.org.` }
        equal((await api.patch(`/v2/reverse/floatingips/RegionOne:${body.id}`, named)).status, 202)
      }
      const lines = '7 60 IN PTR other.example.org.\n8 60 IN PTR h8.example.org.\n9 60 IN PTR h9.example.org.\n'
      const text = `$ORIGIN ${zone.name}\n$TTL 60\n@ IN SOA a. b. 1 1 1 1 1\n${lines}`
      for (const mode of ['replace', 'merge']) {
        const { faults, fault_count } = await api.imported(text, `?mode=${mode}`)
        equal(fault_count, 1)
        deepEqual([faults[0]!.line, faults[0]!.severity], [4, 'warning'])
        match(faults[0]!.message, /^7\.100\S+ PTR: stays h7\.example\.org\., .* the file has other\.example\.org\.$/)
      }
      const pointers = (await setsOf(zone.id)).filter(({ type }) => type === 'PTR').flatMap(({ records }) => records)
      deepEqual(pointers.toSorted(), ['h7.example.org.', 'h8.example.org.', 'h9.example.org.'])
      await mustAgree(api.db, zone)
    })

    test('[I11] mode=merge adds the records of the file and takes none away; the rules hold for both together', async () => {
      const { zone_id } = await api.imported(file('join.org.'))
      const more = (lines: string) => `$ORIGIN join.org.\n$TTL 300\n@ IN SOA a. b. 1 1 1 1 1\n${lines}`
      await api.imported(more('www IN A 192.0.2.77\nnew IN TXT "x"\n'), '?mode=merge')
      const www = (await setsOf(zone_id!)).find(({ name }) => name === 'www.join.org.')
      deepEqual(www!.records, ['192.0.2.1', '192.0.2.2', '192.0.2.77'])
      await mustAgree(api.db, { id: zone_id!, name: 'join.org.' })
      const refused = await api.import(more('other IN A 192.0.2.1\nftp IN A 192.0.2.1\n'), '?mode=merge')
      equal(refused.status, 'ERROR')
      match(refused.message!, /CNAME must stand alone/)
      for (const [line, why] of [
        ['WWW IN CNAME x\n', /CNAME must stand alone/],
        ['Ftp IN CNAME x\n', /one CNAME record at most/],
        ['mail IN DNAME x.example.\na.mail IN A 192.0.2.1\n', /below the DNAME/],
        ['sub IN DNAME x.example.\n', /below the DNAME|beside a delegation/],
      ] as const) {
        const { status, message } = await api.import(more(line), '?mode=merge')
        deepEqual([status, why.test(message!)], ['ERROR', true], `${line}: ${message}`)
      }
      equal(
        (await setsOf(zone_id!)).some(({ name }) => name === 'other.join.org.'),
        false,
      )
      await mustAgree(api.db, { id: zone_id!, name: 'join.org.' })
      const missing = await api.import(file('nowhere.org.'), '?mode=merge')
      match(missing.message!, /Could not find Zone/)
    })

    test('[I12] dry_run tells the difference, or what is wrong, and changes nothing', async () => {
      const fresh = await api.imported(file('dry.org.'), '?dry_run=true')
      deepEqual([fresh.zone_id, fresh.difference!.records_added], [null, 8])
      equal((await api.list('/v2/zones?name=dry.org.')).body.zones!.length, 0)
      const { zone_id } = await api.imported(file('dry.org.'))
      const before = await stored(api.db, { id: zone_id!, name: 'dry.org.' })
      const tried = await api.imported(file('dry.org.', 'new IN A 192.0.2.1\n'), '?mode=replace&dry_run=true')
      equal(tried.difference!.recordsets_created, 1)
      ok(sameContent(before, await stored(api.db, { id: zone_id!, name: 'dry.org.' })))
      equal((await api.get<ShownZone>(`/v2/zones/${zone_id}`)).body.serial, 2024010101)
      equal((await api.import(file('dry.org.'), '?dry_run=true')).message, 'Duplicate zone.')
      const wrong = await api.import(file('dry.org.', 'www IN CNAME x\n'), '?mode=merge&dry_run=true')
      match(wrong.message!, /CNAME must stand alone/)
      equal(await hidden(api), 0)
    })

    test('[I12] parameters that are none, or do not fit, are refused', async () => {
      const id = '01a1dd58-6606-71b8-a89f-92c1b436623e'
      for (const [query, status] of [
        ['?mode=erase', 400],
        ['?bogus=1', 400],
        [`?zone_id=${id}`, 400],
        ['?mode=merge&zone_id=x', 400],
        [`?mode=merge&zone_id=${id}`, 404],
        ['?origin=-bad-.', 400],
        ['?mode=replace&dry_run=maybe', 400],
        ['?dry_run=', 400],
      ] as const) {
        equal((await post(file('params.org.'), 'text/dns', query)).status, status, query)
      }
      const rest = await api.db.read((tx) =>
        tx.get<{ n: number }>(sql`
          select count(*) as n from import_chunks c where not exists (select 1 from zone_imports i where i.id = c.import_id)`),
      )
      equal(rest!.n, 0)
    })

    test('[I37] an import that changes more of a zone than is allowed is refused; what is the same does not count', async () => {
      const few = await startImportsApi(newStore, { importMaxChanges: 20 })
      try {
        const lines = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, i) => `h${from + i} IN A 192.0.2.1\n`).join('')
        const { zone_id } = await few.imported(file('much.org.', lines(0, 100)))
        const within = await few.imported(file('much.org.', lines(10, 110)), '?mode=replace')
        deepEqual([within.difference!.recordsets_created, within.difference!.recordsets_deleted], [10, 10])
        for (const query of ['?mode=replace', '?mode=merge', '?mode=replace&dry_run=true']) {
          const refused = await few.import(file('much.org.', lines(10, 131)), query)
          equal(refused.status, 'ERROR')
          match(refused.message!, /changes more than 20 record sets/)
        }
        await mustAgree(few.db, { id: zone_id!, name: 'much.org.' })
        const left = () => few.db.read((tx) => tx.get<{ n: number }>(sql`select count(*) as n from staged_sets`))
        for (let i = 0; i < 200 && (await left())!.n > 0; i++) await sleep(50)
        equal((await left())!.n, 0)
      } finally {
        await few.close()
      }
    })

    test('[I13] files have a limit of their own, above that of other bodies', async () => {
      const comment = `; ${'x'.repeat(998)}\n`.repeat(300)
      await api.imported(file('bulky.org.', comment))
      const small = await startImportsApi(newStore, { importMaxBytes: 2000 })
      try {
        const answer = await small.call<Problem>('POST', '/v2/zones/tasks/imports', {
          headers: { 'Content-Type': 'text/dns' },
          raw: file('x.org.', comment),
        })
        deepEqual([answer.status, answer.body.type], [413, 'request_too_large'])
        await small.imported(file('x.org.'))
      } finally {
        await small.close()
      }
    })

    test('[I14] imports are listed, filtered and deleted by those of their project', async () => {
      const mine = await api.import(file('mine.org.'), '', as('member', 'lister'))
      const bad = await api.import('x', '', as('member', 'lister'))
      const list = async (query: string) => {
        const { body } = await api.list(`/openstack/v2/zones/tasks/imports${query}`, as('reader', 'lister'))
        return [body.imports!.map(({ id }) => id), body.metadata] as const
      }
      deepEqual(await list(''), [[mine.id, bad.id], { total_count: 2 }])
      deepEqual(await list('?status=ERROR'), [[bad.id], { total_count: 1 }])
      deepEqual(await list(`?zone_id=${mine.zone_id}`), [[mine.id], { total_count: 1 }])
      deepEqual(await list('?message=*imported'), [[mine.id], { total_count: 1 }])
      deepEqual(await list('?sort_key=updated_at&sort_dir=desc&limit=1'), [[bad.id], { total_count: 2 }])
      const refused = async (method: string, id: string, headers: Record<string, string>) =>
        (await api.call<Problem>(method, `/v2/zones/tasks/imports/${id}`, { headers })).body?.type
      equal(await refused('GET', mine.id, as('member', 'other')), 'zone_import_not_found')
      equal(await refused('DELETE', mine.id, as('member', 'other')), 'zone_import_not_found')
      equal(await refused('DELETE', mine.id, as('reader', 'lister')), 'forbidden')
      equal(await refused('GET', 'x', as('member', 'lister')), 'invalid_uuid')
      equal((await api.delete(`/v2/zones/tasks/imports/${mine.id}`, as('member', 'lister'))).status, 204)
      equal(await refused('DELETE', mine.id, as('member', 'lister')), 'zone_import_not_found')
      equal((await api.get<Shown>(`/v2/zones/${mine.zone_id}`, as('member', 'lister'))).status, 200)
    })

    test('[I15] a set may stand in several places of a file; a record counts once, the least TTL for all', async () => {
      const scattered = Array.from({ length: 300 }, (_, i) => `h${i % 100} ${300 + i} IN A 192.0.2.${i % 3}`)
      const text = file('scatter.org.', `${scattered.join('\n')}\nH7 IN A 192.0.2.200\nh7 IN A 192.0.2.1\n`)
      const { zone_id } = await api.imported(text)
      const zone = { id: zone_id!, name: 'scatter.org.' }
      const h7 = (await setsOf(zone.id)).find(({ name }) => name === 'h7.scatter.org.')!
      deepEqual(
        [h7.ttl, h7.records.toSorted()],
        [307, ['192.0.2.1', '192.0.2.2', '192.0.2.200', '192.0.2.0'].toSorted()],
      )
      await mustAgree(api.db, zone)
      const ofFile = 8 + 300 + 1
      equal((await stored(api.db, zone)).recordCount, ofFile + 2)
    })

    test('[I16] what a process left half-way is taken over, and nothing is left of its attempt', async () => {
      const { zone_id } = await api.imported(file('leased.org.'))
      const { body } = await post(file('taken.org.'), 'text/dns')
      await ended(api, body.id)
      // As a process that died leaves it: a lease that ran out, and a hidden zone.
      await api.db.write(async (tx) => {
        await tx.run(sql`update zones set deleted_at = 'x', gone_at = 'x' where id = ${zone_id}`)
        const chunk = Buffer.from(file('revived.org.'))
        const id = '01a1dd58-0000-7000-8000-000000000001'
        await tx.run(sql`insert into import_chunks (import_id, n, data) values (${id}, 0, ${chunk})`)
        await tx.run(sql`
          insert into zone_imports (id, project_id, status, mode, dry_run, attributes, author, progress, staging_id, lease_holder,
            lease_until, version, created_at)
          select ${id}, project_id, 'PENDING', mode, dry_run, attributes, author, progress, ${zone_id}, 'dead', '2020', 1, created_at
          from zone_imports where id = ${body.id}`)
        tx.wake('zone_imports')
      })
      const done = await ended(api, '01a1dd58-0000-7000-8000-000000000001')
      equal(done.message, 'revived.org. imported')
      equal(await hidden(api), 0)
    })

    test('[I17] imports run side by side, and others read and write meanwhile', async () => {
      const many = Array.from({ length: 8000 }, (_, i) => `h${i} IN A 192.0.2.${i % 250}`).join('\n')
      const large = ['big1', 'big2', 'big3'].map((name) => api.imported(file(`${name}.org.`, many)))
      const zone = await api.newZone('meanwhile.org.')
      for (let i = 0; i < 20; i++) await api.newSet(zone, `h${i}.meanwhile.org.`, 'A', ['192.0.2.1'])
      for (const { zone_id, progress } of await Promise.all(large)) {
        equal(progress.records_read, 8010)
        const { records_count } = (await api.db.read((tx) =>
          tx.get<{ records_count: number }>(sql`select record_count as records_count from zones where id = ${zone_id}`),
        ))!
        equal(records_count, 8008)
      }
      await mustAgree(api.db, zone)
    })

    test('[I18] a zone is not made of records that belong in another zone hosted here', async () => {
      await api.newZone('child.parent.org.')
      const { status, faults } = await api.import(file('parent.org.', 'x.child IN TXT "x"\n'))
      equal(status, 'ERROR')
      ok(faults.some(({ line, message }) => line === 13 && /belongs in the zone child\.parent\.org\./.test(message)))
      await api.imported(file('parent.org.', 'child IN NS ns.child\nns.child IN A 192.0.2.1\n'))
    })
  })
}
