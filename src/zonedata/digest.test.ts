import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { recordsFrom, zoneFrom } from '../../test/support/zones.ts'
import { verifyDigest, zoneDigest, zonemdFor } from './digest.ts'
import { records, type Zone, zoneFromRecords } from './zone.ts'

// RFC 8976 A.1 and A.2.
const simple = `
  @ 86400 SOA ns1 admin 2018031900 1800 900 604800 86400
  @ 86400 NS ns1
  @ 86400 NS ns2
  ns1 3600 A 203.0.113.63
  ns2 3600 AAAA 2001:db8::63`
const simpleDigest = 'c68090d90a7aed716bc459f9340e3d7c1370d4d24b7e2fc3a1ddc0b9a87153b9a9713b3c9ae5cc27777f98b8e730044c'
const complex = `
  @ 86400 SOA ns1 admin 2018031900 1800 900 604800 86400
  @ 86400 NS ns1
  @ 86400 NS ns2
  ns1 3600 A 203.0.113.63
  NS2 3600 AAAA 2001:db8::63
  occluded.sub 7200 TXT "I'm occluded but must be digested"
  sub 7200 NS ns1
  duplicate 300 TXT "I must be digested just once"
  duplicate 300 TXT "I must be digested just once"
  UPPERCASE 3600 TXT "canonicalize uppercase owner names"
  * 777 PTR dont-forget-about-wildcards
  mail 3600 MX 20 MAIL1
  mail 3600 MX 10 Mail2.Example.
  sortme 3600 AAAA 2001:db8::5:61
  sortme 3600 AAAA 2001:db8::3:62
  sortme 3600 AAAA 2001:db8::4:63
  sortme 3600 AAAA 2001:db8::1:65
  sortme 3600 AAAA 2001:db8::2:64
  non-apex 900 ZONEMD 2018031900 1 1 616c6c6f776564206275742069676e6f7265642e20616c6c6f776564206275742069676e6f7265642e20616c6c6f7765`
const complexDigest = 'a3b69bad980a3504e1cffcb0fd6397f93848071c93151f552ae2f6b1711d4bd2d8b39808226d7b9db71e34b72077f8fe'

function withZonemd(lines: string, ...rdatas: string[]): Zone {
  return zoneFrom('example.', [lines, ...rdatas.map((rdata) => `@ 86400 ZONEMD ${rdata}`)].join('\n'))
}

test('[Z70] the example zones of RFC 8976 have the digests it gives', () => {
  equal(Buffer.from(zoneDigest(zoneFrom('example.', simple), 'sha384')).toString('hex'), simpleDigest)
  equal(Buffer.from(zoneDigest(zoneFrom('example.', complex), 'sha384')).toString('hex'), complexDigest)
})

test('[Z70] the apex digest and its signature do not count, other signatures do', () => {
  const signature = (covered: string) =>
    `@ 86400 RRSIG ${covered} 8 1 86400 20300101000000 20200101000000 1 example. AAAA`
  const digest = (...lines: string[]) =>
    Buffer.from(zoneDigest(zoneFrom('example.', [simple, ...lines].join('\n')), 'sha384')).toString('hex')
  equal(digest(`@ 1 ZONEMD 1 1 1 ${simpleDigest}`, signature('ZONEMD')), simpleDigest)
  equal(digest(signature('SOA')) === simpleDigest, false)
})

test('[Z71] a zone verifies by its digest', () => {
  deepEqual(verifyDigest(withZonemd(simple, `2018031900 1 1 ${simpleDigest}`)), { status: 'verified' })
  deepEqual(verifyDigest(zoneFrom('example.', simple)), { status: 'absent' })
})

test('[Z71] what is built verifies with both algorithms', () => {
  for (const algorithm of ['sha384', 'sha512'] as const) {
    const zone = zoneFrom('example.', complex)
    const zonemd = { name: 'EXAMPLE.', type: 63, class: 1, ttl: 5, rdata: zonemdFor(zone, algorithm) }
    deepEqual(verifyDigest(zoneFromRecords('example.', [...records(zone), zonemd])), { status: 'verified' })
    const more = recordsFrom('example.', 'new A 192.0.2.1')
    equal(verifyDigest(zoneFromRecords('example.', [...records(zone), zonemd, ...more])).status, 'failed')
  }
})

const wrong = 'ff'.repeat(48)
const failing: [what: string, rdatas: string[], reason: RegExp][] = [
  ['another digest', [`2018031900 1 1 ${wrong}`], /is not the one/],
  ['another serial', [`2018031901 1 1 ${simpleDigest}`], /serial 2018031900, not 2018031901/],
  ['an unknown scheme', [`2018031900 240 1 ${simpleDigest}`], /no ZONEMD record/],
  ['two of one algorithm', [`2018031900 1 1 ${simpleDigest}`, `2018031900 1 1 ${wrong}`], /only one/],
]

for (const [what, rdatas, reason] of failing) {
  test(`[Z71] a zone with ${what} fails`, () => {
    const result = verifyDigest(withZonemd(simple, ...rdatas))
    equal(result.status === 'failed' && reason.test(result.reason), true, JSON.stringify(result))
  })
}

test('[Z71] one digest that matches is enough', () => {
  const rdatas = [`2018031900 1 2 ${'ff'.repeat(64)}`, `2018031900 1 1 ${simpleDigest}`, `2018031900 241 1 ${wrong}`]
  deepEqual(verifyDigest(withZonemd(simple, ...rdatas)), { status: 'verified' })
})
