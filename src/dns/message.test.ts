import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyMessage } from '../../test/support/dns-messages.ts'
import { blank, corpus, question, record } from '../../test/support/message-corpus.ts'
import { OPCODE, RCODE, rcodeName } from './codes.ts'
import { WireError } from './errors.ts'
import { bareReply, decodeMessage, encodeMessage, hasRightQuestionCount, type Message } from './message.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const fromHex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const answered = (answer: string[], rest: Partial<Message> = {}): Message => ({
  ...blank,
  flags: { ...blank.flags, qr: true, aa: true },
  question: [question('example.org.', 'TXT')],
  answer: answer.map(record),
  ...rest,
})
const texts = (count: number, owner = 'example.org.') =>
  Array.from({ length: count }, (_, i) => `${owner} 60 TXT "${String(i).padStart(40, 'x')}"`)

for (const [name, message] of Object.entries(corpus)) {
  test(`[M10] the message "${name}" survives encode → decode`, () =>
    deepEqual(decodeMessage(encodeMessage(message)), message))
}

test('[M10] a query is laid out as RFC 1035 4 draws it', () => {
  equal(hex(encodeMessage(corpus.query!)), '12340100000100000000000003777777076578616d706c65036f72670000010001')
})

test('[M10] any message survives encode → decode', () => {
  fc.assert(
    fc.property(anyMessage, (message) => deepEqual(decodeMessage(encodeMessage(message)), message)),
    { numRuns: 500 },
  )
})

test('[M11] any bytes are a message or a WireError', () => {
  const header = fc.tuple(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    fc.uint8Array({ maxLength: 200 }),
  )
  const likely = header.map(([start, counts, rest]) =>
    Uint8Array.from([...start, ...counts.flatMap((n) => [0, n]), ...rest]),
  )
  fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), likely), decodes), { numRuns: 2000 })
})

test('[M11] every truncation of a message is a WireError, and every byte flipped is a message or a WireError', () => {
  for (const message of Object.values(corpus)) {
    const bytes = encodeMessage(message)
    for (let length = 0; length < bytes.length; length++)
      throws(() => decodeMessage(bytes.subarray(0, length)), WireError)
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [0x01, 0x80, 0xff, 0xc0]) {
        const bad = bytes.slice()
        bad[at]! ^= flip
        decodes(bad)
      }
    }
  }
})

test('[M11] a message of 65535 octets made of pointers is refused or read in bounded time', () => {
  const chain = new Uint8Array(65535)
  chain.set(fromHex('0000 8000 0000 ffff 0000 0000'))
  for (let at = 12; at + 2 <= 0x4000; at += 2) {
    chain[at] = 0xc0 | ((at - 2) >> 8)
    chain[at + 1] = (at - 2) & 0xff
  }
  const started = performance.now()
  for (let i = 0; i < 20; i++) decodes(chain)
  const deep = manyDeepNames()
  for (let i = 0; i < 5; i++) decodes(deep)
  ok(performance.now() - started < 5000)
})

test('[M11] what follows the message is refused', () => {
  throws(() => decodeMessage(Uint8Array.from([...encodeMessage(corpus.query!), 0])), WireError)
})

test('[M12] a TTL with the top bit set is read as 0', () => {
  const bytes = encodeMessage(answered(['example.org. 1 TXT x']))
  const at = bytes.length - 8
  equal(bytes[at + 3], 1)
  bytes[at] = 0x80
  equal(decodeMessage(bytes).answer[0]!.ttl, 0)
})

test('[M13] rcodes over 15 go partly into OPT, and need it', () => {
  const edns = { udpSize: 1232, version: 0, dnssecOk: false, options: [] }
  for (const rcode of [0, 15, 16, 23, 4095]) equal(decodeMessage(encodeMessage({ ...blank, rcode, edns })).rcode, rcode)
  throws(() => encodeMessage({ ...blank, rcode: 16 }), WireError)
  equal(rcodeName(RCODE.BADCOOKIE), 'BADCOOKIE')
  equal(rcodeName(4000), 'RCODE4000')
})

