import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyRecord } from '../../test/support/dns-messages.ts'
import { blank, question, record } from '../../test/support/message-corpus.ts'
import { WireError } from './errors.ts'
import { decodeMessage } from './message.ts'
import { FrameDecoder, frame, MessagePacker, packRecords } from './stream.ts'

const header = { ...blank, flags: { ...blank.flags, qr: true, aa: true }, question: [question('example.org.', 'AXFR')] }

test('[M22] messages come out of a stream the same however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (messages, cuts) => {
        const whole = Uint8Array.from(messages.flatMap((message) => [...frame(message)]))
        const decoder = new FrameDecoder()
        const out: Uint8Array[] = []
        for (let at = 0, i = 0; at < whole.length; i++) {
          const end = at + cuts[i % cuts.length]!
          for (const message of decoder.push(whole.slice(at, end))) out.push(message.slice())
          at = end
        }
        deepEqual(out, messages)
        equal(decoder.idle, true)
        deepEqual([...new FrameDecoder().push(whole)], messages)
      },
    ),
  )
})

test('[M22] a message of 65535 octets goes through, one octet at a time', () => {
  const message = new Uint8Array(65535).map((_, i) => i)
  const decoder = new FrameDecoder()
  const framed = frame(message)
  const out: Uint8Array[] = []
  for (let at = 0; at < framed.length; at++) {
    equal(decoder.idle, at === 0)
    out.push(...decoder.push(framed.subarray(at, at + 1)))
  }
  deepEqual(out, [message])
  throws(() => frame(new Uint8Array(65536)), WireError)
})

test('[M22] a length alone takes no memory', () => {
  const before = process.memoryUsage().arrayBuffers
  const decoders = Array.from({ length: 2000 }, () => new FrameDecoder())
  for (const decoder of decoders) deepEqual([...decoder.push(Uint8Array.of(0xff, 0xff, 1))], [])
  ok(process.memoryUsage().arrayBuffers - before < 4_000_000)
  ok(decoders.every((decoder) => !decoder.idle))
})

test('[M23] a transfer is packed in order into messages within the limit, the question in the first only', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 60 }), fc.integer({ min: 600, max: 3000 }), (records, limit) => {
      const packed = [...packRecords(header, records, { limit, room: 100 })]
      const read = packed.map(decodeMessage)
      deepEqual(
        read.flatMap((message) => message.answer),
        records,
      )
      for (const [i, message] of read.entries()) {
        deepEqual(message.question, i === 0 ? header.question : [])
        deepEqual([message.id, message.flags], [header.id, header.flags])
        ok(packed[i]!.length <= limit - 100 || message.answer.length === 1)
      }
    }),
  )
})

test('[M23] a transfer without records is one message without answers', () => {
  const [only, ...others] = packRecords(header, [])
  deepEqual([decodeMessage(only!).answer.length, others.length], [0, 0])
})

test('[M23] a record larger than the limit gets a message of its own, one larger than a message is a WireError', () => {
  const small = record('example.org. 60 TXT "small"')
  const large = { ...small, type: 65280, rdata: new Uint8Array(60000) }
  const sizes = [...packRecords(header, [small, large, small], { limit: 4096 })].map((bytes) => bytes.length)
  equal(sizes.length, 3)
  ok(sizes[1]! > 60000)
  const packer = new MessagePacker(header)
  packer.add(small)
  throws(() => packer.add({ ...large, rdata: new Uint8Array(65535) }), WireError)
})

test('[M23] names in a transfer are compressed', () => {
  const records = Array.from({ length: 1000 }, (_, i) => record(`host${i}.subdomain.example.org. 60 A 192.0.2.1`))
  const octets = packRecords(header, records).reduce((sum, message) => sum + message.length, 0)
  ok(octets < 1000 * (2 + 8 + 14) + 1000, `${octets} octets`)
})
