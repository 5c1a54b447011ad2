import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blank } from '../../test/support/message-corpus.ts'
import { ask, from, optionOf, query, serverOf, testSettings } from '../../test/support/nameserver.ts'
import { RCODE } from '../dns/codes.ts'
import type { EdnsOption } from '../dns/edns.ts'
import { encodeMessage } from '../dns/message.ts'
import { handle } from './handle.ts'
import { RateLimiter } from './rate-limit.ts'

const www = (options: EdnsOption[], transport: 'udp' | 'tcp' = 'udp', server = serverOf()) =>
  ask(query('www.example.', 'A', { edns: { options } }), server, from(transport))
const opt = (name: number[], version = 0, flags = 0, rdata: number[] = []) => [
  ...name,
  0,
  41,
  0x10,
  0,
  0,
  version,
  flags >> 8,
  flags & 255,
  0,
  rdata.length,
  ...rdata,
]

function withAdditional(count: number, ...records: number[][]): Uint8Array {
  const bytes = Buffer.concat([query('www.example.', 'A'), ...records.map((record) => Buffer.from(record))])
  bytes[11] = count
  return bytes
}

test('[S11] an EDNS version other than 0 is answered BADVERS with ours, and no data', () => {
  for (const version of [1, 2, 255]) {
    const reply = ask(query('www.example.', 'A', { edns: { version, dnssecOk: true } }))
    deepEqual([reply.rcode, reply.edns?.version, reply.answer, reply.flags.aa], [RCODE.BADVERS, 0, [], false])
    equal(ask(withAdditional(1, opt([0], version, 0x8000, [0, 100, 0, 2, 1, 2]))).rcode, RCODE.BADVERS)
  }
})

test('[S12] a request with OPT gets OPT with our size, version 0 and its DO; one without gets none', () => {
  equal(ask(query('www.example.', 'A')).edns, undefined)
  const without = { udpSize: 1232, version: 0, dnssecOk: false, options: [] }
  deepEqual(ask(query('www.example.', 'A', { edns: {} })).edns, without)
  deepEqual(ask(query('www.example.', 'A', { edns: { dnssecOk: true } })).edns, { ...without, dnssecOk: true })
  deepEqual(ask(query('nope.nowhere.', 'A', { edns: {} })).edns?.version, 0)
})

test('[S12] options and flags nobody has defined are ignored and not sent back', () => {
  const reply = www([{ option: 'unknown', code: 100, data: Buffer.from('hello') }])
  deepEqual([reply.rcode, reply.answer.length, reply.edns?.options], [0, 2, []])
  const bytes = handle(withAdditional(1, opt([0], 0, 0x7fff)), from(), serverOf()) as Uint8Array
  deepEqual([...bytes.subarray(-4)], [0, 0, 0, 0])
})

test('[S13] OPT twice, below a name, outside the additional section, or broken is FORMERR', () => {
  equal(ask(withAdditional(2, opt([0]), opt([0]))).rcode, RCODE.FORMERR)
  equal(ask(withAdditional(1, opt([1, 97, 0]))).rcode, RCODE.FORMERR)
  equal(ask(withAdditional(1, opt([0], 0, 0, [0, 100, 0, 9, 1]))).rcode, RCODE.FORMERR)
  const misplaced = withAdditional(0, opt([0]))
  misplaced[7] = 1
  equal(ask(misplaced).rcode, RCODE.FORMERR)
  equal(ask(withAdditional(1, opt([0], 0, 0, [0, 10, 0, 3, 1, 2, 3]))).rcode, RCODE.FORMERR)
})

test('[S14] over UDP a reply has at most what the client takes, what we send, and 512 octets without EDNS', () => {
  const size = (udpSize?: number, server = serverOf()) =>
    (
      handle(
        query('text.example.', 'TXT', udpSize === undefined ? {} : { edns: { udpSize } }),
        from(),
        server,
      ) as Uint8Array
    ).length
  equal(size() <= 512, true)
  equal(size(0) <= 512, true)
  equal(size(4096) <= 1232, true)
  const generous = serverOf({ settings: { ...testSettings, udpSize: 4096 } })
  ok(size(4096, generous) > 1800)
  ok(size(1500, generous) <= 1500)
  equal(ask(query('text.example.', 'TXT'), serverOf(), from('tcp')).answer.length, 9)
})

test('[S15] RRsets are given whole or not at all, and TC says that one is missing', () => {
  const large = ask(query('large.example.', 'A'))
  deepEqual([large.flags.tc, large.answer.length, large.rcode], [true, 0, 0])
  const whole = ask(query('large.example.', 'A', { edns: { udpSize: 1232 } }))
  deepEqual([whole.flags.tc, whole.answer.length], [false, 40])
})

test('[S15] a referral without room for the glue it needs is cut (RFC 9471)', () => {
  const referral = ask(query('www.cut.example.', 'A', { edns: { udpSize: 1232 } }))
  deepEqual([referral.flags.tc, referral.flags.aa], [true, false])
  equal(ask(query('www.cut.example.', 'A'), serverOf(), from('tcp')).additional.length, 30)
})