const badOpt: [what: string, hexText: string][] = [
  ['two OPT records', '0000 0000 0000 0000 0000 0002 000029 04d0 00000000 0000 000029 04d0 00000000 0000'],
  ['an OPT record that is not at the root', '0000 0000 0000 0000 0000 0001 016100 0029 04d0 00000000 0000'],
  ['an OPT record among the answers', '0000 0000 0000 0001 0000 0000 000029 04d0 00000000 0000'],
  [
    'a TSIG record that is not the last',
    `0000 0000 0000 0000 0000 0002 0000fa 00ff 00000000 0011 00${'00'.repeat(16)} 000029 04d0 00000000 0000`,
  ],
  ['a TSIG record of class IN', `0000 0000 0000 0000 0000 0001 0000fa 0001 00000000 0011 00${'00'.repeat(16)}`],
  ['an OPT record longer than the message', '0000 0000 0000 0000 0000 0001 000029 04d0 00000000 0004 0003'],
  ['rdata shorter than its type', '0000 0000 0000 0001 0000 0000 00 0001 0001 00000000 0003 010203'],
  ['rdata longer than its fields', '0000 0000 0000 0001 0000 0000 00 0001 0001 00000000 0005 0102030405'],
  ['a name in rdata that runs out of it', '0000 0000 0000 0002 0000 0000 00 0002 0001 00000000 0001 0161 00'],
]
for (const [what, text] of badOpt) {
  test(`[M11] ${what}: WireError`, () => void throws(() => decodeMessage(fromHex(text)), WireError))
}

test('[M14] over the limit whole RRsets go, TC is set, and OPT and TSIG stay', () => {
  const full = answered([...texts(3), ...texts(20, 'b.example.org.'), ...texts(3, 'c.example.org.')], {
    edns: corpus.answer!.edns!,
    tsig: corpus.update!.tsig!,
  })
  for (const limit of [200, 512, 600, 1232, 1500]) {
    const bytes = encodeMessage(full, { limit })
    const read = decodeMessage(bytes)
    ok(bytes.length <= limit)
    equal(read.flags.tc, read.answer.length < full.answer.length)
    ok([0, 3, 23, 26].includes(read.answer.length), `${read.answer.length} answers`)
    deepEqual(read.edns, full.edns)
    deepEqual(read.tsig, full.tsig)
    deepEqual(read.question, full.question)
  }
  equal(decodeMessage(encodeMessage(full, { limit: 512 })).answer.length, 3)
  equal(decodeMessage(encodeMessage(full, { limit: 200 })).answer.length, 0)
  equal(decodeMessage(encodeMessage(full)).flags.tc, false)
})

test('[M14] nothing follows an RRset that did not fit', () => {
  const full = answered(texts(20), {
    authority: [record('example.org. 60 NS ns.example.org.')],
    additional: [record('ns.example.org. 60 A 192.0.2.1')],
  })
  const read = decodeMessage(encodeMessage(full, { limit: 512 }))
  deepEqual([read.answer.length, read.authority.length, read.additional.length, read.flags.tc], [0, 0, 0, true])
})

test('[M14] an authority section that does not fit sets TC', () => {
  const full = answered(texts(1), { authority: texts(20).map(record) })
  const read = decodeMessage(encodeMessage(full, { limit: 512 }))
  deepEqual([read.answer.length, read.authority.length, read.flags.tc], [1, 0, true])
})

