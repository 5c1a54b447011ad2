// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how $GENERATE writes places
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { comparable, readWith, type Tool, tools } from '../../../test/support/zone-tools.ts'
import { parseZoneFile } from './zonefile.ts'

const HEAD =
  '$ORIGIN example.org.\n$TTL 3600\n@ SOA ns1 hostmaster 1 7200 3600 1209600 300\n@ NS ns1\nns1 A 192.0.2.53\n'

// Each zone is nasty in its own way. `not` names the tools that do not read it, and why.
type Nasty = {
  readonly name: string
  readonly text: readonly string[]
  readonly end?: ''
  readonly not?: Partial<Record<Tool, string>>
}
const zones: readonly Nasty[] = [
  {
    name: '[F1] blank owners',
    text: ['a A 192.0.2.1', '\tA 192.0.2.2', '  ; comment', '', '   TXT x', 'b A 192.0.2.3'],
  },
  {
    name: '[F2] relative names, @ and the wildcard',
    text: ['a MX 10 @', 'b CNAME c.d', '* A 192.0.2.1', 'x.y.z A 192.0.2.2', 'UPPER CNAME MiXed'],
  },
  {
    name: '[F3] origins',
    text: ['$ORIGIN sub.example.org.', '@ A 192.0.2.1', 'x CNAME @', '$ORIGIN org.', 'y.example CNAME example'],
  },
  {
    name: '[F3] a relative origin',
    text: ['$ORIGIN sub', '@ A 192.0.2.1', '$ORIGIN deep', 'x CNAME @'],
    not: {
      kzonecheck: 'wants an absolute one',
      'nsd-checkzone': 'wants an absolute one',
      'ldns-read-zone': 'takes it as absolute',
      dnspython: 'takes it as absolute',
    },
  },
  {
    name: '[F4] TTLs by $TTL',
    text: ['a A 192.0.2.1', '$TTL 60', 'b A 192.0.2.1', 'c 5 A 192.0.2.1', 'd A 192.0.2.1'],
  },
  {
    name: '[F5] TTL units',
    text: ['a 1w2d3h4m5s A 192.0.2.1', 'b 1H30M A 192.0.2.1', 'c 0 A 192.0.2.1', '$TTL 2h', 'd A 192.0.2.1'],
  },
  {
    name: '[F6] TTL before class, or one of them',
    text: ['a 5 IN A 192.0.2.1', 'c IN A 192.0.2.1', 'd in a 192.0.2.1', ' 7 IN TXT x', ' 7 HINFO a b'],
  },
  {
    name: '[F6] class before TTL',
    text: ['a IN 5 A 192.0.2.1', ' IN 7 TXT x'],
    not: { 'ldns-read-zone': 'wants the TTL first', dnspython: 'wants the TTL first in this version' },
  },
  {
    name: '[F7] [F8] parentheses and comments',
    text: ['a A ( ; x )', '', ' 192.0.2.1 ) ; y', 'b TXT ("1" ; "no"', '"2"', '\t"3")', 'c MX (', '10 mail) ;'],
  },
  {
    name: '[F7] parentheses in parentheses',
    text: ['a MX ( ( 10', ' ) ( mail ) )'],
    not: { kzonecheck: 'wants one level', 'nsd-checkzone': 'wants one level' },
  },
  {
    name: '[F9] CRLF and tabs',
    text: ['a\tIN\tA\t192.0.2.1\r', '\tIN\tTXT\t"x"\r', 'b A ( \r', '192.0.2.1 )\r'],
    not: { kzonecheck: 'wants LF' },
  },
  {
    name: '[F9] files without a line end at the end',
    text: ['a A 192.0.2.1', 'b TXT "x"'],
    end: '',
  },
  {
    name: '[F10] quotes',
    text: ['a TXT "b c" d "" "(;)" "  "', 'b TXT "a;b"', 'c HINFO "x y" z'],
  },
  {
    name: '[F11] escapes in strings',
    text: [String.raw`a TXT "\"q\"" "\\" \;x "\000\255\065" "\;" a\ b`],
  },
  {
    name: '[F11] escapes in names',
    text: [
      String.raw`a\.b A 192.0.2.1`,
      String.raw`\097\098 A 192.0.2.2`,
      String.raw`x\032y A 192.0.2.3`,
      String.raw`\@ A 192.0.2.4`,
      String.raw`\000 A 192.0.2.5`,
      String.raw`\; A 192.0.2.7`,
      String.raw`m CNAME q\.\\r`,
    ],
  },
  {
    name: '[F11] an owner that begins with an escaped dollar sign',
    text: [String.raw`\$x A 192.0.2.8`],
    not: { 'ldns-read-zone': 'writes it without the escape' },
  },
  {
    name: '[F12] UTF-8',
    text: ['a TXT "grün 🦊"', 'b TXT "日本語" "é"'],
    not: { kzonecheck: 'wants ASCII' },
  },
  {
    name: '[F13] unknown types and data by octets',
    text: [
      String.raw`a TYPE65280 \# 4 0A000001`,
      String.raw`b A \# 4 c0000201`,
      'c TYPE1 192.0.2.1',
      String.raw`d TYPE65281 \# 0`,
      String.raw`e TYPE65280 ( \# 3 ; x`,
      ' 0a',
      '0b0c )',
      String.raw`f MX \# 3 0000 00`,
      String.raw`g TXT \# 2 0161`,
      String.raw`h CNAME \# 3 016100`,
    ],
  },
  {
    name: '[F13] a class by number',
    text: ['a CLASS1 A 192.0.2.1'],
    not: { kzonecheck: 'does not know this' },
  },
  {
    name: 'HTTPS and SVCB parameters',
    text: [
      'a HTTPS 1 . alpn="h2,h3" port=443 ipv4hint=192.0.2.1,192.0.2.2',
      'b SVCB 0 svc',
      String.raw`c SVCB 16 svc key667="hello\210qoo" mandatory=alpn alpn=h2`,
    ],
  },
  {
    name: 'data in many forms',
    text: [
      'a LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m',
      'b NAPTR 100 10 "S" "SIP+D2U" "!^.*$!x!" _sip._udp',
      'c CAA 0 issue "ca.example; a=b"',
      'd SSHFP 1 1 ( 0123456789abcdef',
      '0123456789abcdef01234567 )',
      'e TLSA 3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      'f SRV 1 2 3 t',
      'g DS 1 8 2 0123456789ABCDEF0123456789abcdef 0123456789abcdef0123456789abcdef',
    ],
  },
  {
    name: '[F19] [F20] [F21] $GENERATE',
    text: [
      '$GENERATE 1-5 a$ A 192.0.2.$',
      '$GENERATE 0-20/5 b${1,3,x} 60 CNAME c${0,5,o}.d',
      '$GENERATE 9-11 ${0,7,n}.e IN CNAME ${0,1,N}.${-3,2,X}',
      String.raw`$GENERATE 250-251 f\$$ IN 7 TXT $$x$`,
      '$GENERATE 1-2 @ 30 MX "10 m${100}"',
      '$GENERATE 3-4 ${-5}.g A 192.0.2.${1}',
    ],
    not: {
      kzonecheck: 'does not know it',
      'nsd-checkzone': 'does not know it',
      'ldns-read-zone': 'does not know it',
      dnspython: 'knows part of it',
    },
  },
  {
    name: '[F19] a plain $GENERATE',
    text: ['$GENERATE 1-9/2 h$ A 192.0.2.$', '$GENERATE 1-3 i${2,3,d} CNAME h$'],
    not: { kzonecheck: 'does not know it', 'nsd-checkzone': 'does not know it', 'ldns-read-zone': 'does not know it' },
  },
]

