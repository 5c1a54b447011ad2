import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { blank, question, record } from '../../test/support/message-corpus.ts'
import { ask, from, optionOf, query, serverOf, testSettings } from '../../test/support/nameserver.ts'
import { linesOf } from '../../test/support/zones.ts'
import { OPCODE, RCODE } from '../dns/codes.ts'
import { decodeMessage, encodeMessage } from '../dns/message.ts'
import { handle } from './handle.ts'

const codeOf = (message: Parameters<typeof optionOf>[0]) => optionOf(message, 'extended-error')?.code

test('[S1] what is shorter than a header, or a reply itself, is met with silence', () => {
  const server = serverOf()
  const www = query('www.example.', 'A')
  for (let length = 0; length < 12; length++) equal(handle(www.subarray(0, length), from(), server), undefined)
  const reply = www.slice()
  reply[2]! |= 0x80
  equal(handle(reply, from(), server), undefined)
  equal(
    server.counters.slots.reduce((a, b) => a + b),
    13,
  )
})

test('[S2] a request that cannot be read is answered FORMERR with its id and RD', () => {
  const www = query('www.example.', 'A', { flags: { ...blank.flags, rd: true } })
  for (let length = 12; length < www.length; length++) {
    const reply = ask(www.subarray(0, length))
    deepEqual([reply.id, reply.rcode, reply.flags.rd, reply.question], [blank.id, RCODE.FORMERR, true, []])
  }
  equal(ask(Buffer.concat([www, Buffer.of(0)])).rcode, RCODE.FORMERR)
})

test('[S3] a query has one question; another number is answered FORMERR (RFC 9619)', () => {
  equal(ask(encodeMessage(blank)).rcode, RCODE.FORMERR)
  const two = [question('www.example.', 'A'), question('www.example.', 'AAAA')]
  equal(ask(encodeMessage({ ...blank, question: two })).rcode, RCODE.FORMERR)
  equal(ask(encodeMessage({ ...blank, opcode: OPCODE.NOTIFY })).rcode, RCODE.FORMERR)
})

test('[S4] opcodes other than QUERY and NOTIFY are answered NOTIMP, whatever follows the header', () => {
  for (const opcode of [1, 2, 3, 5, 6, 7, 15]) {
    const whole = ask(query('example.', 'SOA', { opcode, edns: {} }))
    deepEqual([whole.opcode, whole.rcode, whole.question.length, codeOf(whole)], [opcode, RCODE.NOTIMP, 1, 21])
    equal(ask(query('example.', 'SOA', { opcode }).subarray(0, 12)).rcode, RCODE.NOTIMP)
    equal(ask(encodeMessage({ ...blank, opcode })).rcode, RCODE.NOTIMP)
  }
})

test('[S4] NOTIFY is answered as whoever acts on it says, with AA', () => {
  const server = serverOf({ notify: ({ message }) => (message.question[0]!.name === 'example.' ? 0 : RCODE.NOTAUTH) })
  const soa = [record('example. 60 SOA ns1.example. host.example. 9 1 1 1 1')]
  const good = ask(query('example.', 'SOA', { opcode: OPCODE.NOTIFY, answer: soa }), server)
  deepEqual([good.opcode, good.rcode, good.flags.aa, good.answer], [OPCODE.NOTIFY, 0, true, []])
  equal(ask(query('else.', 'SOA', { opcode: OPCODE.NOTIFY }), server).rcode, RCODE.NOTAUTH)
})

test('[S5] classes other than IN and CH are answered REFUSED', () => {
  for (const klass of [0, 2, 4, 254, 255, 999])
    equal(ask(query('www.example.', 'A', { question: [{ name: 'www.example.', type: 1, class: klass }] })).rcode, 5)
})

test('[S6] types that are no data: AXFR over UDP, OPT and TSIG are FORMERR; TKEY, MAILA and MAILB are NOTIMP', () => {
  const rcode = (type: number) => ask(query('', '', { question: [{ name: 'example.', type, class: 1 }] })).rcode
  deepEqual([252, 41, 250].map(rcode), [1, 1, 1])
  deepEqual([249, 253, 254].map(rcode), [4, 4, 4])
})

test('[S6] types nobody has defined are asked for like others', () => {
  for (const type of [0, 200, 1000, 65535]) {
    const reply = ask(query('', '', { question: [{ name: 'www.example.', type, class: 1 }] }))
    deepEqual([reply.rcode, reply.flags.aa, reply.authority[0]?.type], [0, true, 6])
  }
})

test('[S7] names we hold no zone for are answered REFUSED with extended error 20', () => {
  const reply = ask(query('www.elsewhere.test.', 'A', { edns: {} }))
  deepEqual([reply.rcode, reply.flags.aa, codeOf(reply)], [RCODE.REFUSED, false, 20])
  equal(ask(query('.', 'NS')).rcode, RCODE.REFUSED)
})