test('[M15] additional data that does not fit is left out without TC, save the glue of a referral', () => {
  const glue = (name: string) => Array.from({ length: 40 }, (_, i) => record(`${name} 60 A 192.0.2.${i}`))
  const extra = decodeMessage(
    encodeMessage(answered(texts(1), { additional: glue('ns.example.org.') }), { limit: 512 }),
  )
  deepEqual([extra.answer.length, extra.additional.length, extra.flags.tc], [1, 0, false])
  const referral = (host: string): Message => ({
    ...blank,
    flags: { ...blank.flags, qr: true },
    question: [question('www.sub.example.org.', 'A')],
    authority: [record(`sub.example.org. 60 NS ${host}`)],
    additional: glue(host),
  })
  equal(decodeMessage(encodeMessage(referral('ns.sub.example.org.'), { limit: 512 })).flags.tc, true)
  equal(decodeMessage(encodeMessage(referral('sub.example.org.'), { limit: 512 })).flags.tc, true)
  equal(decodeMessage(encodeMessage(referral('ns.other.example.org.'), { limit: 512 })).flags.tc, false)
})

test('[M14] any message fits any limit that holds its question, OPT and TSIG, with whole RRsets', () => {
  fc.assert(
    fc.property(anyMessage, fc.integer({ min: 0, max: 600 }), (message, extra) => {
      const least = encodeMessage({ ...message, answer: [], authority: [], additional: [] }).length
      const bytes = encodeMessage(message, { limit: least + extra })
      ok(bytes.length <= least + extra)
      const read = decodeMessage(bytes)
      for (const section of ['answer', 'authority', 'additional'] as const) {
        const kept = read[section].length
        deepEqual(read[section], message[section].slice(0, kept))
        const [last, next] = [message[section][kept - 1], message[section][kept]]
        ok(!last || !next || last.name !== next.name || last.type !== next.type)
      }
      const short = read.answer.length < message.answer.length || read.authority.length < message.authority.length
      if (short) equal(read.flags.tc, true)
    }),
  )
})

test('[M14] a limit too small for the question is a WireError', () => {
  throws(() => encodeMessage(corpus.query!, { limit: 20 }), WireError)
})

test('[M16] a query has one question, or none with a cookie; any number can be decoded, so that FORMERR can be answered', () => {
  const with_ = (opcode: number, count: number, rest: Partial<Message> = {}) =>
    decodeMessage(
      encodeMessage({ ...blank, ...rest, opcode, question: Array(count).fill(question('example.org.', 'SOA')) }),
    )
  equal(hasRightQuestionCount(with_(OPCODE.QUERY, 1)), true)
  equal(hasRightQuestionCount(with_(OPCODE.QUERY, 0)), false)
  equal(hasRightQuestionCount(with_(OPCODE.QUERY, 2)), false)
  equal(hasRightQuestionCount(with_(OPCODE.NOTIFY, 2)), false)
  equal(hasRightQuestionCount(with_(OPCODE.UPDATE, 0)), false)
  equal(hasRightQuestionCount(with_(OPCODE.DSO, 0)), true)
  equal(hasRightQuestionCount(with_(OPCODE.QUERY, 0, { edns: corpus['query with options']!.edns! })), true)
})

test('[M17] what cannot be decoded can still be answered by a header, unless it is a reply', () => {
  const request = fromHex('abcd 2900 0001 0000 0000 0000 ff')
  equal(hex(bareReply(request, RCODE.FORMERR)!), 'abcda9010000000000000000')
  equal(bareReply(fromHex('abcd 8100 0001 0000 0000 0000'), RCODE.FORMERR), undefined)
  equal(bareReply(request.subarray(0, 11), RCODE.FORMERR), undefined)
})

function decodes(bytes: Uint8Array): void {
  try {
    decodeMessage(bytes)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
  }
}

/** A name of 127 labels behind 127 pointers, asked for as often as 65535 octets hold. */
function manyDeepNames(): Uint8Array {
  const out = [...fromHex('0000 0000 2fff 0000 0000 0000')]
  let at = 0
  for (let i = 0; i < 127; i++) {
    const start = out.length
    out.push(1, 0x61, ...(i === 0 ? [0] : [0xc0 | (at >> 8), at & 0xff]))
    if (i === 0) out.push(0, 1, 0, 1)
    else out.push(0, 1, 0, 1)
    at = start
  }
  while (out.length + 6 <= 65535) out.push(0xc0 | (at >> 8), at & 0xff, 0, 1, 0, 1)
  return Uint8Array.from(out)
}
