// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how $GENERATE writes places
import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { rdataToText } from '../rdata.ts'
import { typeName } from '../types/index.ts'
import { parseZoneFile, type ZoneFileOptions } from './zonefile.ts'

const show = (text: string | Uint8Array, options: ZoneFileOptions = {}) => {
  const { records, faults } = parseZoneFile(text, { origin: 'example.org.', ttl: 3600, ...options })
  return {
    records: records.map((r) => `${r.name} ${r.ttl} ${typeName(r.type)} ${rdataToText(r.type, r.rdata)}`),
    faults: faults.map((f) => `${f.file === undefined ? '' : `${f.file} `}${f.line}:${f.column} ${f.message}`),
  }
}

/** The records of a text that has no fault. */
const read = (text: string | Uint8Array, options: ZoneFileOptions = {}) => {
  const { records, faults } = show(text, options)
  deepEqual(faults, [])
  return records
}

const SOA = 'SOA ns1.example.org. hostmaster.example.org. 1 7200 3600 1209600 300'

const reads: readonly [name: string, text: string, records: readonly string[], options?: ZoneFileOptions][] = [
  [
    '[F1] a line that begins with white space has the owner of the record before',
    'www A 192.0.2.1\n\tA 192.0.2.2\n    TXT x\n',
    ['www.example.org. 3600 A 192.0.2.1', 'www.example.org. 3600 A 192.0.2.2', 'www.example.org. 3600 TXT "x"'],
  ],
  [
    '[F2] names without a final dot are relative, @ is the origin',
    '@ MX 10 mail\nabsolute.test. CNAME @\na.b CNAME other.test.\n* A 192.0.2.1\n',
    [
      'example.org. 3600 MX 10 mail.example.org.',
      'absolute.test. 3600 CNAME example.org.',
      'a.b.example.org. 3600 CNAME other.test.',
      '*.example.org. 3600 A 192.0.2.1',
    ],
  ],
  ['[F2] letter case is kept', 'WwW cname MaIl\n', ['WwW.example.org. 3600 CNAME MaIl.example.org.']],
  [
    '[F3] $ORIGIN changes where relative names begin, and may be relative itself',
    '$ORIGIN sub\n@ A 192.0.2.1\n$origin other.test.\nw CNAME x\n$ORIGIN .\ntop A 192.0.2.2\n',
    ['sub.example.org. 3600 A 192.0.2.1', 'w.other.test. 3600 CNAME x.other.test.', 'top. 3600 A 192.0.2.2'],
  ],
  [
    '[F3] a blank owner stays the same after $ORIGIN, an equal text does not',
    'w A 192.0.2.1\n$ORIGIN sub\n A 192.0.2.2\nw A 192.0.2.3\n',
    ['w.example.org. 3600 A 192.0.2.1', 'w.example.org. 3600 A 192.0.2.2', 'w.sub.example.org. 3600 A 192.0.2.3'],
  ],
  [
    '[F4] $TTL holds for what follows and does not have a TTL',
    '$TTL 60\na A 192.0.2.1\nb 5 A 192.0.2.1\nc A 192.0.2.1\n$TTL 70\nd A 192.0.2.1\n',
    ['a', 'b', 'c', 'd'].map((n, i) => `${n}.example.org. ${[60, 5, 60, 70][i]} A 192.0.2.1`),
  ],
  [
    '[F4] without $TTL the last TTL written holds (RFC 1035)',
    `@ 9 ${SOA}\n@ NS ns1\nw 10 A 192.0.2.1\nx A 192.0.2.1\n`,
    [
      `example.org. 9 ${SOA}`,
      'example.org. 9 NS ns1.example.org.',
      'w.example.org. 10 A 192.0.2.1',
      'x.example.org. 10 A 192.0.2.1',
    ],
    { ttl: undefined },
  ],
  [
    '[F4] with no TTL at all the SOA minimum holds (as BIND does)',
    `@ ${SOA}\n@ NS ns1\nw 10 A 192.0.2.1\nx A 192.0.2.1\n`,
    [
      `example.org. 300 ${SOA}`,
      'example.org. 300 NS ns1.example.org.',
      'w.example.org. 10 A 192.0.2.1',
      'x.example.org. 300 A 192.0.2.1',
    ],
    { ttl: undefined },
  ],
  [
    '[F5] TTLs have units',
    'a 1w2d3h4m5s A 192.0.2.1\na 1H30M A 192.0.2.1\na 0 A 192.0.2.1\na 2147483647 A 192.0.2.1\n$TTL 1h\nb A 192.0.2.1\n',
    [
      ...[788645, 5400, 0, 2147483647].map((ttl) => `a.example.org. ${ttl} A 192.0.2.1`),
      'b.example.org. 3600 A 192.0.2.1',
    ],
  ],
  [
    '[F6] class and TTL come in either order, or not',
    'a IN 5 A 192.0.2.1\na 5 IN A 192.0.2.1\na in A 192.0.2.1\na 5 a 192.0.2.1\na CLASS1 5 A 192.0.2.1\n IN A 192.0.2.1\n',
    [5, 5, 3600, 5, 5, 3600].map((ttl) => `a.example.org. ${ttl} A 192.0.2.1`),
  ],
  [
    '[F6] an owner may look like a class, a type or a TTL',
    'IN A 192.0.2.1\nA IN A 192.0.2.1\n300 A 192.0.2.1\n',
    ['IN', 'A', '300'].map((n) => `${n}.example.org. 3600 A 192.0.2.1`),
  ],
  [
    '[F7] [F8] parentheses hold a record over lines with comments',
    '@ SOA ns1 hostmaster ( ; begin\n 1 ; serial\n2h;refresh\n\n1h (2w) ; )\n300 )\n',
    [`example.org. 3600 ${SOA}`],
  ],
  [
    '[F7] parentheses may stand anywhere between fields',
    '( a A\n192.0.2.1 )\n ( A ) ( 192.0.2.2 )\n',
    ['a.example.org. 3600 A 192.0.2.1', 'a.example.org. 3600 A 192.0.2.2'],
  ],
  [
    '[F10] [F11] quotes and escapes in strings and names',
    'a TXT "b c" d\\ e \\"f\\" "g\\;\\"" ";" "\\097\\200"\nx\\.y.\\122\\\\ CNAME \\*\n"quoted" A 192.0.2.1',
    [
      'a.example.org. 3600 TXT "b c" "d e" "\\"f\\"" "g;\\"" ";" "a\\200"',
      'x\\.y.z\\\\.example.org. 3600 CNAME *.example.org.',
      'quoted.example.org. 3600 A 192.0.2.1',
    ],
  ],
  [
    '[F12] UTF-8 is kept as the octets it is',
    'a TXT "grün" 🦊\ngrün A 192.0.2.1\n',
    ['a.example.org. 3600 TXT "gr\\195\\188n" "\\240\\159\\166\\138"', 'gr\\195\\188n.example.org. 3600 A 192.0.2.1'],
  ],
  [
    '[F13] types and data by number (RFC 3597)',
    'a TYPE65280 \\# 4 0A000001\na A \\# 4 C0 00 0201\na TYPE1 192.0.2.1\na TYPE731 \\# 0\na type65280 ( \\# 2\n0a 0b )\n',
    [
      'a.example.org. 3600 TYPE65280 \\# 4 0A000001',
      'a.example.org. 3600 A 192.0.2.1',
      'a.example.org. 3600 A 192.0.2.1',
      'a.example.org. 3600 TYPE731 \\# 0',
      'a.example.org. 3600 TYPE65280 \\# 2 0A0B',
    ],
  ],
  [
    '[F19] $GENERATE makes a record for each number',
    '$GENERATE 1-3 host$ A 192.0.2.$\n$GENERATE 0-10/5 ${1,2,x}.$ 5 IN CNAME h${0,3}\n',
    [
      'host1.example.org. 3600 A 192.0.2.1',
      'host2.example.org. 3600 A 192.0.2.2',
      'host3.example.org. 3600 A 192.0.2.3',
      '01.0.example.org. 5 CNAME h000.example.org.',
      '06.5.example.org. 5 CNAME h005.example.org.',
      '0b.10.example.org. 5 CNAME h010.example.org.',
    ],
  ],
  [
    '[F21] $GENERATE takes class, TTL and data of several words or in quotes',
    '$GENERATE 1-1 m$ IN 7 MX 10 mail$\n$GENERATE 2-2 m$ 8 MX "20 mail$"\n$GENERATE 3-3 t$ TXT "\\"a $\\" b"\n$GENERATE 4-4 @ TXT "a$" "$$"\n',
    [
      'm1.example.org. 7 MX 10 mail1.example.org.',
      'm2.example.org. 8 MX 20 mail2.example.org.',
      't3.example.org. 3600 TXT "a 3" "b"',
      'example.org. 3600 TXT "a4" "$"',
    ],
  ],
  [
    '[F21] $GENERATE leaves the owner as it was',
    'a A 192.0.2.1\n$GENERATE 1-1 g$ A 192.0.2.2\n A 192.0.2.3\na A 192.0.2.4\n',
    ['a', 'g1', 'a', 'a'].map((n, i) => `${n}.example.org. 3600 A 192.0.2.${i + 1}`),
  ],
  [
    '[F15] $INCLUDE reads on in the file, then goes back to origin and owner; $TTL stays',
    'a A 192.0.2.1\n$INCLUDE "sub file" sub\n A 192.0.2.4\nb A 192.0.2.5\n$INCLUDE last\n',
    [
      'a.example.org. 3600 A 192.0.2.1',
      'a.example.org. 3600 A 192.0.2.2',
      'x.deep.sub.example.org. 3600 A 192.0.2.3',
      'a.example.org. 77 A 192.0.2.4',
      'b.example.org. 77 A 192.0.2.5',
      'l.example.org. 77 A 192.0.2.6',
    ],
    {
      include: (file) =>
        file === 'sub file' ? ' A 192.0.2.2\n$ORIGIN deep\nx A 192.0.2.3\n$TTL 77' : ['l A 192', '.0.2.6'],
    },
  ],
]

