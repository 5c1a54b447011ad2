import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decodeMessage,
  encodeMessage,
  MessageSplitter,
  type RndcAlgorithm,
  RndcError,
  type RndcKey,
  rndcAlgorithms,
  type Table,
  type Value,
} from './protocol.ts'

const algorithms = Object.keys(rndcAlgorithms) as RndcAlgorithm[]
const keyOf = (algorithm: RndcAlgorithm, secret = 'secret'): RndcKey => ({
  name: 'k',
  algorithm,
  secret: Buffer.from(secret),
})
const anyKey = fc.constantFrom(...algorithms).map((algorithm) => keyOf(algorithm))

const octets = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
const { table } = fc.letrec<{ value: Value; table: Table }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    octets,
    fc.array(tie('value'), { maxLength: 3 }) as fc.Arbitrary<readonly Value[]>,
    tie('table'),
  ),
  table: fc
    .array(fc.tuple(octets, tie('value')), { maxLength: 4 })
    .map((entries) => new Map(entries as [string, Value][])),
}))

const contentOf = (message: Buffer): Buffer => message.subarray(4)

test('[W39] a message is read as it was written, whatever is in it', () => {
  fc.assert(
    fc.property(table, anyKey, (message, key) => {
      const bytes = encodeMessage(message, key)
      equal(bytes.readUInt32BE(0), bytes.length - 4)
      deepEqual(decodeMessage(contentOf(bytes), key), message)
    }),
  )
})

test('[W39] a message is refused when any octet of it was changed', () => {
  fc.assert(
    fc.property(table, anyKey, fc.nat(), fc.integer({ min: 1, max: 255 }), (message, key, at, mask) => {
      const bytes = Buffer.from(contentOf(encodeMessage(message, key)))
      bytes[at % bytes.length]! ^= mask
      throws(() => decodeMessage(bytes, key), RndcError)
    }),
  )
})

test('[W39] a message that another key signed is refused', () => {
  for (const algorithm of algorithms) {
    const bytes = contentOf(encodeMessage(new Map([['_data', 'x']]), keyOf(algorithm)))
    for (const other of algorithms) {
      if (other !== algorithm) throws(() => decodeMessage(bytes, keyOf(other)), /not signed with the key k/)
    }
    throws(() => decodeMessage(bytes, keyOf(algorithm, 'other')), /not signed with the key k/)
  }
})

test('[W39] octets that are no message are refused with an error of ours, signed or not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), anyKey, (bytes, key) => {
      throws(() => decodeMessage(bytes, key), RndcError)
    }),
    { numRuns: 500 },
  )
})

test('[W39] tables and lists are read to a bounded depth', () => {
  const nested = (depth: number): Value => (depth === 0 ? 'x' : [nested(depth - 1)])
  const key = keyOf('hmac-sha256')
  const bytes = (depth: number) => contentOf(encodeMessage(new Map([['a', nested(depth)]]), key))
  ok(decodeMessage(bytes(8), key))
  throws(() => decodeMessage(bytes(9), key), /nested/)
})

test('[W39] a request over what named reads is not sent, and a longer answer than 1 MiB not waited for', () => {
  const key = keyOf('hmac-sha256')
  throws(() => encodeMessage(new Map([['a', 'x'.repeat(40_000)]]), key), /at most 32768/)
  throws(() => new MessageSplitter().push(Buffer.from([0, 0x10, 0, 1])), /at most 1048576/)
})

test('[W39] a stream is cut into the same messages however it comes', () => {
  const key = keyOf('hmac-sha512')
  fc.assert(
    fc.property(fc.array(table, { maxLength: 4 }), fc.integer({ min: 1, max: 50 }), (messages, size) => {
      const stream = Buffer.concat(messages.map((message) => encodeMessage(message, key)))
      const splitter = new MessageSplitter()
      const found: Table[] = []
      for (let at = 0; at < stream.length; at += size) {
        for (const bytes of splitter.push(stream.subarray(at, at + size))) found.push(decodeMessage(bytes, key))
      }
      deepEqual(found, messages)
    }),
  )
})
