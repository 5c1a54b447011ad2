import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { types } from '../../src/dns/types/index.ts'
import type { NewStore, Problem } from '../support/api.ts'
import { mustAgree, type ShownSet, type ShownZone, startZonesApi, type ZonesApi } from '../support/zones-api.ts'

/** Types that no one writes into a zone by hand. */
const never = ['OPT', 'TSIG', 'TKEY', 'SIG', 'RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'NXNAME', 'SOA']
const special: Readonly<Record<string, string>> = { SRV: '_sip._tcp.', TLSA: '_443._tcp.' }

/** The rules of what records hold and where they stand. */
export function recordDataRules(engine: string, newStore: NewStore): void {
  describe(`records on ${engine}`, () => {
    let api: ZonesApi
    let zone: ShownZone
    let sets: string
    before(async () => {
      api = await startZonesApi(newStore)
      zone = await api.newZone('data.example.')
      sets = `/v2/zones/${zone.id}/recordsets`
    })
    after(() => api.close())

    const at = (zoneNow: { id: string }, name: string, type: string, records: unknown = []) =>
      api.post<Problem & ShownSet>(`/v2/zones/${zoneNow.id}/recordsets`, { name, type, records })
    const placed = async (zoneNow: { id: string }, name: string, type: string, records: unknown = []) => {
      const { status, body } = await at(zoneNow, name, type, records)
      return status < 300 ? 'placed' : body.type
    }

    test('[R25] a list of records that is too long is refused before any of them is read', async () => {
      const headers = { 'X-Roles': 'admin', 'X-Auth-Project-ID': 'long' }
      const everywhere = { 'X-Auth-All-Projects': 'true' }
      const own = await api.newZone('long.example.', {}, headers)
      const path = `/v2/zones/${own.id}/recordsets`
      await api.patch('/v2/quotas/long', { recordset_records: 200 }, everywhere)
      const texts = (n: number) => Array.from({ length: n }, (_, i) => `192.0.${i >> 8}.${i & 255}`)
      const body = (records: unknown[]) => ({ name: 'a.long.example.', type: 'A', records })
      const told = async (method: string, at: string, records: unknown[]) =>
        (await api.refused(method, at, method === 'POST' ? body(records) : { records }, headers)).slice(0, 2)
      const tooMany = [...texts(3000), 'no address']
      const made = await api.post<ShownSet>(path, body([...texts(200), ...texts(200)]), headers)
      deepEqual([made.status, made.body.records.length], [202, 200], 'what stands twice counts once')
      for (const [method, at] of [
        ['POST', path],
        ['PUT', `${path}/${made.body.id}`],
        ['PUT', `${path}/a.long.example./A`],
        ['PUT', `${path}/new.long.example./A`],
      ] as const) {
        deepEqual(await told(method, at, tooMany), [413, 'over_quota'], `${method} ${at}`)
        deepEqual(await told(method, at, [...tooMany, 5]), [400, 'invalid_object'], 'no list of texts at all')
      }
      await api.patch('/v2/quotas/long', { recordset_records: 150 }, everywhere)
      equal((await api.put(`${path}/${made.body.id}`, { records: texts(200).toReversed() }, headers)).status, 202)
      deepEqual(await told('PUT', `${path}/${made.body.id}`, texts(201)), [413, 'over_quota'])
    })

    test('[R7] every type takes its examples and gives them back letter by letter', async () => {
      const writable = types.filter(({ type, meta }) => !meta && !never.includes(type))
      ok(writable.length > 50)
      for (const { type, examples, also } of writable) {
        for (const [i, text] of [...examples, ...Object.keys(also ?? {})].entries()) {
          const name = `${special[type] ?? ''}t${i}.${type.toLowerCase()}.data.example.`
          const made = await at(zone, name, type, [text])
          equal(made.status, 202, `${type} ${text}: ${made.body.message}`)
          deepEqual(made.body.records, [text])
          deepEqual((await api.get<ShownSet>(`${sets}/${made.body.id}`)).body.records, [text])
        }
      }
      await mustAgree(api.db, zone)
    })

    test('[R8] what a type cannot hold is refused with its place, every fault at once', async () => {
      for (const { type, rejects } of types.filter((one) => !one.meta && !never.includes(one.type))) {
        if (rejects === undefined || rejects.length === 0) continue
        const name = `${special[type] ?? ''}bad.${type.toLowerCase()}.data.example.`
        const { status, body } = await at(zone, name, type, rejects)
        deepEqual([status, body.type], [400, 'invalid_object'], type)
        deepEqual(
          body.errors?.errors.map(({ path }) => path),
          rejects.map((_, i) => ['records', i]),
          `${type}: ${body.message}`,
        )
      }
      const { body } = await at(zone, 'bad.data.example.', 'A', ['192.0.2.1', 'b0rk'])
      const [first] = body.errors!.errors
      deepEqual([first!.path, first!.validator], [['records', 1], 'format'])
      match(first!.message, /^'b0rk' is not a 'A' Record/)
      for (const records of [null, 'x', {}, 5, [5], [null], [['x']], [{}]])
        equal(await placed(zone, 'bad.data.example.', 'A', records), 'invalid_object', JSON.stringify(records))
    })

    test('[R8] text that no record can hold is refused, and any other comes back as it was', async () => {
      const odd = [
        '\u0000',
        'a\u0000b',
        '\ud800',
        '"\u0007"',
        '\u007f',
        '☃',
        'é',
        '\\',
        '"',
        '\n',
        "'; drop table zones; --",
        '%',
        '😀',
      ]
      for (const [i, text] of odd.entries()) {
        for (const type of ['TXT', 'CNAME', 'A', 'CAA', 'TYPE65280']) {
          const { status, body } = await at(zone, `odd${i}.${type.toLowerCase()}.data.example.`, type, [text])
          ok(status === 202 || body.type === 'invalid_object', `${type} ${JSON.stringify(text)}: ${body.message}`)
          if (status === 202) deepEqual((await api.get<ShownSet>(`${sets}/${body.id}`)).body.records, [text])
        }
      }
      await mustAgree(api.db, zone)
    })

    test('[R9] records that mean the same count once, as they were written first', async () => {
      const { body } = await at(zone, 'twice.data.example.', 'AAAA', ['2001:DB8::1', '2001:db8:0::1', '2001:db8::2'])
      deepEqual(body.records, ['2001:DB8::1', '2001:db8::2'])
      const mx = await at(zone, 'twice.data.example.', 'MX', ['10 Mail.data.example.', '10 mail.DATA.example.'])
      deepEqual(mx.body.records, ['10 Mail.data.example.'])
      const other = await api.put(`${sets}/${mx.body.id}`, { records: ['10 MAIL.data.example.'] })
      deepEqual([other.status, other.body.records], [202, ['10 MAIL.data.example.']])
      await mustAgree(api.db, zone)
    })

    test('[R10] a type is known, written in capitals and by its name, and enabled', async () => {
      for (const type of [
        'BOGUS',
        'a',
        'ANY',
        'AXFR',
        'TYPE1',
        'TYPE65536',
        'TYPE',
        '',
        5,
        null,
        ...never.slice(0, -1),
      ]) {
        const { status, body } = await at(zone, 'typed.data.example.', type as string, [])
        deepEqual([status, body.type], [400, 'invalid_object'], String(type))
      }
      const { body } = await at(zone, 'typed.data.example.', 'BOGUS')
      deepEqual(
        body.errors?.errors.map(({ path, message }) => [path, message]),
        [[['recordset', 'type'], "'BOGUS' is not a valid record type"]],
      )
      equal((await at(zone, 'typed.data.example.', 'TYPE65281', ['\\# 2 abcd'])).status, 202)
      const few = await startZonesApi(newStore, { recordTypes: new Set(['A', 'TXT']) })
      try {
        const own = await few.newZone('few.example.')
        await few.newSet(own, 'a.few.example.', 'A', ['192.0.2.1'])
        const sent = { name: 'a.few.example.', type: 'MX', records: ['10 a.few.example.'] }
        const [, type, message] = await few.refused('POST', `/v2/zones/${own.id}/recordsets`, sent)
        deepEqual([type, message], ['invalid_object', "recordset.type: 'MX' is not a supported record type"])
      } finally {
        await few.close()
      }
    })

    test('[R11] a name is full and inside the zone, its first label perhaps a star; up to 255 octets', async () => {
      for (const [name, answer] of [
        ['data.example.', 'placed'],
        ['*.data.example.', 'placed'],
        ['_x.A-b.data.example.', 'placed'],
        ['0/25.data.example.', 'placed'],
        ['/x.data.example.', 'placed'],
        ['a\\.b.data.example.', 'placed'],
        ['a\\032b.data.example.', 'placed'],
        ['*.UPPER.Data.EXAMPLE.', 'placed'],
        ['', 'invalid_object'],
        ['@', 'invalid_object'],
        ['www', 'invalid_object'],
        ['www.data.example', 'invalid_object'],
        ['a b.data.example.', 'invalid_object'],
        ['a..data.example.', 'invalid_object'],
        ['a.*.data.example.', 'invalid_object'],
        ['a*.data.example.', 'invalid_object'],
        ['-a.data.example.', 'invalid_object'],
        ['a\\', 'invalid_object'],
        ['a\\.', 'invalid_object'],
        ['a\\300.data.example.', 'invalid_object'],
        [`${'a'.repeat(64)}.data.example.`, 'invalid_object'],
        ['other.example.', 'invalid_recordset_location'],
        ['example.', 'invalid_recordset_location'],
        ['xdata.example.', 'invalid_recordset_location'],
        ['a\\.data.example.', 'invalid_recordset_location'],
      ] as const)
        equal(await placed(zone, name, 'TXT'), answer, name)
      for (const [name, meant] of [
        ['www', "'www.example.org.'"],
        ['*.data.example', "'*.data.example.'"],
      ] as const) {
        const body = { name, type: 'TXT', records: ['x'] }
        const [, , message] = await api.refused('POST', `/v2/zones/${zone.id}/recordsets`, body)
        ok(message.includes(meant), message)
      }
      const longest = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(254 - 3 * 64 - 'data.example.'.length - 1)}.data.example.`
      equal(longest.length, 254)
      equal(await placed(zone, longest, 'TXT'), 'placed')
      equal(await placed(zone, `x${longest}`, 'TXT'), 'invalid_object')
      const escaped = `${'\\001'.repeat(63)}.data.example.`
      equal(await placed(zone, escaped, 'TXT'), 'placed')
    })

    test('[R12] a CNAME stands alone at its name and has one record; nothing stands below a DNAME', async () => {
      const own = await api.newZone('alias.example.')
      const name = (label: string) => `${label}.alias.example.`
      equal(await placed(own, 'alias.example.', 'CNAME', ['a.example.']), 'invalid_recordset_location')
      equal(await placed(own, name('c'), 'CNAME', ['a.example.', 'b.example.']), 'bad_request')
      equal(await placed(own, name('c'), 'CNAME', ['a.example.']), 'placed')
      equal(await placed(own, name('C'), 'A'), 'invalid_recordset_location')
      equal(await placed(own, name('a'), 'A'), 'placed')
      equal(await placed(own, name('a'), 'CNAME', ['a.example.']), 'invalid_recordset_location')
      const { body } = await api.list(`/v2/zones/${own.id}/recordsets?type=CNAME`)
      const two = await api.refused('PUT', `/v2/zones/${own.id}/recordsets/${body.recordsets![0]!.id}`, {
        records: ['a.example.', 'b.example.'],
      })
      deepEqual(two.slice(0, 2), [400, 'bad_request'])
      equal(await placed(own, name('d'), 'DNAME', ['a.example.', 'b.example.']), 'bad_request')
      equal(await placed(own, name('below.d'), 'A'), 'placed')
      equal(await placed(own, name('d'), 'DNAME', ['a.example.']), 'invalid_recordset_location', 'it would hide that')
      equal(await placed(own, name('e'), 'DNAME', ['a.example.']), 'placed')
      equal(await placed(own, name('e'), 'A'), 'placed')
      equal(await placed(own, name('x.e'), 'A'), 'invalid_recordset_location')
      equal(await placed(own, name('y.x.e'), 'TXT'), 'invalid_recordset_location')
      const top = await api.newZone('moved.example.')
      equal(await placed(top, 'moved.example.', 'DNAME', ['new.example.']), 'placed')
      equal(await placed(top, 'www.moved.example.', 'A'), 'invalid_recordset_location')
      equal(await placed(top, 'moved.example.', 'MX', ['10 mail.new.example.']), 'placed')
    })

    test('[R13] at a delegation there are NS, DS and glue, and below it glue alone', async () => {
      const own = await api.newZone('cut.example.')
      const name = (label: string) => `${label}.cut.example.`
      equal(await placed(own, name('ns.sub'), 'A'), 'placed')
      equal(await placed(own, name('www.hidden'), 'TXT'), 'placed')
      equal(await placed(own, name('mixed'), 'TXT'), 'placed')
      equal(await placed(own, name('hidden'), 'NS', ['ns.example.']), 'invalid_recordset_location')
      equal(await placed(own, name('mixed'), 'NS', ['ns.example.']), 'invalid_recordset_location')
      equal(await placed(own, name('sub'), 'NS', ['ns.sub.cut.example.']), 'placed')
      const ds = ['1 8 2 0000000000000000000000000000000000000000000000000000000000000000']
      for (const [label, type, answer] of [
        ['sub', 'DS', 'placed'],
        ['sub', 'A', 'placed'],
        ['sub', 'TXT', 'invalid_recordset_location'],
        ['ns.sub', 'AAAA', 'placed'],
        ['ns.sub', 'TXT', 'invalid_recordset_location'],
        ['a.b.sub', 'NS', 'invalid_recordset_location'],
        ['*.sub', 'TXT', 'invalid_recordset_location'],
      ] as const)
        equal(await placed(own, name(label), type, type === 'DS' ? ds : []), answer, `${label} ${type}`)
      equal(await placed(own, 'cut.example.', 'DS', ds), 'invalid_recordset_location')
    })

    test('[R13] a parent holds the delegation of a child that is hosted here, and nothing that is the child’s', async () => {
      const parent = await api.newZone('up.example.')
      const child = await api.newZone('child.up.example.')
      const ds = ['1 8 2 0000000000000000000000000000000000000000000000000000000000000000']
      for (const [name, type, answer] of [
        ['child.up.example.', 'A', 'invalid_recordset_location'],
        ['www.child.up.example.', 'A', 'invalid_recordset_location'],
        ['ns.child.up.example.', 'A', 'invalid_recordset_location'],
        ['child.up.example.', 'NS', 'placed'],
        ['child.up.example.', 'DS', 'placed'],
        ['ns.child.up.example.', 'A', 'placed'],
        ['ns.child.up.example.', 'TXT', 'invalid_recordset_location'],
        ['xchild.up.example.', 'TXT', 'placed'],
      ] as const)
        equal(await placed(parent, name, type, type === 'DS' ? ds : []), answer, `${name} ${type}`)
      equal(await placed(child, 'child.up.example.', 'TXT'), 'placed')
      equal(await placed(child, 'www.child.up.example.', 'A'), 'placed')
    })

    test('[R14] a zone has one set of a name and type, whatever the case, however many ask at once', async () => {
      await api.newSet(zone, 'one.data.example.', 'A', ['192.0.2.1'])
      for (const name of ['one.data.example.', 'ONE.Data.example.', '\\111ne.data.example.'])
        deepEqual((await api.refused('POST', sets, { name, type: 'A', records: ['192.0.2.2'] })).slice(0, 3), [
          409,
          'duplicate_recordset',
          'Duplicate RecordSet',
        ])
      const racers = Array.from({ length: 8 }, () => at(zone, 'race.data.example.', 'A', ['192.0.2.1']))
      const answers = await Promise.all(racers)
      deepEqual(answers.map(({ status }) => status).toSorted(), [202, 409, 409, 409, 409, 409, 409, 409])
    })

    test('[R30] some types want names of their own form', async () => {
      for (const [name, type, records, answer] of [
        ['*.data.example.', 'NS', ['ns.example.'], 'invalid_object'],
        ['*.x.data.example.', 'DNAME', ['a.example.'], 'invalid_object'],
        ['srv.data.example.', 'SRV', ['0 0 1 a.example.'], 'invalid_object'],
        ['_sip.data.example.', 'SRV', ['0 0 1 a.example.'], 'invalid_object'],
        ['_sip._udp.data.example.', 'SRV', ['0 0 1 a.example.'], 'placed'],
        ['www.data.example.', 'TLSA', [`3 1 1 ${'00'.repeat(32)}`], 'bad_request'],
        ['_65536._tcp.data.example.', 'TLSA', [`3 1 1 ${'00'.repeat(32)}`], 'bad_request'],
        ['_443._tcp.www.data.example.', 'TLSA', [`3 1 1 ${'00'.repeat(32)}`], 'placed'],
      ] as const)
        equal(await placed(zone, name, type, records), answer, `${name} ${type}`)
    })
  })
}