for (const [name, text, records, options] of reads) test(name, () => deepEqual(read(text, options), records))

test('[F15] a name written after an included file is not taken for the last one in it', () => {
  const names = parseZoneFile('x A 192.0.2.1\n$INCLUDE f\ny A 192.0.2.3\n', {
    origin: '.',
    ttl: 1,
    include: () => 'y A 192.0.2.2',
  })
  deepEqual(
    names.records.map(({ name }) => name),
    ['x.', 'y.', 'y.'],
  )
})

test('[F15] a file includes at most 1000 others', () => {
  const { records, faults } = parseZoneFile('$INCLUDE f\n'.repeat(1001), {
    origin: '.',
    ttl: 1,
    include: () => 'y A 192.0.2.2',
  })
  equal(records.length, 1000)
  match(faults[0]!.message, /must not include more than 1000/)
})

test('[F22] $GENERATE is bounded in text too', () => {
  const generate = (count: number, width: number) => `$GENERATE 1-${count} a$ TXT ${'${0,200}'.repeat(width / 200)}\n`
  const long = (text: string) => parseZoneFile(text, { origin: '.', ttl: 1 })
  match(long(generate(200_000, 200)).faults[0]!.message, /must stay within the limits/)
  const { records, faultCount } = long(generate(100_000, 200) + generate(100_000, 200))
  equal(records.length, 100_000)
  equal(faultCount, 1)
})

