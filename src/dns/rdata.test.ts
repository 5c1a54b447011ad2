import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { TextError, WireError } from './errors.ts'
import { nameToWire } from './name.ts'
import { canonicalRdata, rdataFromText, rdataNames, rdataToText, readRdata, sameRdata, writeRdata } from './rdata.ts'
import { Tokens } from './text.ts'
import { classCode, className, typeCode, typeName, typeOf, types } from './types/index.ts'
import { Reader, Writer } from './wire.ts'

const from = (type: string, text: string, origin?: string) => rdataFromText(typeCode(type)!, text, origin)
const shown = (type: string, text: string, origin?: string) => rdataToText(typeCode(type)!, from(type, text, origin))
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

const messages: readonly [type: string, text: string, message: string][] = [
  ['A', '256.1.1.1', 'address must be four numbers 0..255 with dots, as in 192.0.2.1, not 256.1.1.1'],
  ['MX', '70000 mail.example.', 'preference must be 0..65535, not 70000'],
  ['MX', '10', 'exchange is missing'],
  ['MX', '10 mail.example', 'exchange must end in a dot, as in mail.example., not mail.example'],
  ['MX', '10 mail.example. x', 'nothing may follow the last field, as x does'],
  ['TLSA', '3 1 1 00', 'data of type 1 must have 32 octets (64 digits), not 1'],
  ['DNSKEY', '257 3 8 AQI', 'public key must be base64 with = padding, not AQI'],
  ['SVCB', '1 a. mandatory=port', 'port must be given, being in mandatory'],
  ['TYPE65280', 'x', 'TYPE65280 records must be written as in \\# 4 0A000001'],
]
for (const [type, text, message] of messages) {
  test(`[T3] ${type} ${text} is refused with: ${message}`, () => {
    throws(() => from(type, text), new TextError(message))
  })
}

test('[T3] what was given is shown in part when it is long', () => {
  throws(
    () => from('A', 'x'.repeat(10_000)),
    (error) => error instanceof TextError && error.message.length < 250,
  )
})

test('[T8] \\# length hex is taken for every type, and checked for those that are known', () => {
  deepEqual(from('TYPE65280', '\\# 4 0A 00 0001'), bytes('0a000001'))
  deepEqual(from('TYPE65280', '\\# 0'), bytes(''))
  equal(rdataToText(65280, bytes('0a000001')), '\\# 4 0A000001')
  equal(shown('A', '\\# 4 0A000001'), '10.0.0.1')
  equal(shown('TXT', '( \\# 3 02 6869 )'), '"hi"')
  deepEqual(rdataFromText(1, new Tokens(['\\#', '4', '0a00', '0001'])), bytes('0a000001'))
  for (const text of [
    '\\#',
    '\\# x',
    '\\# 4 0A0000',
    '\\# 3 0A000001',
    '\\# 4 0A00000',
    '\\# 70000 00',
    '\\# 4 0A00000g',
  ]) {
    throws(() => from('TYPE65280', text), TextError, text)
  }
  throws(() => from('A', '\\# 5 0A00000100'), /no A record/)
  throws(() => from('MX', '\\# 2 000A'), TextError)
})

test('[T8] octets that no text of the type gives back are printed in that form', () => {
  equal(rdataToText(15, bytes('000a00')), '\\# 3 000A00')
  equal(rdataToText(42, bytes('00010803000000')), '\\# 7 00010803000000')
  equal(
    rdataToText(29, bytes(`00051613${'80000000'.repeat(2)}00989680`)),
    `\\# 16 00051613${'80000000'.repeat(2)}00989680`,
  )
})

test('[T9] a name without a final dot is taken from the origin, and refused where there is none', () => {
  equal(shown('MX', '10 mail', 'example.org.'), '10 mail.example.org.')
  equal(shown('CNAME', '@', 'example.org.'), 'example.org.')
  equal(shown('HIP', '2 00 AQID rvs', 'example.org.'), '2 00 AQID rvs.example.org.')
  throws(() => from('CNAME', 'www'), /must end in a dot/)
})

test('[T9] letters beyond ASCII in a typed name become A-labels', () => {
  equal(shown('MX', '10 Bücher.Example.'), '10 xn--bcher-kva.Example.')
  throws(() => from('MX', '10 a\u2028b.example.'), TextError)
})