test('[S16] NSID is told when asked for, if set', () => {
  const nsid: EdnsOption = { option: 'nsid', id: new Uint8Array() }
  equal(Buffer.from(optionOf(www([nsid]), 'nsid')!.id).toString(), 'ns-one')
  const silent = serverOf({ settings: { ...testSettings, serverId: undefined } })
  equal(optionOf(www([nsid], 'udp', silent), 'nsid'), undefined)
  equal(optionOf(www([]), 'nsid'), undefined)
})

test('[S17] ZONEVERSION tells the serial of the zone that answered and how many labels its name has (RFC 9660)', () => {
  const version = (name: string) =>
    optionOf(ask(query(name, 'A', { edns: { options: [{ option: 'zone-version' }] } })), 'zone-version')?.version
  const of = (labels: number, serial: number) => ({ labels, type: 0, value: Uint8Array.of(0, 0, 0, serial) })
  deepEqual(version('www.example.'), of(1, 7))
  deepEqual(version('nope.child.example.'), of(2, 8))
  deepEqual(version('www.sub.example.'), of(1, 7))
  equal(version('www.elsewhere.test.'), undefined)
  equal(version('www.failed.'), undefined)
})

test('[S18] EXPIRE is told with the SOA when asked for (RFC 7314)', () => {
  const expire = (type: string) =>
    optionOf(ask(query('example.', type, { edns: { options: [{ option: 'expire' }] } })), 'expire')
  deepEqual(expire('SOA'), { option: 'expire', seconds: 86400 })
  equal(expire('NS'), undefined)
})

test('[S19] TCP keepalive is told over TCP only, when asked for', () => {
  deepEqual(optionOf(www([{ option: 'tcp-keepalive' }], 'tcp'), 'tcp-keepalive')?.tenthsOfSecond, 300)
  equal(optionOf(www([{ option: 'tcp-keepalive' }]), 'tcp-keepalive'), undefined)
  equal(optionOf(www([], 'tcp'), 'tcp-keepalive'), undefined)
})

test('[S19] a reply over TCP to a padded request is padded to blocks of 468 octets; over UDP never', () => {
  const padded = (name: string, transport: 'udp' | 'tcp') =>
    handle(
      query(name, 'TXT', { edns: { options: [{ option: 'padding', length: 9 }] } }),
      from(transport),
      serverOf(),
    ) as Uint8Array
  equal(padded('a.wild.example.', 'tcp').length, 468)
  equal(padded('text.example.', 'tcp').length, 468 * 5)
  ok(padded('a.wild.example.', 'udp').length < 100)
})

describe('cookies', () => {
  const client = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

  test('[S20] a client cookie gets a server cookie, which is known again', () => {
    const first = optionOf(www([{ option: 'cookie', client }]), 'cookie')!
    deepEqual([[...first.client], first.server?.length], [[...client], 16])
    const again = www([first])
    deepEqual([again.rcode, optionOf(again, 'cookie')], [0, first])
  })

  test('[S20] a cookie alone may be asked for, without a question (RFC 7873 5.4)', () => {
    const edns = { udpSize: 1232, version: 0, dnssecOk: false, options: [{ option: 'cookie', client }] } as const
    const reply = ask(encodeMessage({ ...blank, edns }))
    deepEqual([reply.rcode, reply.question, optionOf(reply, 'cookie')?.server?.length], [0, [], 16])
  })

  test('[S20] without a secret cookies are ignored', () => {
    const server = serverOf({ settings: { ...testSettings, cookieSecrets: [] } })
    equal(optionOf(www([{ option: 'cookie', client }], 'udp', server), 'cookie'), undefined)
  })

  const rates = { perSecond: 1, allPerSecond: 0, window: 5, slip: 1, ipv4Prefix: 24, ipv6Prefix: 56, exempt: [] }

  test('[S21] a good cookie is never rate limited', () => {
    const server = serverOf({ limiter: new RateLimiter(rates) })
    const cookie = optionOf(www([{ option: 'cookie', client }], 'udp', server), 'cookie')!
    for (let i = 0; i < 10; i++) deepEqual(www([cookie], 'udp', server).answer.length, 2)
  })

  test('[S22] BADCOOKIE comes only in place of the hint that a rate limit sends, with a cookie to come back with', () => {
    const server = serverOf({ limiter: new RateLimiter(rates) })
    equal(www([{ option: 'cookie', client }], 'udp', server).rcode, 0)
    const held = www([{ option: 'cookie', client }], 'udp', server)
    deepEqual([held.rcode, held.answer, held.flags.tc], [RCODE.BADCOOKIE, [], false])
    equal(www([optionOf(held, 'cookie')!], 'udp', server).answer.length, 2)
    const plain = www([], 'udp', server)
    deepEqual([plain.rcode, plain.flags.tc, plain.answer], [0, true, []])
  })
})

test('[S23] client subnet and report channel are ignored', () => {
  const subnet: EdnsOption = {
    option: 'client-subnet',
    family: 1,
    sourcePrefix: 24,
    scopePrefix: 0,
    address: Uint8Array.of(192, 0, 2),
  }
  const reply = www([subnet, { option: 'report-channel', agent: 'agent.example.' }])
  deepEqual([reply.rcode, reply.answer.length, reply.edns?.options], [0, 2, []])
})
