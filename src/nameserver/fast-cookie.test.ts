import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { from, optionOf, query, serverOf, testSettings, testZones } from '../../test/support/nameserver.ts'
import { RCODE } from '../dns/codes.ts'
import type { EdnsOption } from '../dns/edns.ts'
import { decodeMessage } from '../dns/message.ts'
import { records } from '../zonedata/zone.ts'
import { ArenaReader } from './arena/reader.ts'
import { ArenaWriter } from './arena/writer.ts'
import { cookieOnly, FastCookies, refuseCookie } from './fast-cookie.ts'
import { handle } from './handle.ts'

const writer = new ArenaWriter()
for (const zone of testZones) writer.putZone({ id: zone.origin, name: zone.origin, serial: 1 }, records(zone))
const fast = new FastCookies(new ArenaReader(writer.handles), testSettings.cookieSecrets)
const { client, now } = from()
const given = { address: client.address, now: now.getTime() }
const first: EdnsOption = { option: 'cookie', client: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) }

function answer(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = new Uint8Array(5000)
  const copy = new Uint8Array(8000)
  copy.set(bytes, 100)
  const written = fast.answer(copy, 100, bytes.length, given, buffer, 200, testSettings.udpSize)
  deepEqual(copy.slice(100, 100 + bytes.length), new Uint8Array(bytes))
  return written > 0 ? buffer.slice(200, 200 + written) : undefined
}

test('[S20] queries with a cookie are answered quickly with the same octets', () => {
  const good = optionOf(
    decodeMessage(handle(query('www.example.', 'A', { edns: { options: [first] } }), from(), serverOf()) as Uint8Array),
    'cookie',
  )!
  let quick = 0
  for (const option of [first, good])
    for (const udpSize of [0, 512, 600, 1232, 4096])
      for (const name of ['www', 'alias', 'across', 'nope', 'a.wild', 'x.sub', 'large', 'www.cut', 'text', 'child'])
        for (const type of ['A', 'TXT', 'DS', 'ANY']) {
          const bytes = query(`${name}.example.`, type, { edns: { udpSize, options: [option] } })
          const reply = answer(bytes)
          if (reply === undefined) continue
          quick++
          equal(fast.isGood, option === good)
          deepEqual(
            reply,
            new Uint8Array(handle(bytes, from(), serverOf()) as Uint8Array),
            `${name} ${type} ${udpSize}`,
          )
        }
  ok(quick > 150, `${quick} of 400`)
})

test('queries with other options, other records, or broken cookies are left to the general path', () => {
  const is = (bytes: Uint8Array) => cookieOnly(bytes, 0, bytes.length) > 0
  const edns = (...options: EdnsOption[]) => query('www.example.', 'A', { edns: { options } })
  ok(is(edns(first)))
  ok(!is(edns()))
  ok(!is(query('www.example.', 'A')))
  ok(!is(edns(first, { option: 'nsid', id: new Uint8Array() })))
  ok(!is(edns({ option: 'nsid', id: new Uint8Array() }, first)))
  for (const length of [0, 7, 9, 15, 41])
    ok(!is(edns({ option: 'unknown', code: 10, data: new Uint8Array(length) })), `${length} octets`)
  const bytes = edns(first)
  for (let length = 0; length < bytes.length; length++) ok(!is(bytes.subarray(0, length)))
  ok(!is(Buffer.concat([bytes, Buffer.of(0)])))
})

test('[S22] the hint that a rate limit sends in place of such a reply is BADCOOKIE, as that of the general path', () => {
  const reply = answer(query('www.example.', 'A', { edns: { options: [first], dnssecOk: true } }))!
  const cut = decodeMessage(reply.slice(0, refuseCookie(reply, 0, reply.length)))
  deepEqual(
    [cut.rcode, cut.flags.tc, cut.flags.aa, cut.answer, cut.edns?.dnssecOk],
    [RCODE.BADCOOKIE, false, false, [], true],
  )
  equal(optionOf(cut, 'cookie')?.server?.length, 16)
})