test('[T10] typed text without quotes is one text, cut every 255 octets', () => {
  equal(shown('TXT', 'v=DMARC1;p=none'), '"v=DMARC1;p=none"')
  const octets = from('TXT', 'é'.repeat(300))
  deepEqual([octets.length, octets[0], octets[256], octets[512]], [603, 255, 255, 90])
  throws(() => from('TXT', `"${'a'.repeat(256)}"`), /at most 255 octets, not 256/)
  throws(() => from('TXT', 'a'.repeat(70_000)), TextError)
})

test('[T10] in a zone file every word is a text of its own', () => {
  const tokens = (list: string[]) => rdataToText(16, rdataFromText(16, new Tokens(list)))
  equal(tokens(['v=spf1', '-all']), '"v=spf1" "-all"')
  equal(tokens(['"a b"', 'c']), '"a b" "c"')
  throws(() => rdataFromText(16, new Tokens([])), TextError)
})

test('[T11] blanks of any number and kind, and parentheses, stand between fields', () => {
  equal(shown('SRV', ' \t10  5\n( 5060 sip.example. ) '), '10 5 5060 sip.example.')
  throws(() => from('SRV', '10 5 5060 sip.example. ; comment'), TextError)
})

test('[T12] records that differ in the letter case of names are the same, in the types of RFC 4034 6.2 only', () => {
  ok(sameRdata(15, from('MX', '10 MAIL.example.'), from('MX', '10 mail.EXAMPLE.')))
  ok(!sameRdata(15, from('MX', '10 mail.example.'), from('MX', '20 mail.example.')))
  ok(!sameRdata(16, from('TXT', 'A'), from('TXT', 'a')))
  ok(!sameRdata(47, from('NSEC', 'A. A'), from('NSEC', 'a. A')))
  ok(!sameRdata(64, from('SVCB', '1 A.'), from('SVCB', '1 a.')))
  const signature = 'A 5 2 1 20260101000000 20260101000000 1 EXAMPLE.com. AQID'
  equal(rdataToText(46, canonicalRdata(46, from('RRSIG', signature))), signature.replace('EXAMPLE', 'example'))
  equal(rdataToText(35, canonicalRdata(35, from('NAPTR', '1 1 "S" "X" "" A.'))), '1 1 "S" "X" "" a.')
})

test('[T13] names are compressed in the types of RFC 1035 alone', () => {
  const written = (type: string, text: string) => {
    const writer = new Writer()
    writer.name('example.com.')
    const start = writer.offset
    writeRdata(typeCode(type)!, writer, from(type, text))
    return writer.offset - start
  }
  equal(written('NS', 'ns.example.com.'), 5)
  equal(written('SOA', 'ns.example.com. host.example.com. 1 2 3 4 5'), 5 + 7 + 20)
  for (const type of ['DNAME', 'NSEC', 'SRV', 'KX']) {
    const text = typeOf(type)!.examples.find((example) => example.includes('example.com.'))!
    equal(written(type, text), from(type, text).length, type)
  }
})

test('[T13] compressed names are expanded in the types that RFC 3597 lists, and refused in others', () => {
  const message = Buffer.concat([
    nameToWire('example.com.'),
    bytes('000a'),
    bytes('0001'),
    bytes('0002'),
    bytes('c000'),
  ])
  const read = (code: number, length: number) => readRdata(code, new Reader(message, message.length - length), length)
  deepEqual(read(2, 2), nameToWire('example.com.'))
  deepEqual(read(15, 4), new Uint8Array([0, 2, ...nameToWire('example.com.')]))
  deepEqual(read(33, 8), new Uint8Array([0, 10, 0, 1, 0, 2, ...nameToWire('example.com.')]))
  throws(() => read(39, 2), WireError)
  throws(() => read(47, 2), WireError)
})

test('[T13] data that is longer or shorter than it says is a WireError', () => {
  throws(() => readRdata(1, new Reader(bytes('0a0000')), 3), WireError)
  throws(() => readRdata(1, new Reader(bytes('0a00000100')), 5), WireError)
  throws(() => readRdata(1, new Reader(bytes('0a000001')), 5), WireError)
  throws(() => readRdata(2, new Reader(bytes('016100')), 2), WireError)
  throws(() => readRdata(2, new Reader(bytes('01610000')), 4), WireError)
})

test('[T14] types of questions and messages are never part of a zone', () => {
  for (const type of ['OPT', 'TSIG', 'TKEY', 'IXFR', 'AXFR', 'ANY', 'NXNAME']) {
    throws(() => from(type, '\\# 0'), /never part of a zone/, type)
  }
})

