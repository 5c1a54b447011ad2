import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../src/db/sql.ts'
import { decodeMessage } from '../src/dns/message.ts'
import { signRequest, type TsigAlgorithm, type TsigKey } from '../src/dns/tsig.ts'
import { compare } from '../src/zonedata/compare.ts'
import { zoneFromRecords } from '../src/zonedata/zone.ts'
import { askUdp, TcpClient } from './support/dns-transports.ts'
import { optionOf, query } from './support/nameserver.ts'
import { dig, digUntil, type Served, startServed, takeTransfer, until } from './support/served.ts'
import { linesOf } from './support/zones.ts'
import type { ShownZone } from './support/zones-api.ts'

const [SERVFAIL, REFUSED, NOTAUTH] = [2, 5, 9]
const [BADSIG, BADKEY] = [16, 17]

describe('transfers', () => {
  let served: Served
  let poolId: string
  before(async () => {
    served = await startServed()
    poolId = (await served.api.newZone('first.example.')).pool_id as string
  })
  after(() => served.close())

  const allow = (body: object) => served.api.patch(`/v2/pools/${poolId}/transfers`, body)
  /** Who may transfer is told to the keeper by a wake; asked until it is as expected. */
  const rcodeBecomes = async (rcode: number, name: string, key?: TsigKey) => {
    let last: number | undefined
    await until(async () => {
      last = (await takeTransfer(served.port(), name, key && { key })).rcode
      return last === rcode
    })
    return last
  }
  const newKey = async (
    name: string,
    scope: 'POOL' | 'ZONE',
    resource_id: string,
    algorithm: TsigAlgorithm = 'hmac-sha256',
  ) => {
    const secret = Buffer.from(`secret of ${name}`).toString('base64')
    const { status } = await served.api.post('/v2/tsigkeys', { name, algorithm, secret, scope, resource_id })
    equal(status, 201)
    return { name: `${name}.`, algorithm, secret: Buffer.from(secret, 'base64') }
  }
  const settled = async (zone: { id: string }) => {
    ok(await until(async () => (await served.api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.status === 'ACTIVE'))
    return (await served.api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.serial
  }

  test('[S80] a name that is no zone here is NOTAUTH, also one within a zone', async () => {
    await allow({ addresses: ['127.0.0.0/8'] })
    await settled((await served.api.list('/v2/zones')).body.zones![0]!)
    for (const name of ['nowhere.example.', 'sub.first.example.', '.']) {
      equal((await takeTransfer(served.port(), name)).rcode, NOTAUTH, name)
      equal((await takeTransfer(served.port(), name, { since: 1 })).rcode, NOTAUTH, name)
    }
  })

  test('[S80] a zone that is not ready or failed is SERVFAIL with the reason', async () => {
    const { api, port } = served
    const zone = await api.newZone('failing.example.')
    await settled(zone)
    await rcodeBecomes(0, 'failing.example.')
    await api.db.write(async (tx) => {
      await tx.run(sql`update recordsets set records = '["x"]' where zone_id = ${zone.id} and type = 'NS'`)
      await tx.run(sql`update zones set serial = serial + 1 where id = ${zone.id}`)
      tx.wake(zone.id)
    })
    await digUntil(port(), ['failing.example.', 'NS'], ({ rcode }) => rcode === SERVFAIL)
    const { rcode, messages } = await takeTransfer(port(), 'failing.example.', { edns: {} })
    equal(rcode, SERVFAIL)
    match(optionOf(messages[0]!, 'extended-error')?.text ?? '', /NS cannot be served/)
    await api.delete(`/v2/zones/${zone.id}`)
  })

  test('[S81] transfers are closed but to the addresses of the pool, and to none where a key is required', async () => {
    await allow({ addresses: [], require_key: false })
    equal(await rcodeBecomes(REFUSED, 'first.example.'), REFUSED)
    const { messages } = await takeTransfer(served.port(), 'first.example.', { edns: {} })
    equal(optionOf(messages[0]!, 'extended-error')?.code, 18)
    for (const addresses of [['192.0.2.1'], ['::1'], ['10.0.0.0/8', '127.0.0.2']]) {
      await allow({ addresses })
      equal(await rcodeBecomes(REFUSED, 'first.example.'), REFUSED)
    }
    await allow({ addresses: ['127.0.0.1'] })
    equal(await rcodeBecomes(0, 'first.example.'), 0)
    await allow({ require_key: true })
    equal(await rcodeBecomes(REFUSED, 'first.example.'), REFUSED)
    await allow({ require_key: false, addresses: ['127.0.0.0/8'] })
    equal(await rcodeBecomes(0, 'first.example.'), 0)
  })

  test('[S81] addresses and the switch are checked, all faults at once', async () => {
    const [status, type] = await served.api.refused('PATCH', `/v2/pools/${poolId}/transfers`, {
      addresses: ['1.2.3', '::1/129', 'ns.example.', '10.0.0.0/8'],
      require_key: 'yes',
    })
    deepEqual([status, type], [400, 'invalid_object'])
    equal((await served.api.get('/v2/pools/00000000-0000-7000-8000-00000000dead/transfers')).status, 404)
    const { body } = await served.api.get<{ addresses: string[] }>(`/v2/pools/${poolId}/transfers`)
    deepEqual(body.addresses, ['127.0.0.0/8'])
  })

  test('[S82] a key lets its holder take the zones it is bound to and no others, from anywhere', async () => {
    const { api } = served
    const [one, two] = [await api.newZone('one.example.'), await api.newZone('two.example.')]
    await settled(one)
    await settled(two)
    const ofPool = await newKey('pool-key', 'POOL', poolId)
    const ofZone = await newKey('zone-key', 'ZONE', one.id)
    await allow({ require_key: true })
    equal(await rcodeBecomes(0, 'one.example.', ofPool), 0)
    equal(await rcodeBecomes(0, 'two.example.', ofPool), 0)
    equal(await rcodeBecomes(0, 'one.example.', ofZone), 0)
    await allow({ require_key: false })
    equal(await rcodeBecomes(0, 'two.example.'), 0)
    // Listed addresses may, yet a key speaks for itself alone.
    equal((await takeTransfer(served.port(), 'two.example.', { key: ofZone })).rcode, REFUSED)
  })

  test('[S83] every message is signed as the request was, with every algorithm; a key that is wrong or gone is NOTAUTH', async () => {
    const { api, port } = served
    const zone = await api.newZone('signed.example.')
    for (let i = 0; i < 3; i++)
      await api.newSet(
        zone,
        `t${i}.signed.example.`,
        'TXT',
        Array.from({ length: 100 }, (_, k) => `"${'x'.repeat(200)}${k}"`),
      )
    const serial = await settled(zone)
    for (const algorithm of [
      'hmac-md5',
      'hmac-sha1',
      'hmac-sha224',
      'hmac-sha256',
      'hmac-sha384',
      'hmac-sha512',
    ] as const) {
      const key = await newKey(`key-${algorithm}`, 'ZONE', zone.id, algorithm)
      equal(await rcodeBecomes(0, 'signed.example.', key), 0)
      const whole = await takeTransfer(port(), 'signed.example.', { key })
      ok(whole.messages.length >= 4)
      deepEqual([whole.verified, whole.records.length], [true, 303])
      const changes = await takeTransfer(port(), 'signed.example.', { key, since: serial - 2 })
      equal(changes.verified, true)
    }
    const good = await newKey('goes', 'ZONE', zone.id)
    equal(await rcodeBecomes(0, 'signed.example.', good), 0)
    const failure = async (key: TsigKey) => {
      const client = await TcpClient.open({ host: '127.0.0.1', port: port() })
      client.send(signRequest(query('signed.example.', 'AXFR'), key, new Date()).bytes)
      const reply = decodeMessage((await client.next())!)
      client.socket.destroy()
      return [reply.rcode, reply.tsig?.error, reply.answer.length]
    }
    deepEqual(await failure({ ...good, secret: Buffer.from('another') }), [NOTAUTH, BADSIG, 0])
    deepEqual(await failure({ ...good, name: 'nobody.' }), [NOTAUTH, BADKEY, 0])
    const { body } = await api.list('/v2/tsigkeys?name=goes')
    await api.delete(`/v2/tsigkeys/${body.tsigkeys![0]!.id}`)
    ok(await until(async () => (await failure(good))[1] === BADKEY))
  })

  test('[S84] a request with OPT gets one in the first message', async () => {
    const { messages } = await takeTransfer(served.port(), 'signed.example.', { edns: { udpSize: 1400 } })
    deepEqual(
      messages.map(({ edns }) => edns !== undefined),
      messages.map((_, i) => i === 0),
    )
    const plain = await takeTransfer(served.port(), 'signed.example.')
    ok(plain.messages.every(({ edns }) => edns === undefined))
    ok(plain.messages.every(({ flags, question }, i) => flags.qr && flags.aa && question.length === (i === 0 ? 1 : 0)))
  })

  test('[S85] who has the newest serial, or a newer one, gets the SOA alone', async () => {
    const zone = await served.api.newZone('current.example.')
    const serial = await settled(zone)
    for (const since of [serial, serial + 5]) {
      const { lines } = await takeTransfer(served.port(), 'current.example.', { since })
      equal(lines.length, 1)
      match(lines[0]!, new RegExp(` SOA .* ${serial} `))
    }
  })

  test('[S86] changes are sent as one step, from any serial the journal has to the newest', async () => {
    const { api, port } = served
    const zone = await api.newZone('steps.example.')
    const states = new Map<number, ReturnType<typeof zoneFromRecords>>()
    const keep = async () => {
      await settled(zone)
      const { records } = await takeTransfer(port(), 'steps.example.')
      const state = zoneFromRecords('steps.example.', records.slice(0, -1))
      states.set((await api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.serial, state)
    }
    // Enough that the changes are shorter than the zone.
    await api.newSet(
      zone,
      'many.steps.example.',
      'A',
      Array.from({ length: 60 }, (_, i) => `203.0.113.${i}`),
    )
    await keep()
    const set = await api.newSet(zone, 'a.steps.example.', 'A', ['192.0.2.1'])
    await keep()
    await api.put(`/v2/zones/${zone.id}/recordsets/${set.id}`, { records: ['192.0.2.1', '192.0.2.2'] })
    await keep()
    await api.patch(`/v2/zones/${zone.id}/recordsets/${set.id}`, { ttl: 5 })
    await keep()
    await api.delete(`/v2/zones/${zone.id}/recordsets/${set.id}`)
    await api.newSet(zone, 'b.steps.example.', 'TXT', ['"b"'])
    await keep()
    const newest = [...states].at(-1)!
    for (const [since, state] of [...states].slice(0, -1)) {
      const { records } = await takeTransfer(port(), 'steps.example.', { since })
      const soas = records.flatMap(({ type }, i) => (type === 6 ? [i] : []))
      equal(soas.length, 4, 'newest, old, new, newest')
      const removed = records.slice(1, soas[2])
      const added = records.slice(soas[2], -1)
      const difference = compare(state, newest[1])
      deepEqual(linesOf(removed).toSorted(), linesOf(difference.removed).toSorted(), `from ${since}`)
      deepEqual(linesOf(added).toSorted(), linesOf(difference.added).toSorted(), `from ${since}`)
    }
  })

  test('[S86] the whole zone is sent where the journal does not reach back, or where that is shorter', async () => {
    const { api, port } = served
    const zone = await api.newZone('whole.example.')
    const serial = await settled(zone)
    const set = await api.newSet(
      zone,
      'a.whole.example.',
      'A',
      Array.from({ length: 40 }, (_, i) => `192.0.2.${i}`),
    )
    await api.put(`/v2/zones/${zone.id}/recordsets/${set.id}`, { records: ['198.51.100.1'] })
    const newest = await settled(zone)
    const whole = (await takeTransfer(port(), 'whole.example.')).lines
    // From nothing to one record in the end: condensed, three lines and three SOAs are more than the zone has.
    deepEqual((await takeTransfer(port(), 'whole.example.', { since: serial })).lines, whole)
    for (let i = 0; i < 10; i++) await api.newSet(zone, `n${i}.whole.example.`, 'A', ['192.0.2.1'])
    const last = await settled(zone)
    equal((await takeTransfer(port(), 'whole.example.', { since: last - 1 })).lines.length, 5)
    const grown = (await takeTransfer(port(), 'whole.example.')).lines
    deepEqual((await takeTransfer(port(), 'whole.example.', { since: 12 })).lines, grown, 'of a serial it never had')
    await api.db.write((tx) => tx.run(sql`delete from changes where zone_id = ${zone.id} and serial <= ${newest + 1}`))
    deepEqual((await takeTransfer(port(), 'whole.example.', { since: newest })).lines, grown, 'pruned')
  })

  test('[S87] over UDP changes are sent where they fit into the answer, else the SOA alone', async () => {
    const { api, port } = served
    const zone = await api.newZone('udp.example.')
    await api.newSet(
      zone,
      'many.udp.example.',
      'A',
      Array.from({ length: 150 }, (_, i) => `203.0.113.${i}`),
    )
    const before = await settled(zone)
    await api.newSet(zone, 'a.udp.example.', 'A', ['192.0.2.1'])
    const serial = await settled(zone)
    const ask = async (since: number) => {
      const { records } = await takeTransfer(port(), 'udp.example.', { since })
      const [soa] = records
      const authority = [{ ...soa!, rdata: withSerial(soa!.rdata, since) }]
      return decodeMessage(
        (await askUdp({ host: '127.0.0.1', port: port() }, query('udp.example.', 'IXFR', { authority })))!,
      )
    }
    deepEqual(
      linesOf((await ask(before)).answer),
      (await takeTransfer(port(), 'udp.example.', { since: before })).lines,
    )
    equal((await ask(before)).answer.length, 5)
    for (const since of [1, serial]) {
      const { answer, flags } = await ask(since)
      deepEqual([answer.length, answer[0]?.type, flags.tc, flags.aa], [1, 6, false, true])
    }
  })

  test('[S88] a transfer is one state of the zone, whatever changes while it is under way', async () => {
    const { api, port } = served
    const zone = await api.newZone('long.example.')
    const sets = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        api.newSet(
          zone,
          `t${i}.long.example.`,
          'TXT',
          Array.from({ length: 40 }, (_, k) => `"${'x'.repeat(250)}${k}"`),
        ),
      ),
    )
    await settled(zone)
    const before = (await takeTransfer(port(), 'long.example.')).lines
    const during = await takeTransfer(port(), 'long.example.', {
      onMessage: async (count) => {
        if (count > 12) return
        await api.delete(`/v2/zones/${zone.id}/recordsets/${sets[59 - count]!.id}`)
        await api.newSet(zone, `new${count}.long.example.`, 'A', ['192.0.2.1'])
        await settled(zone)
      },
    })
    deepEqual(during.lines, before)
    equal((await dig(port(), 'new3.long.example.', 'A')).rcode, 0)
    const { lines } = await takeTransfer(port(), 'long.example.')
    equal(lines.filter((line) => line.startsWith('new')).length, 12)
    equal(lines.length, before.length - 12 * 40 + 12)
  })

  test('[S88] a secondary that takes nothing holds up nobody, and is cut off', async () => {
    const { api, port } = served
    await served.restart({ tcp: { connections: 50, connectionsPerClient: 50, idle: 10, stalled: 1 } })
    const zone = (await api.list('/v2/zones?name=long.example.')).body.zones![0]!
    await digUntil(port(), ['long.example.', 'SOA'], ({ rcode }) => rcode === 0)
    const slow = await TcpClient.open({ host: '127.0.0.1', port: port() })
    slow.socket.pause()
    slow.socket.on('data', () => {})
    slow.socket.pause()
    for (let i = 0; i < 20; i++) slow.send(query('long.example.', 'AXFR'))
    await sleep(100)
    await api.newSet(zone, 'meanwhile.long.example.', 'A', ['192.0.2.1'])
    equal((await digUntil(port(), ['meanwhile.long.example.', 'A'], ({ rcode }) => rcode === 0)).rcode, 0)
    equal((await takeTransfer(port(), 'long.example.')).rcode, 0)
    ok(await until(() => served.dns().stats().tcpConnections === 0, 8000), 'it is still connected')
    slow.socket.destroy()
  })
})

function withSerial(rdata: Uint8Array, serial: number): Uint8Array {
  const copy = new Uint8Array(rdata)
  new DataView(copy.buffer).setUint32(copy.length - 20, serial)
  return copy
}
