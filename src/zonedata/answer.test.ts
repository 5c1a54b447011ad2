import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linesOfSets, zoneFrom } from '../../test/support/zones.ts'
import { rcodeName } from '../dns/codes.ts'
import { typeCode } from '../dns/types/index.ts'
import { answer, MOST_LINKS } from './answer.ts'
import type { Zone } from './zone.ts'

const zone = zoneFrom(
  'example.',
  `@ 7200 SOA ns1.example. host.example. 7 3600 600 86400 300
   @ NS ns1.example.
   @ NS ns.sub.example.
   @ NS ns.elsewhere.
   @ MX 10 mail.example.
   ns1 A 192.0.2.1
   ns1 AAAA 2001:db8::1
   mail A 192.0.2.2
   www A 192.0.2.4
   www A 192.0.2.3
   www TXT "w"
   a.b.deep TXT "x"
   alias CNAME www
   alias2 CNAME alias
   away CNAME www.elsewhere.
   gone CNAME nowhere
   handed CNAME host.sub
   loop1 CNAME loop2
   loop2 CNAME loop1
   self CNAME self
   signed CNAME www
   signed NSEC www.example. CNAME NSEC
   sub NS ns.sub
   sub NS ns1
   sub NS ns.other
   sub NS ns.elsewhere.
   sub DS 1 8 2 00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF
   sub TXT "hidden"
   ns.sub A 192.0.2.5
   ns.sub AAAA 2001:db8::5
   host.sub A 192.0.2.9
   *.sub A 192.0.2.10
   other NS ns.other
   ns.other A 192.0.2.6
   _sip._tcp SRV 0 0 5060 www
   _sip._tcp SRV 0 0 5061 host.sub
   svc HTTPS 1 . alpn=h2
   svc A 192.0.2.7
   svc2 HTTPS 0 svc
   svc3 HTTPS 0 .
   mx2 MX 10 alias
   mx3 MX 10 any.wild
   *.wild A 192.0.2.8`,
)

type Expected = { rcode?: string; aa?: boolean; answer?: string[]; authority?: string[]; additional?: string[] }

function ask(of: Zone, name: string, type: string): Required<Expected> {
  const given = answer(of, { name, type: typeCode(type)! })
  return {
    rcode: rcodeName(given.rcode),
    aa: given.aa,
    answer: linesOfSets(given.answer),
    authority: linesOfSets(given.authority),
    additional: linesOfSets(given.additional),
  }
}

function expect(of: Zone, name: string, type: string, expected: Expected): void {
  deepEqual(ask(of, name, type), { rcode: 'NOERROR', aa: true, answer: [], authority: [], additional: [], ...expected })
}

const soa = ['example. 300 SOA ns1.example. host.example. 7 3600 600 86400 300']
const delegation = [
  'sub.example. 3600 NS ns.sub.example.',
  'sub.example. 3600 NS ns1.example.',
  'sub.example. 3600 NS ns.other.example.',
  'sub.example. 3600 NS ns.elsewhere.',
]
const glue = [
  'ns.sub.example. 3600 A 192.0.2.5',
  'ns.sub.example. 3600 AAAA 2001:db8::5',
  'ns1.example. 3600 A 192.0.2.1',
  'ns1.example. 3600 AAAA 2001:db8::1',
  'ns.other.example. 3600 A 192.0.2.6',
]
const referral = { aa: false, authority: delegation, additional: glue }
const www = ['www.example. 3600 A 192.0.2.4', 'www.example. 3600 A 192.0.2.3']

