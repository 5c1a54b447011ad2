import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ask, from, query, serverOf, testKey } from '../../test/support/nameserver.ts'
import { decodeMessage } from '../dns/message.ts'
import { signRequest } from '../dns/tsig.ts'
import { handle } from './handle.ts'
import { DROP, PASS, RateLimiter, type RateSettings, SLIP, truncateReply } from './rate-limit.ts'

const rates: RateSettings = {
  perSecond: 5,
  allPerSecond: 0,
  window: 3,
  slip: 2,
  ipv4Prefix: 24,
  ipv6Prefix: 56,
  exempt: [{ address: Uint8Array.of(127, 0, 0, 0), prefix: 8 }],
}
const start = from().now.getTime()
const at = (ms: number, address = [192, 0, 2, 1]) => from('udp', address, new Date(start + ms))

/** How many of `count` requests are answered with data, cut, and not at all. */
function flood(server: ReturnType<typeof serverOf>, bytes: (i: number) => Uint8Array, count: number, arrival = at(0)) {
  const seen = { whole: 0, cut: 0, none: 0 }
  for (let i = 0; i < count; i++) {
    const reply = handle(bytes(i), arrival, server)
    if (!(reply instanceof Uint8Array)) seen.none++
    else if (decodeMessage(reply).flags.tc) seen.cut++
    else seen.whole++
  }
  return seen
}

const www = () => query('www.example.', 'A')
const limitedServer = (given: Partial<RateSettings> = {}) =>
  serverOf({ limiter: new RateLimiter({ ...rates, ...given }) })

test('[S40] a network gets so many replies a second about one name, and more as time goes on', () => {
  const server = limitedServer()
  deepEqual(flood(server, www, 9), { whole: 5, cut: 2, none: 2 })
  equal(flood(server, www, 1, at(500)).whole, 0)
  equal(flood(server, www, 9, at(2000)).whole, 5)
})

test('[S40] a long flood is held against a network for the window, not for longer', () => {
  const server = limitedServer()
  flood(server, www, 10_000)
  equal(flood(server, www, 1, at(2900)).whole, 0)
  equal(flood(server, www, 1, at(3400)).whole, 1)
})

test('[S40] clients count by /24 and /56, and apart from other networks', () => {
  const server = limitedServer()
  equal(flood(server, www, 9, at(0, [192, 0, 2, 1])).whole, 5)
  equal(flood(server, www, 9, at(0, [192, 0, 2, 250])).whole, 0)
  equal(flood(server, www, 9, at(0, [192, 0, 3, 1])).whole, 5)
  const v6 = (...tail: number[]) => [0x20, 1, 0xd, 0xb8, 0, 0, 0, ...tail, ...new Array(9 - tail.length).fill(7)]
  equal(flood(server, www, 9, at(0, v6(1))).whole, 5)
  equal(flood(server, www, 9, at(0, v6(2, 3))).whole, 0)
})

test('[S40] answers count by name and type whatever the letter case, denials by zone, referrals by cut, errors all together', () => {
  const server = limitedServer()
  flood(server, www, 9)
  equal(flood(server, () => query('WWW.example.', 'A'), 3).whole, 0)
  equal(flood(server, () => query('www.example.', 'AAAA'), 3).whole, 3)
  equal(flood(server, (i) => query(`n${i}.example.`, 'A'), 9).whole, 5)
  equal(flood(server, (i) => query(`n${i}.other.`, 'A'), 9).whole, 5)
  equal(flood(server, (i) => query(`n${i}.sub.example.`, 'A'), 9).whole, 5)
  equal(flood(server, (i) => query('www.example.', ['MX', 'TXT', 'SRV'][i % 3]!), 9).whole, 5)
  equal(flood(server, (i) => query(`n${i}.elsewhere.`, 'A'), 9).whole, 5)
})

test('[S40] all replies of a network together have a limit of their own', () => {
  const server = limitedServer({ allPerSecond: 20 })
  equal(flood(server, (i) => query(`n${i}.wild.example.`, 'TXT'), 50).whole, 20)
})

test('[S41] every so many held-back replies goes out cut, with OPT and TC, to show the way to TCP', () => {
  const server = limitedServer()
  flood(server, www, 5)
  equal(handle(www(), at(0), server), undefined)
  const cut = ask(query('www.example.', 'A', { edns: { dnssecOk: true } }), server, at(0))
  deepEqual(
    [cut.flags.tc, cut.flags.aa, cut.question.length, cut.answer, cut.edns?.dnssecOk],
    [true, true, 1, [], true],
  )
  deepEqual(flood(limitedServer({ slip: 0 }), www, 9), { whole: 5, cut: 0, none: 4 })
  deepEqual(flood(limitedServer({ slip: 1 }), www, 9), { whole: 5, cut: 4, none: 0 })
})

test('[S42] exempt networks, TCP and signed requests are never limited', () => {
  const server = limitedServer()
  equal(flood(server, www, 20, at(0, [127, 9, 9, 9])).whole, 20)
  flood(server, www, 20)
  equal(flood(server, www, 20, { ...at(0), transport: 'tcp' }).whole, 20)
  const signed = signRequest(www(), testKey, at(0).now).bytes
  equal(flood(server, () => signed, 20).whole, 20)
})

test('[S42] replies that are cut already are not limited: they are no larger than their requests', () => {
  deepEqual(
    flood(limitedServer(), () => query('large.example.', 'A'), 20),
    { whole: 0, cut: 20, none: 0 },
  )
})

test('[S43] limits take a fixed amount of memory, which threads can share', () => {
  const limiter = new RateLimiter(rates)
  const other = new RateLimiter(rates, limiter.memory)
  const reply = handle(www(), at(0), serverOf()) as Uint8Array
  const check = (of: RateLimiter, network: number) =>
    of.check(Uint8Array.of(10, network >> 8, network, 1), 0, 4, reply, 0, reply.length, start)
  for (let i = 0; i < 5; i++) equal(check(i % 2 ? limiter : other, 0), PASS)
  deepEqual([check(limiter, 0), check(other, 0)], [DROP, SLIP])
  const { byteLength } = limiter.memory
  let passed = 0
  for (let i = 0; i < 200_000; i++) if (check(limiter, i & 0xffff) === PASS) passed++
  ok(passed > 150_000, `${passed} of 200,000 first requests of many networks pass`)
  equal(limiter.memory.byteLength, byteLength)
})

test('[S40] a clock that has wrapped around does not hold anybody back', () => {
  const limiter = new RateLimiter(rates)
  const reply = handle(www(), at(0), serverOf()) as Uint8Array
  const client = Uint8Array.of(192, 0, 2, 1)
  const check = (ms: number) => limiter.check(client, 0, 4, reply, 0, reply.length, ms)
  const edge = 2 ** 31 * 900
  for (let i = 0; i < 100; i++) check(edge - 10)
  equal(check(edge + 10_000), PASS)
  for (let i = 0; i < 100; i++) check(edge)
  equal(check(edge + 2 ** 31 + 86_400_000), PASS)
})

test('[S41] cutting keeps what stands before the records, wherever in the buffer the reply is', () => {
  const reply = handle(query('www.example.', 'A', { edns: {} }), at(0), serverOf()) as Uint8Array
  const buffer = new Uint8Array(4096)
  buffer.set(reply, 1000)
  const end = truncateReply(buffer, 1000, 1000 + reply.length)
  const cut = decodeMessage(buffer.slice(1000, end))
  deepEqual([cut.question[0]?.name, cut.answer, cut.edns?.udpSize, cut.flags.tc], ['www.example.', [], 1232, true])
})