test('[S8] a zone that cannot be served is answered SERVFAIL, with extended error 24 and the reason', () => {
  const reply = ask(query('www.failed.', 'A', { edns: {} }))
  equal(reply.rcode, RCODE.SERVFAIL)
  deepEqual(optionOf(reply, 'extended-error'), { option: 'extended-error', code: 24, text: 'the SOA is missing' })
})

test('[S9] a zone still to be read is answered SERVFAIL with extended error 14, and is asked to come first', () => {
  const wanted: string[] = []
  const reply = ask(query('www.awaited.', 'A', { edns: {} }), serverOf({ wanted: (id) => wanted.push(id) }))
  deepEqual([reply.rcode, codeOf(reply), wanted], [RCODE.SERVFAIL, 14, ['awaited-id']])
})

test('[S10] RD is copied; RA, AD and CD are never set; AA is set where the answer is ours', () => {
  const asked = { qr: false, aa: true, tc: true, rd: true, ra: true, ad: true, cd: true }
  const off = { qr: true, aa: false, tc: false, rd: true, ra: false, ad: false, cd: false }
  deepEqual(ask(query('www.example.', 'A', { flags: asked })).flags, { ...off, aa: true })
  deepEqual(ask(query('www.sub.example.', 'A', { flags: asked })).flags, off)
  deepEqual(ask(query('www.example.', 'A')).flags, { ...off, aa: true, rd: false })
  const reserved = query('www.example.', 'A')
  reserved[3]! |= 0x40
  const reply = handle(reserved, from(), serverOf()) as Uint8Array
  equal(reply[3]! & 0x40, 0)
})

test('[S10] the question comes back as it was asked, letter case included', () => {
  const reply = ask(query('wWw.ExAmPlE.', 'A'))
  deepEqual([reply.question[0]?.name, reply.answer[0]?.name], ['wWw.ExAmPlE.', 'wWw.ExAmPlE.'])
})

test('[S25] the zone closest to the name answers, save DS at its apex, which is its parent’s', () => {
  equal(ask(query('www.child.example.', 'A')).flags.aa, true)
  const ds = ask(query('child.example.', 'DS'))
  deepEqual([ds.flags.aa, ds.answer[0]?.type], [true, 43])
  const top = ask(query('other.', 'DS'))
  deepEqual([top.rcode, top.flags.aa, top.authority[0]?.name], [0, true, 'other.'])
})

test('[S26] an alias is followed over the zones we hold, and not beyond', () => {
  deepEqual(linesOf(ask(query('across.example.', 'A')).answer), [
    'across.example. 3600 CNAME www.other.',
    'www.other. 3600 A 192.0.2.9',
  ])
  const away = ask(query('away.example.', 'A'))
  deepEqual([away.rcode, away.answer.length], [0, 1])
})

test('[S24] class CH tells version and identity, as settings allow', () => {
  const chaos = (name: string, settings = testSettings, type = 16) =>
    ask(query('', '', { question: [{ name, type, class: 3 }] }), serverOf({ settings }))
  const text = (name: string) => chaos(name).answer.map(({ rdata }) => Buffer.from(rdata.subarray(1)).toString())
  deepEqual(text('version.bind.'), ['Nameplane'])
  deepEqual(text('VERSION.server.'), ['Nameplane'])
  deepEqual(text('id.server.'), ['ns-one'])
  deepEqual(text('hostname.bind.'), ['ns-one'])
  equal(chaos('version.bind.').answer[0]?.class, 3)
  deepEqual([chaos('version.bind.', testSettings, 1).rcode, chaos('version.bind.', testSettings, 1).answer], [0, []])
  equal(chaos('authors.bind.').rcode, RCODE.REFUSED)
  const silent = { ...testSettings, version: undefined, serverId: undefined }
  equal(chaos('version.bind.', silent).rcode, RCODE.REFUSED)
  equal(chaos('id.server.', silent).rcode, RCODE.REFUSED)
})

test('[S27] what should not happen is reported and answered SERVFAIL', () => {
  const reported: unknown[] = []
  const fault = new Error('broken')
  const zones = {
    answer: () => {
      throw fault
    },
  }
  const server = serverOf({ zones, report: (error) => reported.push(error) })
  equal(ask(query('www.example.', 'A'), server).rcode, RCODE.SERVFAIL)
  deepEqual(reported, [fault])
})

test('replies are counted by transport, type and rcode', () => {
  const server = serverOf()
  ask(query('www.example.', 'A'), server)
  ask(query('nope.example.', 'TXT'), server)
  ask(query('nope.example.', 'TXT'), server, from('tcp'))
  ok(decodeMessage(handle(query('large.example.', 'A'), from(), server) as Uint8Array).flags.tc)
  const seen = [...server.counters.slots.entries()].filter(([, value]) => value > 0)
  equal(
    seen.reduce((sum, [, value]) => sum + value, 0),
    4 + 4 + 1,
  )
})