describe('a name by itself', () => {
  test('[Z1] a name outside the zone is refused', () =>
    expect(zone, 'example.org.', 'A', { rcode: 'REFUSED', aa: false }))
  test('[Z2] a zone without an SOA fails', () =>
    expect(zoneFrom('example.', 'www A 192.0.2.1'), 'www.example.', 'A', { rcode: 'SERVFAIL', aa: false }))
  test('[Z3] records are given in the order in which the zone has them', () =>
    expect(zone, 'www.example.', 'A', { answer: www }))
  test('[Z3] the SOA at the apex has its own TTL', () =>
    expect(zone, 'example.', 'SOA', { answer: ['example. 7200 SOA ns1.example. host.example. 7 3600 600 86400 300'] }))
  test('[Z4] a name without the type is NODATA', () => expect(zone, 'www.example.', 'AAAA', { authority: soa }))
  test('[Z4] RRSIG and NSEC are plain data in a zone without signatures', () => {
    expect(zone, 'www.example.', 'RRSIG', { authority: soa })
    expect(zone, 'signed.example.', 'NSEC', { answer: ['signed.example. 3600 NSEC www.example. CNAME NSEC'] })
  })
  test('[Z5] a name that is not there is NXDOMAIN', () =>
    expect(zone, 'no.example.', 'A', { rcode: 'NXDOMAIN', authority: soa }))
  test('[Z6] an empty non-terminal is NODATA', () => {
    expect(zone, 'b.deep.example.', 'TXT', { authority: soa })
    expect(zone, 'deep.example.', 'TXT', { authority: soa })
    expect(zone, 'eep.example.', 'TXT', { rcode: 'NXDOMAIN', authority: soa })
  })
  test('[Z7] ANY is answered with the RRset of the lowest type', () =>
    expect(zone, 'www.example.', 'ANY', { answer: www }))
  test('[Z8] a negative answer has the SOA with the lesser of its TTL and MINIMUM', () => {
    const short = zoneFrom('example.', '@ 60 SOA ns1.example. host.example. 7 3600 600 86400 300')
    expect(short, 'no.example.', 'A', {
      rcode: 'NXDOMAIN',
      authority: ['example. 60 SOA ns1.example. host.example. 7 3600 600 86400 300'],
    })
  })
  test('[Z9] names have the letter case of the question, those in rdata their own', () => {
    expect(zone, 'WwW.eXample.', 'AAAA', { authority: [soa[0]!.replace('example. 300', 'eXample. 300')] })
    expect(zone, 'X.sUb.exAMPLE.', 'A', {
      aa: false,
      authority: delegation.map((line) => line.replace('sub.example. 3600', 'sUb.exAMPLE. 3600')),
      additional: glue,
    })
  })
})

describe('delegations', () => {
  test('[Z10] a name at a cut is referred', () => expect(zone, 'sub.example.', 'TXT', referral))
  test('[Z10] a name below a cut is referred, whatever the zone has there', () => {
    expect(zone, 'host.sub.example.', 'A', referral)
    expect(zone, 'x.y.sub.example.', 'A', referral)
    expect(zone, 'sub.example.', 'ANY', referral)
    expect(zone, 'sub.example.', 'NS', referral)
  })
  test('[Z11] DS at a cut is answered by the parent', () => {
    equal(ask(zone, 'sub.example.', 'DS').answer.length, 1)
    expect(zone, 'other.example.', 'DS', { authority: soa })
    expect(zone, 'x.sub.example.', 'DS', referral)
  })
  test('[Z12] glue of servers below the cut comes first and is counted as required', () => {
    equal(answer(zone, { name: 'sub.example.', type: 1 }).requiredGlue, 2)
    equal(answer(zone, { name: 'www.example.', type: 1 }).requiredGlue, 0)
  })
})

describe('additional data', () => {
  test('[Z13] targets in the zone bring their addresses', () => {
    deepEqual(ask(zone, 'example.', 'MX').additional, ['mail.example. 3600 A 192.0.2.2'])
    deepEqual(ask(zone, '_sip._tcp.example.', 'SRV').additional, www)
  })
  test('[Z13] service bindings bring addresses, and aliases of services the service', () => {
    deepEqual(ask(zone, 'svc.example.', 'HTTPS').additional, ['svc.example. 3600 A 192.0.2.7'])
    deepEqual(ask(zone, 'svc2.example.', 'HTTPS').additional, [
      'svc.example. 3600 A 192.0.2.7',
      'svc.example. 3600 HTTPS 1 . alpn=h2',
    ])
    deepEqual(ask(zone, 'svc3.example.', 'HTTPS').additional, [])
  })
  test('[Z14] glue is given for NS records only, aliases have no addresses, wildcards have', () => {
    deepEqual(ask(zone, 'example.', 'NS').additional, [...glue.slice(2, 4), ...glue.slice(0, 2)])
    deepEqual(ask(zone, 'mx2.example.', 'MX').additional, [])
    deepEqual(ask(zone, 'mx3.example.', 'MX').additional, ['any.wild.example. 3600 A 192.0.2.8'])
  })
  test('[Z15] an RRset brings additional data of its first 16 targets', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `@ MX ${i} m${i}\nm${i} A 192.0.2.${i}`).join('\n')
    const many = zoneFrom('example.', `@ SOA . . 1 2 3 4 5\n${lines}`)
    equal(ask(many, 'example.', 'MX').additional.length, 16)
  })
})