test('[T14] types and classes are known by name or number, in any letter case', () => {
  equal(typeCode('mx'), 15)
  equal(typeCode('TYPE15'), 15)
  equal(typeCode('type65535'), 65535)
  equal(typeCode('MINFO'), 14)
  for (const name of ['', 'TYPE', 'TYPE65536', 'TYPE-1', 'TYPE01', 'NOPE', 'constructor', 'A '])
    equal(typeCode(name), undefined)
  equal(typeName(15), 'MX')
  equal(typeName(65280), 'TYPE65280')
  deepEqual(
    [classCode('in'), classCode('CLASS3'), classCode('toString'), className(254), className(9)],
    [1, 3, undefined, 'NONE', 'CLASS9'],
  )
  equal(new Set(types.map(({ code }) => code)).size, types.length)
})

test('[T4] the names in data are found', () => {
  deepEqual(rdataNames(15, from('MX', '10 mail.example.')), ['mail.example.'])
  deepEqual(rdataNames(6, from('SOA', 'a. b. 1 2 3 4 5')), ['a.', 'b.'])
  deepEqual(rdataNames(55, from('HIP', '2 00 AQID a. b.')), ['a.', 'b.'])
  deepEqual(rdataNames(1, from('A', '192.0.2.1')), [])
  deepEqual(rdataNames(65280, bytes('00')), [])
})

// Captured from a live Designate, with what a name server could then have served.
const refusedByDesignateToo: readonly [type: string, ...texts: string[]][] = [
  ['A', 'nope', '256.1.1.1', '1.2.3', '2001:db8::1', '01.02.03.04', ''],
  ['AAAA', '192.0.2.1', 'zz::1', '::1::', ''],
  ['CNAME', 'nodot', 'a b.', '', 'x..org.', '192.0.2.1'],
  ['MX', 'mail.org.', '10 nodot', '-1 mail.org.', '70000 mail.org.', 'x mail.org.', '10 mail.org. extra'],
  ['NS', 'nodot', '192.0.2.1'],
  ['PTR', 'nodot', 'a b.'],
  ['SRV', '10 5 sip.org.', '10 5 5060 nodot', '10 5 99999 sip.org.', 'x 5 5060 sip.org.', '-1 0 1 a.org.'],
  ['TXT', '"unclosed', '"a" b', ' lead'],
  ['SSHFP', '1 1', '1 1 zz', '1 1 abc'],
  ['CAA', '256 issue x.org', '0 issue', 'issue x.org', '0 iodef nope'],
  ['NAPTR', 'x', '100 10 S SIP+D2U', '99999 10 S SIP "" a.org.'],
  ['CERT', 'x', 'BOGUS 1 RSASHA256 abcd', 'PKIX 99999 RSASHA256 abcd', 'PKIX 1 BOGUS abcd'],
]
for (const [type, ...texts] of refusedByDesignateToo) {
  test(`[T15] ${type} data that Designate refuses and nobody could serve is refused`, () => {
    for (const text of texts) throws(() => from(type, text), TextError, text)
  })
}

const takenBeyondDesignate: readonly [type: string, text: string][] = [
  ['A', '192.0.2.1 '],
  ['CNAME', '*.org.'],
  ['NS', '*.org.'],
  ['MX', '10  mail.org.'],
  ['MX', '0 .'],
  ['SRV', '0 0 0 .'],
  ['TXT', 'a'.repeat(256)],
  ['CAA', '0 bogus x.org'],
  ['CAA', '0 issue ;'],
  ['CAA', '128 issue "ca.example.net; account=1"'],
  ['CAA', '0 issuewild x.org'],
  ['SSHFP', `9 9 ${'ab'.repeat(20)}`],
  ['NAPTR', '100 10 "Z" "SIP+D2U" "" a.org.'],
  ['HTTPS', '1 .'],
  ['AAAA', '::ffff:1.2.3.4'],
]
test('[T15] data that can be served is taken, also where Designate refuses it', () => {
  for (const [type, text] of takenBeyondDesignate) ok(from(type, text).length > 0, `${type} ${text}`)
})

test('[T15] data that Designate takes and nobody could serve is refused', () => {
  for (const [type, text] of [
    ['SPF', '"unclosed'],
    ['CERT', 'PKIX 1 RSASHA256 !!!'],
    ['SSHFP', '1 1 0123456789'],
  ] as const) {
    throws(() => from(type, text), TextError, `${type} ${text}`)
  }
})
