import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type PrintOptions, printZoneFile, zoneFileChunks } from './print.ts'
import { parseZoneFile } from './zonefile.ts'

const ZONE = `$ORIGIN example.org.
$TTL 3600
@ SOA ns1 hostmaster 1 7200 3600 1209600 300
@ NS ns1
www 60 A 192.0.2.1
www A 192.0.2.2
a\\.b.w TXT "x y"
other.test. CNAME @
@ WALLET BTC x
`
const { records } = parseZoneFile(ZONE)
const bare = (text: string) => parseZoneFile(text).records.map(({ line: _, ...record }) => record)

test('[F28] plain lines have every name in full', () => {
  equal(
    printZoneFile(records),
    `example.org. 3600 IN SOA ns1.example.org. hostmaster.example.org. 1 7200 3600 1209600 300
example.org. 3600 IN NS ns1.example.org.
www.example.org. 60 IN A 192.0.2.1
www.example.org. 3600 IN A 192.0.2.2
a\\.b.w.example.org. 3600 IN TXT "x y"
other.test. 3600 IN CNAME example.org.
example.org. 3600 IN TYPE262 \\# 6 034254430178
`,
  )
})

test('[F29] aligned lines with origin and TTL', () => {
  equal(
    printZoneFile(records, { layout: 'aligned', origin: 'example.org.', ttl: 3600, types: 'all' }),
    `$ORIGIN example.org.
$TTL 3600
@                               IN SOA     ns1.example.org. hostmaster.example.org. 1 7200 3600 1209600 300
                                IN NS      ns1.example.org.
www                     60      IN A       192.0.2.1
                                IN A       192.0.2.2
a\\.b.w                          IN TXT     "x y"
other.test.                     IN CNAME   example.org.
@                               IN WALLET  "BTC" "x"
`,
  )
})

test('[F29] a name is made relative only where the origin is its end, label by label and in the same letter case', () => {
  const names = ['x\\.example.org.', 'badexample.org.', 'a.Example.org.', 'org.', '.']
  const zone = names.map((name) => `${name} 5 IN A 192.0.2.1\n`).join('')
  equal(printZoneFile(bare(zone), { origin: 'example.org.' }), `$ORIGIN example.org.\n${zone}`)
  equal(
    printZoneFile(bare(zone), { origin: '.' }),
    `$ORIGIN .\n${names.map((name) => `${name === '.' ? '@' : name.slice(0, -1)} 5 IN A 192.0.2.1\n`).join('')}`,
  )
})

const layouts: readonly PrintOptions[] = [
  {},
  { types: 'all' },
  { layout: 'aligned' },
  { layout: 'aligned', origin: 'example.org.', ttl: 3600 },
  { origin: 'example.org.' },
  { origin: '.', ttl: 60 },
]

for (const options of layouts) {
  test(`[F31] printed with ${JSON.stringify(options)} and read again the records are the same`, () => {
    deepEqual(bare(printZoneFile(records, options)), bare(ZONE))
  })
}

test('[F28] chunks together are the whole, and none is large', async () => {
  const many = Array.from({ length: 5000 }, () => records).flat()
  const chunks: string[] = []
  for await (const chunk of zoneFileChunks(many, { layout: 'aligned' })) chunks.push(chunk)
  equal(chunks.join(''), printZoneFile(many, { layout: 'aligned' }))
  equal(chunks.length > 10 && chunks.every((chunk) => chunk.length < 70_000), true)
})

test('[F30] signatures always have their TTL written, since ldns would take another', () => {
  const text = 'a. 60 IN RRSIG A 5 3 86400 20030322173103 20030220173103 2642 example.com. AQID\n'
  equal(printZoneFile(bare(text), { ttl: 60 }), `$TTL 60\n${text}`)
})

test('[F30] characters that some name servers misread are written \\DDD in names, and names in data as octets', () => {
  const zone = 'a\\\\.b=c\\.d.\\001. 60 IN CNAME x.\nb. 60 IN CNAME x=y.\n'
  equal(printZoneFile(bare(zone)), 'a\\092.b\\061c\\.d.\\001. 60 IN CNAME x.\nb. 60 IN TYPE5 \\# 5 03783D7900\n')
  deepEqual(bare(printZoneFile(bare(zone))), bare(zone))
})
