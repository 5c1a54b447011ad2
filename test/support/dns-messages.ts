import fc from 'fast-check'
import type { Edns, EdnsOption } from '../../src/dns/edns.ts'
import type { Message } from '../../src/dns/message.ts'
import { wireToName } from '../../src/dns/name.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { types } from '../../src/dns/types/index.ts'

const object = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true })
const u8 = fc.nat(0xff)
const u16 = fc.nat(0xffff)
const u32 = fc.nat(0xffffffff)
const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength })

const label = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('www', 'WWW', 'example', 'a', 'org', 'ns1', '*', '_tcp')
      .map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: bytes(1, 20) },
)

/** Names that often share tails, with any octets now and then. */
export const anyName: fc.Arbitrary<string> = fc
  .array(label, { maxLength: 6 })
  .map((labels) => wireToName(Uint8Array.from([...labels.flatMap((octets) => [octets.length, ...octets]), 0])))

const examples = types
  .filter((type) => !type.meta)
  .flatMap((type) => type.examples.map((text) => ({ type: type.code, rdata: rdataFromText(type.code, text) })))
const anyData = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...examples) },
  { weight: 1, arbitrary: object({ type: fc.integer({ min: 0xff00, max: 0xfffe }), rdata: bytes(0, 40) }) },
)

/** Records of every type there is an example of, and of private types with any rdata. */
export const anyRecord: fc.Arbitrary<ResourceRecord> = object({
  name: anyName,
  data: anyData,
  ttl: fc.nat(0x7fffffff),
}).map(({ name, data, ttl }) => ({ name, type: data.type, class: 1, ttl, rdata: data.rdata }))

const zoneVersion = object({ labels: u8, type: u8, value: bytes(0, 8) })

/** Options of every kind, well formed. */
export const anyOption: fc.Arbitrary<EdnsOption> = fc.oneof(
  object({ option: fc.constant('nsid' as const), id: bytes(0, 20) }),
  fc
    .record({ family: fc.constantFrom(1, 2), prefix: fc.nat(32), scopePrefix: fc.nat(32), address: bytes(4) })
    .map(({ family, prefix, scopePrefix, address }) => {
      const kept = address.slice(0, Math.ceil(prefix / 8))
      if (kept.length > 0) kept[kept.length - 1]! &= 0xff << (kept.length * 8 - prefix)
      return { option: 'client-subnet' as const, family, sourcePrefix: prefix, scopePrefix, address: kept }
    }),
  object({ option: fc.constant('expire' as const), seconds: u32 }),
  object({ option: fc.constantFrom('expire' as const, 'tcp-keepalive' as const, 'zone-version' as const) }),
  object({ option: fc.constant('cookie' as const), client: bytes(8) }),
  object({ option: fc.constant('cookie' as const), client: bytes(8), server: bytes(8, 32) }),
  object({ option: fc.constant('tcp-keepalive' as const), tenthsOfSecond: u16 }),
  object({ option: fc.constant('padding' as const), length: fc.nat(100) }),
  object({ option: fc.constant('extended-error' as const), code: u16, text: fc.string({ unit: 'grapheme' }) }),
  object({ option: fc.constant('report-channel' as const), agent: anyName }),
  object({ option: fc.constant('zone-version' as const), version: zoneVersion }),
  object({
    option: fc.constant('unknown' as const),
    code: fc.integer({ min: 65001, max: 65534 }),
    data: bytes(0, 20),
  }),
)

const anyEdns: fc.Arbitrary<Edns> = object({
  udpSize: u16,
  version: fc.constant(0),
  dnssecOk: fc.boolean(),
  options: fc.array(anyOption, { maxLength: 4 }),
})

const anyTsig = object({
  name: anyName,
  algorithm: fc.constantFrom('hmac-sha256.', 'hmac-md5.sig-alg.reg.int.'),
  time: fc.nat(0xffffffffffff),
  fudge: u16,
  mac: bytes(0, 64),
  originalId: u16,
  error: u16,
  other: bytes(0, 6),
})

const bit = fc.boolean()
const records = fc.array(anyRecord, { maxLength: 8 })

/** Any message that can be written. */
export const anyMessage: fc.Arbitrary<Message> = fc
  .record(
    {
      id: u16,
      opcode: fc.nat(15),
      rcode: fc.nat(0xfff),
      flags: object({ qr: bit, aa: bit, tc: bit, rd: bit, ra: bit, ad: bit, cd: bit }),
      question: fc.array(object({ name: anyName, type: u16, class: u16 }), { maxLength: 3 }),
      answer: records,
      authority: records,
      additional: records,
      edns: anyEdns,
      tsig: anyTsig,
    },
    {
      noNullPrototype: true,
      requiredKeys: ['id', 'opcode', 'rcode', 'flags', 'question', 'answer', 'authority', 'additional'],
    },
  )
  .map((message) => (message.edns === undefined ? { ...message, rcode: message.rcode & 0xf } : message))