describe('aliases', () => {
  test('[Z20] a chain of CNAMEs is followed', () =>
    expect(zone, 'alias2.example.', 'A', {
      answer: ['alias2.example. 3600 CNAME alias.example.', 'alias.example. 3600 CNAME www.example.', ...www],
    }))
  test('[Z20] a chain may end without data', () =>
    expect(zone, 'alias.example.', 'AAAA', { answer: ['alias.example. 3600 CNAME www.example.'], authority: soa }))
  test('[Z21] CNAME and ANY do not follow', () => {
    expect(zone, 'alias.example.', 'CNAME', { answer: ['alias.example. 3600 CNAME www.example.'] })
    expect(zone, 'alias.example.', 'ANY', { answer: ['alias.example. 3600 CNAME www.example.'] })
  })
  test('[Z25] a loop ends where it comes back', () => {
    expect(zone, 'loop1.example.', 'A', {
      answer: ['loop1.example. 3600 CNAME loop2.example.', 'loop2.example. 3600 CNAME loop1.example.'],
    })
    expect(zone, 'self.example.', 'A', { answer: ['self.example. 3600 CNAME self.example.'] })
  })
  test('[Z26] a chain ends after its bound', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `c${i} CNAME c${i + 1}`).join('\n')
    const long = zoneFrom('example.', `@ SOA . . 1 2 3 4 5\n${lines}\nc40 A 192.0.2.1`)
    equal(ask(long, 'c0.example.', 'A').answer.length, MOST_LINKS)
    equal(ask(long, `c${41 - MOST_LINKS}.example.`, 'A').answer.length, MOST_LINKS)
  })
  test('[Z27] a chain that leaves the zone says where', () => {
    const left = answer(zone, { name: 'away.example.', type: 1 })
    equal(left.continuesAt, 'www.elsewhere.')
    equal(left.rcode, 0)
    equal(answer(zone, { name: 'alias.example.', type: 1 }).continuesAt, undefined)
  })
  test('[Z27] a chain goes on in another zone at hand, which then gives code and SOA', () => {
    const other = zoneFrom('elsewhere.', '@ SOA . . 1 2 3 4 5\nwww A 192.0.2.99')
    const zoneFor = (name: string) => (name.endsWith('elsewhere.') ? other : zone)
    const given = answer(zone, { name: 'away.example.', type: 1 }, zoneFor)
    deepEqual(linesOfSets(given.answer), [
      'away.example. 3600 CNAME www.elsewhere.',
      'www.elsewhere. 3600 A 192.0.2.99',
    ])
    equal(given.continuesAt, undefined)
    deepEqual(linesOfSets(answer(zone, { name: 'away.example.', type: 28 }, zoneFor).authority), [
      'elsewhere. 5 SOA . . 1 2 3 4 5',
    ])
  })
  test('[Z28] an alias into a delegation is authoritative and ends in the referral', () =>
    expect(zone, 'handed.example.', 'A', {
      answer: ['handed.example. 3600 CNAME host.sub.example.'],
      authority: delegation,
      additional: glue,
    }))
  test('[Z29] an alias to a name that is not there is NXDOMAIN', () =>
    expect(zone, 'gone.example.', 'A', {
      rcode: 'NXDOMAIN',
      answer: ['gone.example. 3600 CNAME nowhere.example.'],
      authority: soa,
    }))
})