test('[F25] a message is of bounded length', () => {
  const include = () => {
    throw new Error('no')
  }
  const { faults } = parseZoneFile(`$INCLUDE ${'x'.repeat(10_000)}\n`, { include })
  equal(faults[0]!.message.length < 500, true)
})

const refused: readonly [name: string, text: string, faults: readonly RegExp[], options?: ZoneFileOptions][] = [
  ['[F1] the first record needs a name', ' A 192.0.2.1\n', [/^1:2 the first record must begin with its name/]],
  ['[F2] relative names need an origin', 'a A 192.0.2.1\n', [/^1:1 .*must end in a dot/], { origin: undefined }],
  [
    '[F2] a name keeps to its limits',
    `${'a'.repeat(64)} A 192.0.2.1\na..b A 192.0.2.1\n`,
    [/^1:1 .*1\.\.63/, /^2:1 .*empty label/],
  ],
  [
    '[F3] $ORIGIN needs one name',
    '$ORIGIN\n$ORIGIN a b\n$ORIGIN ..\n',
    [/^1:1 .*followed by a name/, /^2:11 nothing may follow/, /^3:9 /],
  ],
  ['[F4] without any TTL a record is refused', 'a A 192.0.2.1\n', [/^1:1 a TTL must be written/], { ttl: undefined }],
  [
    '[F5] a wrong TTL',
    'a 1h30 A 192.0.2.1\na 2147483648 A 192.0.2.1\n$TTL x\n',
    [/^1:3 TTL must be/, /^2:3 TTL must be 0\.\.2147483647/, /^3:6 TTL/],
  ],
  ['[F6] another class is refused', 'a CH TXT x\n', [/^1:3 class must be IN/]],
  [
    '[F6] class and TTL come once',
    'a IN IN A 192.0.2.1\na 1 2 A 192.0.2.1\n',
    [/^1:6 a type must stand here/, /^2:5 a type must/],
  ],
  [
    '[F13] an unknown type',
    'a FOO bar\na TYPE65536 x\na TYPE65280 x\n',
    [/^1:3 a type must stand here.*not FOO/, /^2:3 a type/, /^3:3 TYPE65280 records must/],
  ],
  [
    '[F14] types for messages',
    'a OPT x\na ANY x\na AXFR\n',
    [/^1:3 OPT must not/, /^2:3 ANY must not/, /^3:3 AXFR must not/],
  ],
  ['a record needs a type', 'a\nb 5 IN\n', [/^1:1 a type must follow/, /^2:5 a type must follow/]],
  ['[F15] $INCLUDE needs a resolver', '$INCLUDE /etc/passwd\n', [/^1:10 \$INCLUDE must not be used/]],
  [
    '[F15] [F16] faults in an included file tell its name',
    '$INCLUDE a\n$INCLUDE b\n',
    [/^a 2:3 a type must/, /^2:10 b cannot be included: no such file/],
    {
      include: (file) => {
        if (file === 'a') return 'x A 192.0.2.1\ny BAD\n'
        throw new Error('no such file')
      },
    },
  ],
  [
    '[F15] files that include themselves',
    '$INCLUDE a\n',
    [/^a 1:10 files must not include each other more than 10 deep/],
    { include: () => '$INCLUDE a\n' },
  ],
  ['[F18] an unknown directive', '$FOO x\n$ A 192.0.2.1\n', [/^1:1 a directive must be \$ORIGIN/, /^2:1 a directive/]],
  [
    '[F19] $GENERATE that is wrong is one fault',
    '$GENERATE 1-9\n$GENERATE 9-1 a$ A 192.0.2.$\n$GENERATE 1-9 a${ A 192.0.2.$\n$GENERATE 250-300 a$ A 192.0.2.$\n$GENERATE 1-2 a$ FOO x\n',
    [
      /^1:11 \$GENERATE must be followed/,
      /^2:11 range/,
      /^3:15 a place/,
      /^4:24 at 256 of \$GENERATE: /,
      /^5:18 a type/,
    ],
  ],
  [
    '[F22] $GENERATE has a limit',
    '$GENERATE 0-999999999 a$ A 192.0.2.1\n$GENERATE 1-6 a$ A 192.0.2.1\n$GENERATE 1-6 a$ A 192.0.2.1',
    [/^1:11 \$GENERATE must stay within/, /^3:11 \$GENERATE must stay/],
    { mostGenerated: 10 },
  ],
  [
    '[F24] a fault in the data tells which field',
    'a MX x mail\na A 192.0.2.1 2\na SRV 1 2\na A\n',
    [/^1:6 preference must be/, /^2:15 nothing may follow/, /^3:9 .*missing/, /^4:3 .*missing/],
  ],
  [
    '[F24] lines and columns count inside parentheses',
    '@ SOA ns1 hostmaster (\n  1\n  x\n  1 1 1)\n',
    [/^3:3 refresh must/],
  ],
]

