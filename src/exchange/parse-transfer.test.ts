import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rdataFromText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { BadTransfer, type Transfer, TransferParser, TransferRefused } from './parse-transfer.ts'

const zone = 'example.org.'
const limits = { records: 50, octets: 10_000, messages: 60 }

const soa = (serial: number, name = zone): ResourceRecord => ({
  name,
  type: 6,
  class: 1,
  ttl: 60,
  rdata: rdataFromText(6, `ns. host. ${serial} 2 3 4 5`),
})
const a = (n: number, name = 'www.example.org.'): ResourceRecord => ({
  name,
  type: 1,
  class: 1,
  ttl: 60,
  rdata: new Uint8Array([192, 0, 2, n]),
})

/** Feeds records in messages of some size; gives what came out and how many messages were taken. */
function feed(records: readonly ResourceRecord[], size = 3, have?: number): Transfer | undefined {
  const parser = new TransferParser(zone, have, limits)
  for (let at = 0; at < records.length; at += size) {
    if (parser.take({ rcode: 0, answer: records.slice(at, at + size) }, 100)) break
  }
  return parser.result
}

test('[Y2] a whole zone begins and ends with its SOA, however it is cut into messages', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(255), { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (ns, size) => {
      const content = ns.map((n) => a(n))
      const result = feed([soa(9), ...content, soa(9)], size)
      deepEqual(result, { kind: 'whole', soa: soa(9), records: content })
    }),
  )
})

test('[Y2] changes lead from the serial we have to the new one, without a gap', () => {
  const steps = fc.array(
    fc.record({ removed: fc.array(fc.nat(255), { maxLength: 3 }), added: fc.array(fc.nat(255), { maxLength: 3 }) }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  fc.assert(
    fc.property(
      steps,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 0, max: 0xffffffff }),
      (changes, size, from) => {
        const at = (i: number) => soa((from + i) >>> 0)
        const body = changes.flatMap(({ removed, added }, i) => [
          at(i),
          ...removed.map((n) => a(n)),
          at(i + 1),
          ...added.map((n) => a(n)),
        ])
        const newest = at(changes.length)
        // The first message needs two records, or it says that nothing is new only when its serial is not newer.
        const result = feed([newest, ...body, newest], size, from)
        ok(result?.kind === 'changes')
        deepEqual(
          result.changes.map((change) => [change.from, change.to, change.removed.length - 1, change.added.length - 1]),
          changes.map(({ removed, added }, i) => [
            (from + i) >>> 0,
            (from + i + 1) >>> 0,
            removed.length,
            added.length,
          ]),
        )
      },
    ),
  )
})

test('[Y2] a lone SOA that is not newer tells that there is nothing to take', () => {
  deepEqual(feed([soa(5)], 1, 5), { kind: 'current', serial: 5 })
  deepEqual(feed([soa(4)], 1, 5), { kind: 'current', serial: 4 })
  equal(feed([soa(6)], 1, 5), undefined)
  deepEqual(feed([soa(6), a(1), soa(6)], 1, 5), { kind: 'whole', soa: soa(6), records: [a(1)] })
})

test('[Y3] what is out of order, out of the zone, or no data is refused', () => {
  const bad: [string, ResourceRecord[], number?][] = [
    ['no SOA first', [a(1), soa(1)]],
    ['a name outside', [soa(1), a(1, 'www.example.com.'), soa(1)]],
    ['a name that only ends alike', [soa(1), a(1, 'badexample.org.'), soa(1)]],
    ['the SOA of another zone', [soa(1, 'sub.example.org.'), a(1)]],
    ['two SOAs', [soa(1), a(1), soa(2)]],
    ['more after the end', [soa(1), a(1), soa(1), a(2)]],
    ['another class', [soa(1), { ...a(1), class: 3 }, soa(1)]],
    ['a type that only messages have', [soa(1), { ...a(1), type: 250 }, soa(1)]],
    ['OPT', [soa(1), { ...a(1), type: 41 }, soa(1)]],
    ['changes from elsewhere', [soa(9), soa(4), a(1), soa(9), soa(9)], 5],
    ['changes that go back', [soa(9), soa(5), a(1), soa(3), a(2), soa(9)], 5],
    ['changes with a gap', [soa(9), soa(5), soa(6), soa(7), soa(9), soa(9)], 5],
  ]
  for (const [what, records, have] of bad) throws(() => feed(records, 99, have), BadTransfer, what)
  throws(() => new TransferParser(zone, undefined, limits).take({ rcode: 5, answer: [] }, 12), TransferRefused)
  throws(() => new TransferParser(zone, undefined, limits).take({ rcode: 0, answer: [] }, 12), BadTransfer)
})

test('[Y3] more records, octets or messages than the limits are refused', () => {
  const endless = Array.from({ length: 200 }, (_, i) => a(i % 256, `n${i}.example.org.`))
  throws(() => feed([soa(1), ...endless], 10), /more than 50 records/)
  throws(() => feed([soa(2), soa(1), ...endless], 10, 1), /more than 100 records/)
  const octets = new TransferParser(zone, undefined, limits)
  octets.take({ rcode: 0, answer: [soa(1)] }, 9_000)
  throws(() => octets.take({ rcode: 0, answer: [a(1)] }, 1_001), /more than 10000 octets/)
  const empty = new TransferParser(zone, undefined, limits)
  empty.take({ rcode: 0, answer: [soa(1)] }, 12)
  throws(() => {
    for (let i = 0; i < 100; i++) empty.take({ rcode: 0, answer: [] }, 12)
  }, /more than 60 messages/)
  const chain = [soa(1_000_000), ...Array.from({ length: 1000 }, (_, i) => soa(1 + ((i + 1) >> 1)))]
  throws(() => feed(chain, 100, 1), /more than/)
})

test('[Y3] whatever comes, it ends in a transfer of the zone or in a refusal', () => {
  const record = fc.oneof(
    fc.integer({ min: 0, max: 4 }).map((serial) => soa(serial)),
    fc.nat(255).map((n) => a(n)),
    fc.record({ n: fc.nat(9), type: fc.nat(260) }).map(({ n, type }) => ({ ...a(n), type: type === 6 ? 1 : type })),
    fc.constantFrom(a(1, 'elsewhere.'), { ...a(1), ttl: 0xffffffff }),
  )
  const have = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined })
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), fc.integer({ min: 1, max: 10 }), have, (records, size, serial) => {
      try {
        const result = feed(records, size, serial)
        if (result?.kind === 'whole')
          for (const { name, ttl } of result.records) ok(name.endsWith(zone) && ttl <= 0x7fffffff)
        if (result?.kind === 'changes') {
          equal(result.changes[0]!.from, serial)
          for (const [i, { from }] of result.changes.entries()) if (i > 0) equal(from, result.changes[i - 1]!.to)
        }
      } catch (error) {
        ok(error instanceof BadTransfer, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})
