import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownerIn, zoneLines } from '../../../test/support/arbitrary-zones.ts'
import { arenaOf, fastAnswer } from '../../../test/support/arenas.ts'
import { generateQuestions, generateZones } from '../../../test/support/generated-zones.ts'
import { blank } from '../../../test/support/message-corpus.ts'
import { from, query, serverOf, testZones, zonesOf } from '../../../test/support/nameserver.ts'
import { recordsFrom, zoneFrom } from '../../../test/support/zones.ts'
import { decodeMessage, encodeMessage } from '../../dns/message.ts'
import { type Zone, zoneFromRecords } from '../../zonedata/zone.ts'
import { handle } from '../handle.ts'
import { servedFrom } from './served.ts'

type Asked = { readonly name: string; readonly type: number; readonly udpSize?: number; readonly rd?: boolean }

function queryOf({ name, type, udpSize, rd = false }: Asked): Uint8Array {
  return encodeMessage({
    ...blank,
    flags: { ...blank.flags, rd },
    question: [{ name, type, class: 1 }],
    ...(udpSize !== undefined && { edns: { udpSize, version: 0, dnssecOk: rd, options: [] } }),
  })
}

/** Asks zone values, the arena by the general path, and the fast path; returns how many questions the last answered. */
function compare(zones: readonly Zone[], questions: readonly Asked[]): number {
  const { reader } = arenaOf(zones)
  const values = serverOf({ zones: zonesOf(zones) })
  const arena = serverOf({ zones: servedFrom(reader) })
  let answered = 0
  for (const asked of questions) {
    const bytes = queryOf(asked)
    const expected = handle(bytes, from(), values) as Uint8Array
    deepEqual(handle(bytes, from(), arena), expected, `general path: ${JSON.stringify(asked)}`)
    const fast = fastAnswer(reader, bytes)
    if (fast === undefined) continue
    answered++
    if (Buffer.compare(fast, expected) !== 0)
      deepEqual(decodeMessage(fast), decodeMessage(expected), `fast path: ${JSON.stringify(asked)}`)
    deepEqual(Buffer.from(fast), Buffer.from(expected), `octets of the fast path: ${JSON.stringify(asked)}`)
  }
  return answered
}

const types = [1, 2, 5, 6, 12, 15, 16, 28, 33, 39, 43, 64, 65, 255, 65280]
const size = fc.constantFrom(undefined, undefined, 512, 1232, 4096)

const binding = (origin: string) =>
  fc
    .tuple(ownerIn(origin), fc.constantFrom('HTTPS', 'SVCB'), fc.nat(2), fc.oneof(ownerIn(origin), fc.constant('.')))
    .map(([owner, type, priority, target]) => `${owner} 300 ${type} ${priority} ${target}`)
const pointer = (origin: string) => fc.tuple(ownerIn(origin), ownerIn(origin)).map(([a, b]) => `${a} 60 PTR ${b}`)

const zoneOf = (origin: string) =>
  fc
    .tuple(zoneLines(origin), fc.array(binding(origin), { maxLength: 4 }), fc.array(pointer(origin), { maxLength: 2 }))
    .map((lines) => {
      const soa = `${origin} 300 SOA ns.${origin} Host.${origin} 1 2 3 4 60`
      return zoneFromRecords(origin, recordsFrom(origin, [soa, ...lines.flat()].join('\n')))
    })

test('zone values, the arena and the fast path say the same, octet by octet, of any zones', () => {
  let answered = 0
  const questions = fc.array(
    fc.record({
      name: fc.oneof({ weight: 9, arbitrary: ownerIn('z.test.') }, { weight: 1, arbitrary: ownerIn('test.') }),
      type: fc.constantFrom(...types),
      udpSize: size,
      rd: fc.boolean(),
    }),
    { minLength: 20, maxLength: 60 },
  )
  fc.assert(
    fc.property(zoneOf('z.test.'), zoneOf('a.z.test.'), fc.boolean(), questions, (zone, child, both, asked) => {
      const compact = asked.map(({ udpSize, ...rest }) => (udpSize === undefined ? rest : { ...rest, udpSize }))
      answered += compare(both ? [zone, child] : [zone], compact)
    }),
    { numRuns: 300 },
  )
  ok(answered > 3000, `${answered} by the fast path`)
})

test('the fast path answers most questions about generated zones as the general path does', () => {
  let [asked, answered] = [0, 0]
  for (const [i, { origin, lines }] of generateZones(5, 60).entries()) {
    const zone = zoneFrom(origin, lines.join('\n'))
    const questions = generateQuestions(zone, i).map((question) => ({ ...question, udpSize: 1232 }))
    asked += questions.length
    answered += compare([zone], questions)
  }
  ok(answered > asked * 0.7, `${answered} of ${asked}`)
})

