import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryZone, ownerIn } from '../../test/support/arbitrary-zones.ts'
import { linesOf, recordsFrom, zoneFrom } from '../../test/support/zones.ts'
import { DnsError } from '../dns/errors.ts'
import { compareNames, wireToName } from '../dns/name.ts'
import { typeCode } from '../dns/types/index.ts'
import { answer, MOST_LINKS } from './answer.ts'
import { orderKey } from './name-order.ts'
import { entries } from './ordered-map.ts'
import * as codes from './type-codes.ts'
import { nameExists, records, rrsetAt, serialOf, zoneFromRecords } from './zone.ts'

const octets = fc.uint8Array({ minLength: 1, maxLength: 4 })
const anyName = fc.array(octets, { maxLength: 5 }).map((labels) => {
  return wireToName(Buffer.concat([...labels.map((label) => Buffer.from([label.length, ...label])), Buffer.of(0)]))
})

test('[Z30] a record given twice is held once, and an RRset has its least TTL', () => {
  const zone = zoneFrom('example.', '@ SOA . . 9 2 3 4 5\nwww 300 A 192.0.2.1\nWWW 60 A 192.0.2.2\nwww 90 A 192.0.2.1')
  equal(zone.recordCount, 3)
  equal(serialOf(zone), 9)
  deepEqual(linesOf(records(zone)), [
    'example. 3600 SOA . . 9 2 3 4 5',
    'www.example. 60 A 192.0.2.1',
    'www.example. 60 A 192.0.2.2',
  ])
})

test('[Z30] a large RRset holds each of its records once', () => {
  const lines = Array.from({ length: 600 }, (_, i) => `www A 192.0.${i % 2}.${i % 200}`)
  equal(zoneFrom('example.', lines.join('\n')).recordCount, 200)
})

test('[Z30] names outside the zone and other classes are refused', () => {
  throws(() => zoneFrom('example.', 'www.example.org. A 192.0.2.1'), DnsError)
  throws(() => zoneFrom('example.', 'wwwexample. A 192.0.2.1'), DnsError)
  const chaos = recordsFrom('example.', 'www A 192.0.2.1').map((record) => ({ ...record, class: 3 }))
  throws(() => zoneFromRecords('example.', chaos), /class IN/)
})

test('a name exists that has records or names below it', () => {
  const zone = zoneFrom('example.', 'a.b A 192.0.2.1\nab A 192.0.2.1')
  equal(nameExists(zone, 'a.b.example.'), true)
  equal(nameExists(zone, 'B.example.'), true)
  equal(nameExists(zone, 'c.example.'), false)
  equal(nameExists(zone, 'x.a.b.example.'), false)
  equal(rrsetAt(zone, 'b.example.', 1), undefined)
})

test('[Z36] order keys sort names canonically and start with those of their ancestors', () => {
  fc.assert(
    fc.property(anyName, anyName, anyName, (a, b, c) => {
      const [x, y] = [orderKey(a), orderKey(b)]
      equal(Math.sign(compareNames(a, b)), x < y ? -1 : x > y ? 1 : 0)
      if (a === '.' || c === '.') return
      const below = `${a.slice(0, -1)}.${c}`
      if (below.length < 200) equal(orderKey(below).startsWith(orderKey(c)), true)
    }),
  )
  equal(orderKey('ab.example.').startsWith(orderKey('b.example.')), false)
})

test('[Z36] a zone has its names in canonical order', () => {
  fc.assert(
    fc.property(arbitraryZone('example.'), (zone) => {
      const names = [...entries(zone.names)].map(({ value }) => value.name)
      deepEqual(names, names.toSorted(compareNames))
    }),
  )
})

test('any zone answers any question, with a bounded chain, each RRset of a section once', () => {
  const type = fc.constantFrom(1, 2, 5, 6, 15, 16, 28, 33, 39, 43, 46, 47, 255, 65280)
  fc.assert(
    fc.property(arbitraryZone('example.'), ownerIn('example.'), type, (zone, name, asked) => {
      const given = answer(zone, { name, type: asked })
      equal(given.answer.length <= 2 * MOST_LINKS + 1, true)
      for (const section of [given.answer, given.authority, given.additional]) {
        const sets = section.map((rrset) => `${rrset.name.toLowerCase()} ${rrset.type}`)
        deepEqual([...new Set(sets)], sets)
      }
      // RFC 2308: what is not answered, delegated or left for elsewhere is denied with an SOA.
      const isDenied = given.authority.some((rrset) => rrset.type === codes.SOA)
      if (given.rcode === 3) equal(isDenied, true)
      if (given.answer.length === 0 && given.aa) equal(isDenied, true)
    }),
    { numRuns: 500 },
  )
})

test('the type numbers here are those of the record types', () => {
  for (const [name, code] of Object.entries(codes)) if (name !== 'IN') equal(typeCode(name), code, name)
})