for (const [name, text, faults, options] of refused) {
  test(`${name}: refused`, () => {
    const found = show(text, options).faults
    equal(found.length, faults.length, found.join('\n'))
    for (const [i, fault] of faults.entries()) match(found[i]!, fault)
  })
}

test('[F24] reading goes on after a fault', () => {
  const { records, faults } = show(
    'a A 1\nb A 192.0.2.1\nc A x y\n A 192.0.2.2\nd..e A 192.0.2.3\n A 192.0.2.4\n A x\nf A 192.0.2.5',
  )
  deepEqual(records, [
    'b.example.org. 3600 A 192.0.2.1',
    'c.example.org. 3600 A 192.0.2.2',
    'f.example.org. 3600 A 192.0.2.5',
  ])
  deepEqual(
    faults.map((fault) => fault.split(' ')[0]),
    ['1:5', '3:5', '5:1', '7:4'],
  )
})

test('[F25] the first faults are kept, all are counted', () => {
  const { faults, faultCount } = parseZoneFile('a A x\n'.repeat(1000), { origin: '.', ttl: 1 })
  equal(faults.length, 100)
  equal(faultCount, 1000)
  equal(parseZoneFile('a A x\n'.repeat(9), { origin: '.', ttl: 1, mostFaults: 3 }).faults.length, 3)
})

test('[F9] CRLF, tabs, a byte order mark and no final line end', () => {
  deepEqual(
    read(
      '\ufeff$TTL 5\r\na\tA\t192.0.2.1\r\n\r\n\tTXT\t"x"\r\n@ SOA ns1 hostmaster (\r\n 1 2 3 4 5 )\r\nb A 192.0.2.2',
    ),
    [
      'a.example.org. 5 A 192.0.2.1',
      'a.example.org. 5 TXT "x"',
      'example.org. 5 SOA ns1.example.org. hostmaster.example.org. 1 2 3 4 5',
      'b.example.org. 5 A 192.0.2.2',
    ],
  )
})

test('[F12] octets that are not UTF-8 are kept too', () => {
  deepEqual(read(Buffer.from('a TXT "\xff\xfe"', 'latin1')), ['a.example.org. 3600 TXT "\\255\\254"'])
})

test('records tell the line they begin on', () => {
  const { records } = parseZoneFile('\n;\na A 192.0.2.1\n SOA a b (\n1 2 3\n4 5)\n\n A 192.0.2.2\n', {
    origin: '.',
    ttl: 1,
  })
  deepEqual(
    records.map((record) => record.line),
    [3, 4, 8],
  )
})
