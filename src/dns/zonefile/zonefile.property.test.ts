// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how $GENERATE writes places
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ORIGIN, writeNastily, zoneFileRecords } from '../../../test/support/arbitrary-zone-files.ts'
import { type PrintOptions, printZoneFile } from './print.ts'
import { parseZoneFile, type ZoneFile } from './zonefile.ts'

const OPTIONS = { origin: 'example.org.', ttl: 60 }
const bare = ({ records, faults }: ZoneFile) => {
  deepEqual(faults, [])
  return records.map(({ line: _, ...record }) => record)
}

const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      '\n',
      '\r\n',
      ' ',
      '\t',
      '(',
      ')',
      '"',
      '\\',
      ';',
      '$',
      '@',
      '.',
      '*',
      '=',
      '{',
      '}',
      '-',
      '/',
      ',',
      '\\#',
      '\\1',
      '\\000',
      '\0',
      '\ufeff',
    ],
    ...[
      'a',
      'www',
      'example.org.',
      'IN',
      'CH',
      '3600',
      '1h',
      'A',
      'TXT',
      'MX',
      'SOA',
      'SVCB',
      'NSEC',
      'LOC',
      'APL',
      'TYPE65280',
      'TYPE1',
      'OPT',
    ],
    ...[
      '192.0.2.1',
      '10 mail',
      '\\# 4 0A000001',
      '\\# 99999 00',
      '"x y"',
      'ns1 h 1 2 3 4 5',
      '1 . alpn="h2"',
      'alpn="',
      '\\-ANY',
    ],
    ...[
      '$ORIGIN ',
      '$TTL ',
      '$INCLUDE x',
      '$GENERATE ',
      '1-3',
      '0-99999999',
      '${0,3,n}',
      '${',
      '$DATE 1',
      '\n$GENERATE 1-9 a$ A 192.0.2.$\n',
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const text = fc.array(fragment, { maxLength: 60 }).map((parts) => parts.join(''))
const bytes = fc.uint8Array({ maxLength: 300 })
const include = () => 'included A 192.0.2.1\n$TTL x'

test('[F26] any text and any octets give records and faults, nothing else', () => {
  fc.assert(
    fc.property(fc.oneof(text, bytes), (input) => {
      const { records, faults, faultCount } = parseZoneFile(input, { ...OPTIONS, include, mostGenerated: 1000 })
      equal(faultCount >= faults.length, true)
      for (const { ttl, line } of records) equal(ttl >= 0 && ttl <= 0x7fff_ffff && line >= 1, true)
      for (const { line, column, message } of faults)
        equal(line >= 1 && column >= 1 && message.length > 0 && message.length < 500, true)
    }),
    { numRuns: 3000 },
  )
})

test('[F27] how a file is cut, and where in the windows it lies, changes nothing', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(text, sizes, fc.nat(300), (input, lengths, before) => {
      const octets = Buffer.from(input)
      const whole = parseZoneFile(octets, OPTIONS)
      const cut: Uint8Array[] = []
      for (let at = 0; at < octets.length; at += cut.at(-1)!.length) {
        cut.push(octets.subarray(at, at + lengths[cut.length % lengths.length]!))
      }
      deepEqual(parseZoneFile(cut, OPTIONS), whole)
      if (input.startsWith('\ufeff')) return
      const moved = parseZoneFile([`;${'x'.repeat(65_400 + before)}\n`, octets], OPTIONS)
      const down = <T extends { readonly line: number }>(items: readonly T[]) =>
        items.map((item) => ({ ...item, line: item.line + 1 }))
      // A message may name another line, so only the places are compared.
      const places = (faults: ZoneFile['faults']) => faults.map(({ line, column }) => `${line}:${column}`)
      deepEqual(moved.records, down(whole.records))
      deepEqual(places(moved.faults), places(down(whole.faults)))
    }),
    { numRuns: 300 },
  )
})

const layouts: readonly PrintOptions[] = [
  {},
  { types: 'all' },
  { layout: 'aligned', origin: ORIGIN, ttl: 60 },
  { layout: 'aligned', origin: '.', types: 'all' },
]

test('[F31] records printed in any layout and read again are the same', () => {
  fc.assert(
    fc.property(zoneFileRecords, fc.constantFrom(...layouts), (records, options) => {
      const printed = printZoneFile(records, options)
      deepEqual(bare(parseZoneFile(printed)), records)
      equal(printZoneFile(parseZoneFile(printed).records, options), printed)
    }),
    { numRuns: 300 },
  )
})

test('records written in any of the many ways are read as what they are', () => {
  fc.assert(
    fc.property(zoneFileRecords, fc.array(fc.nat(1000), { minLength: 20, maxLength: 200 }), (records, choices) => {
      deepEqual(bare(parseZoneFile(writeNastily(records, choices))), records)
    }),
    { numRuns: 300 },
  )
})

test('[F26] a megabyte of anything, or a line of ten, is read in a moment', () => {
  const units = [
    'a',
    ' ',
    '\n',
    '(',
    ')',
    '"',
    '\\',
    ';',
    'a A 192.0.2.1\n',
    ' A x\n',
    '$GENERATE 1-9 a$ A 192.0.2.1\n',
    '(\n',
    'a (\n',
    '"a" ',
    'a TXT ( "\n',
    '\xff',
    '$',
    '\\# ',
    'a.',
    '\r',
    '\n(',
  ]
  for (const unit of units) {
    const started = performance.now()
    const { faults } = parseZoneFile(unit.repeat(Math.ceil(1_000_000 / unit.length)), { ...OPTIONS, mostFaults: 3 })
    equal(faults.length <= 3, true)
    equal(performance.now() - started < 10_000, true, JSON.stringify(unit))
  }
  const long = 'x'.repeat(10_000_000)
  for (const line of [
    long,
    `a TXT "${long}"`,
    `a TXT ${long}`,
    `${long} A 192.0.2.1`,
    `a TXT ( ${'"x" '.repeat(2_500_000)})`,
    `; ${long}`,
  ]) {
    const started = performance.now()
    equal(parseZoneFile(`${line}\nb A 192.0.2.1\n`, OPTIONS).records.length, 1)
    equal(performance.now() - started < 10_000, true)
  }
})