for (const { name, text, end = '\n', not = {} } of zones) {
  const zone = HEAD + text.join('\n') + end
  const { records, faults } = parseZoneFile(zone)
  for (const tool of tools.filter((tool) => !(tool in not))) {
    test(`${name} are read as ${tool} reads them`, () => {
      deepEqual(faults, [])
      const { refused, records: theirs } = readWith(tool, zone)
      equal(refused, undefined)
      if (theirs !== undefined) deepEqual(comparable(records), theirs)
    })
  }
}

// TTL rules without $TTL differ between tools; ours are BIND's.
for (const [name, text] of [
  ['the last TTL written', '@ 9 SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1\nns1 10 A 192.0.2.1\nb A 192.0.2.2\n'],
  ['the minimum of the SOA', '@ SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1\nns1 10 A 192.0.2.1\nb A 192.0.2.2\n'],
  [
    'the minimum of the SOA, then $TTL',
    '@ SOA ns1 hostmaster 1 2 3 4 5\n@ NS ns1\n$TTL 77\nns1 10 A 192.0.2.1\nb A 192.0.2.2\n',
  ],
] as const) {
  test(`[F4] ${name} holds as with named-checkzone`, () => {
    const { records, faults } = parseZoneFile(text, { origin: 'example.org.' })
    deepEqual(faults, [])
    deepEqual(comparable(records), readWith('named-checkzone', text).records)
  })
}

const wrong: readonly string[] = [
  'a A 1.2.3\n',
  'a A ( 192.0.2.1\n',
  'a A 192.0.2.1 )\n',
  'a TXT "x\n',
  'a FOO x\n',
  'a IN IN A 192.0.2.1\n',
  'a 1h30 A 192.0.2.1\n',
  'a..b A 192.0.2.1\n',
  `${'a'.repeat(64)} A 192.0.2.1\n`,
  'a TYPE65280 \\# 3 0A\n',
  'a TYPE65280 x\n',
  'a MX mail\n',
  'a\n',
  '$FOO x\n',
  '$ORIGIN\n',
  '$TTL x\n',
  '$GENERATE 3-1 a$ A 192.0.2.$\n',
  '$GENERATE 1-3/0 a$ A 192.0.2.$\n',
  '$GENERATE 1-3 a${0,1,q} A 192.0.2.$\n',
  `a TXT ${'x'.repeat(256)}\n`,
  'a TXT\n',
  'a \\256 A 192.0.2.1\n',
  'a TXT \\256\n',
]

for (const text of wrong) {
  test(`[F24] ${JSON.stringify(text.slice(0, 60))} is refused, as by named-checkzone`, () => {
    deepEqual(parseZoneFile(HEAD + text).faultCount > 0, true)
    deepEqual(readWith('named-checkzone', HEAD + text).records, undefined)
  })
}
