import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyOption } from '../../test/support/dns-messages.ts'
import { type EdnsOption, encodeOptions, findOption, readOptions } from './edns.ts'
import { WireError } from './errors.ts'
import { Reader } from './wire.ts'

const octets = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const read = (bytes: Uint8Array, version = 0) => readOptions(new Reader(bytes), bytes.length, version)

const table: [what: string, option: EdnsOption, wire: string][] = [
  ['an NSID request', { option: 'nsid', id: octets('') }, '0003 0000'],
  ['an NSID', { option: 'nsid', id: octets('6e7331') }, '0003 0003 6e7331'],
  [
    'a client subnet of RFC 7871',
    { option: 'client-subnet', family: 1, sourcePrefix: 24, scopePrefix: 0, address: octets('c00002') },
    '0008 0007 0001 18 00 c00002',
  ],
  [
    'a client subnet of no bits',
    { option: 'client-subnet', family: 2, sourcePrefix: 0, scopePrefix: 0, address: octets('') },
    '0008 0004 0002 00 00',
  ],
  ['an EXPIRE request', { option: 'expire' }, '0009 0000'],
  ['an EXPIRE value', { option: 'expire', seconds: 604800 }, '0009 0004 00093a80'],
  ['a client cookie', { option: 'cookie', client: octets('0102030405060708') }, '000a 0008 0102030405060708'],
  [
    'both cookies',
    { option: 'cookie', client: octets('0102030405060708'), server: octets('1112131415161718') },
    '000a 0010 0102030405060708 1112131415161718',
  ],
  ['a keepalive request', { option: 'tcp-keepalive' }, '000b 0000'],
  ['a keepalive of 30 seconds', { option: 'tcp-keepalive', tenthsOfSecond: 300 }, '000b 0002 012c'],
  ['padding', { option: 'padding', length: 3 }, '000c 0003 000000'],
  ['an extended error', { option: 'extended-error', code: 18, text: 'nö' }, '000f 0005 0012 6ec3b6'],
  ['a report channel', { option: 'report-channel', agent: 'a.example.' }, '0012 000b 0161 076578616d706c65 00'],
  ['a zone version request', { option: 'zone-version' }, '0013 0000'],
  [
    'a zone version',
    { option: 'zone-version', version: { labels: 2, type: 0, value: octets('78563412') } },
    '0013 0006 02 00 78563412',
  ],
  ['an option not known', { option: 'unknown', code: 65001, data: octets('0102') }, 'fde9 0002 0102'],
]
for (const [what, option, wire] of table) {
  test(`[M18] ${what} is ${wire}`, () => {
    deepEqual(encodeOptions([option]), octets(wire))
    deepEqual(read(octets(wire)), [option])
  })
}

const refused: [what: string, wire: string][] = [
  ['an option cut short', '0003 0002 01'],
  ['half an option header', '0003 00'],
  ['a cookie of 7 octets', '000a 0007 01020304050607'],
  ['a cookie of 12 octets', '000a 000c 010203040506070809101112'],
  ['a cookie of 41 octets', `000a 0029 ${'00'.repeat(41)}`],
  ['an IPv4 subnet of 33 bits', '0008 0009 0001 21 00 c000020100'],
  ['a subnet with a scope of 129 bits', '0008 0004 0002 00 81'],
  ['a subnet with an octet too many', '0008 0007 0001 10 00 c00002'],
  ['a subnet with an octet too few', '0008 0006 0001 18 00 c000'],
  ['a subnet with bits beyond its prefix', '0008 0007 0001 14 00 c00021'],
  ['a subnet without prefixes', '0008 0002 0001'],
  ['an EXPIRE of 3 octets', '0009 0003 010203'],
  ['an EXPIRE of 5 octets', '0009 0005 0102030405'],
  ['a keepalive of 1 octet', '000b 0001 01'],
  ['a keepalive of 3 octets', '000b 0003 010203'],
  ['an extended error of 1 octet', '000f 0001 00'],
  ['a report channel with an octet after the name', '0012 0002 0000'],
  ['a report channel with a compressed name', '0012 0002 c000'],
  ['a zone version of 1 octet', '0013 0001 02'],
]
for (const [what, wire] of refused) {
  test(`[M18] ${what} is a WireError`, () => void throws(() => read(octets(wire)), WireError))
}

test('[M18] an extended error whose text is no UTF-8 is still readable', () => {
  deepEqual(read(octets('000f 0004 0001 ff41')), [{ option: 'extended-error', code: 1, text: '\ufffdA' }])
})

test('[M18] options of another EDNS version are kept as bytes, so that BADVERS can be answered', () => {
  deepEqual(read(octets('000a 0001 07'), 1), [{ option: 'unknown', code: 10, data: octets('07') }])
})

test('[M18] any options survive encode → read', () => {
  fc.assert(
    fc.property(fc.array(anyOption, { maxLength: 6 }), (options) => deepEqual(read(encodeOptions(options)), options)),
    { numRuns: 500 },
  )
})

test('[M18] any bytes are options or a WireError', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(3, 8, 9, 10, 11, 12, 15, 18, 19, 99),
      fc.uint8Array({ maxLength: 50 }),
      (code, data) => {
        try {
          read(Uint8Array.from([0, code, 0, data.length, ...data]))
        } catch (error) {
          if (!(error instanceof WireError)) throw error
        }
      },
    ),
    { numRuns: 1000 },
  )
})

test('[M18] an option is found by its kind', () => {
  const options: EdnsOption[] = [
    { option: 'expire' },
    { option: 'padding', length: 1 },
    { option: 'padding', length: 2 },
  ]
  const edns = { udpSize: 512, version: 0, dnssecOk: false, options }
  equal(findOption(edns, 'padding')?.length, 1)
  equal(findOption(edns, 'nsid'), undefined)
  equal(findOption(undefined, 'nsid'), undefined)
})
