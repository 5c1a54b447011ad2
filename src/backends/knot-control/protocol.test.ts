import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeUnit, type Items, KnotError, type Unit, UnitDecoder } from './protocol.ts'

const octets = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
const items = fc.record(
  {
    command: octets,
    flags: octets,
    error: octets,
    section: octets,
    item: octets,
    id: octets,
    zone: octets,
    owner: octets,
    ttl: octets,
    type: octets,
    data: octets,
    filter: octets,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Items>
const unit: fc.Arbitrary<Unit> = fc.oneof(
  items.map((items) => ({ type: 'data' as const, items })),
  items.map((items) => ({ type: 'extra' as const, items })),
  fc.constant({ type: 'block' as const }),
)
const end: Unit = { type: 'end' }

test('[W44] units are read as they were written, however they come', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 6 }), fc.integer({ min: 1, max: 100 }), (units, size) => {
      const stream = Buffer.concat([...units, end].map(encodeUnit))
      const decoder = new UnitDecoder()
      const found: Unit[] = []
      for (let at = 0; at < stream.length; at += size) found.push(...decoder.push(stream.subarray(at, at + size)))
      deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify([...units, end])))
    }),
  )
})

test('[W44] a command is what knotc sends', () => {
  const sent = encodeUnit({
    type: 'data',
    items: { command: 'conf-read', flags: '', section: 'server', item: 'rundir' },
  })
  deepEqual(sent.toString('latin1'), '\x01\x10\0\x09conf-read\x11\0\0\x13\0\x06server\x14\0\x06rundir')
})

test('[W44] octets that are no units are refused with an error of ours, or waited on', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), (chunks) => {
      const decoder = new UnitDecoder()
      try {
        for (const chunk of chunks) decoder.push(Buffer.from(chunk))
      } catch (error) {
        if (!(error instanceof KnotError)) throw error
      }
    }),
    { numRuns: 1000 },
  )
  throws(() => new UnitDecoder().push(Buffer.from([4])), /unknown code 4/)
  throws(() => new UnitDecoder().push(Buffer.from([0x1c])), /unknown code 28/)
  throws(() => new UnitDecoder().push(Buffer.from([0x10])), /outside of a unit/)
})

test('[W44] a value that is too long for the socket is not sent', () => {
  throws(() => encodeUnit({ type: 'data', items: { data: 'x'.repeat(65_536) } }), /data must have at most 65535/)
})