test('large answers, long delegations and chains over zones are the same too', () => {
  const names = ['large', 'cut', 'x.cut', 'text', 'alias', 'across', 'away', 'child', 'www.child', 'sub', 'q.wild', '']
  const questions = names.flatMap((name) =>
    [1, 2, 16, 28, 43].flatMap((type) =>
      [undefined, 512, 700, 1232, 4096].map((udpSize) => ({
        name: name === '' ? 'example.' : `${name}.example.`,
        type,
        ...(udpSize !== undefined && { udpSize }),
      })),
    ),
  )
  ok(compare(testZones, questions) > questions.length / 2)
})

test('a root zone and names of all lengths are answered', () => {
  const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}.`
  const root = zoneFrom(
    '.',
    `. SOA a.root. host.root. 1 2 3 4 5
     . NS a.root.
     a.root. A 192.0.2.1
     test. NS ns.test.
     test. NS .
     ns.test. A 192.0.2.2
     ${long} A 192.0.2.3
     alias. CNAME ${long}
     mail. MX 0 .
     here. HTTPS 1 . alpn=h2
     here. A 192.0.2.4
     \\000\\255. TXT "octets"`,
  )
  const names = ['.', 'a.root.', 'root.', 'test.', 'www.test.', long, long.toUpperCase(), 'alias.', 'mail.', 'here.']
  names.push('nothing.', '\\000\\255.', `x.${long.slice(5)}`)
  const questions = names.flatMap((name) => [1, 2, 6, 15, 16, 65].map((type) => ({ name, type, udpSize: 4096 })))
  equal(compare([root], questions), questions.length)
})

test('the letter case of the question is kept by the fast path', () => {
  const { reader } = arenaOf(testZones)
  const reply = decodeMessage(fastAnswer(reader, query('wWw.eXaMpLe.', 'A'))!)
  deepEqual(
    [reply.question[0]!.name, reply.answer.map(({ name }) => name)],
    ['wWw.eXaMpLe.', ['wWw.eXaMpLe.', 'wWw.eXaMpLe.']],
  )
})

test('what is not a common question is left to the general path', () => {
  const { reader, writer } = arenaOf(testZones)
  writer.failZone({ id: 'f', name: 'failed.', serial: 1 }, 'it has no SOA')
  writer.awaitZone({ id: 'w', name: 'awaited.', serial: 1 })
  const cookie = { option: 'cookie', client: new Uint8Array(8) } as const
  const left: Record<string, Uint8Array> = {
    'another opcode': query('www.example.', 'A', { opcode: 4 }),
    'a reply': query('www.example.', 'A', { flags: { ...blank.flags, qr: true } }),
    'another class': query('', '', { question: [{ name: 'www.example.', type: 1, class: 3 }] }),
    'no question': encodeMessage(blank),
    'an option': query('www.example.', 'A', { edns: { options: [cookie] } }),
    'another EDNS version': query('www.example.', 'A', { edns: { version: 1 } }),
    'octets at the end': Buffer.concat([query('www.example.', 'A'), Buffer.of(0)]),
    'a transfer': query('example.', 'AXFR'),
    'a zone that is not held': query('www.elsewhere.test.', 'A'),
    'a zone that fails': query('www.failed.', 'A'),
    'a zone that is awaited': query('www.awaited.', 'A'),
    'DS at the apex': query('example.', 'DS'),
  }
  const www = query('www.example.', 'A', { edns: {} })
  ok(fastAnswer(reader, www))
  for (let length = 0; length < www.length; length++) left[`${length} octets`] = www.subarray(0, length)
  for (const [what, bytes] of Object.entries(left)) equal(fastAnswer(reader, bytes), undefined, what)
})

test('every octet of a query changed to anything gets the answer of the general path or none', () => {
  const { reader } = arenaOf(testZones)
  const server = serverOf({ zones: servedFrom(reader) })
  const www = query('www.example.', 'A', { edns: {} })
  for (let at = 0; at < www.length; at++) {
    for (let octet = 0; octet < 256; octet++) {
      const bytes = www.slice()
      bytes[at] = octet
      const fast = fastAnswer(reader, bytes)
      if (fast) deepEqual(Buffer.from(fast), Buffer.from(handle(bytes, from(), server) as Uint8Array), `${at} ${octet}`)
    }
  }
})
