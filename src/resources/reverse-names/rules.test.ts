import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { isAtOrBelow } from '../../dns/name.ts'
import { parseKey, placesOf, zoneToMake } from './rules.ts'

const id = '7d5d6b5e-0f8a-4f2e-9a55-3b1b3f0a1c01'

test('[G2] a key is a region and an id', () => {
  deepEqual(parseKey(`RegionOne:${id}`), { region: 'RegionOne', id })
  deepEqual(parseKey(`a.b-c_1:${id.toUpperCase()}`), { region: 'a.b-c_1', id })
  for (const wrong of [
    '',
    ':',
    'abc',
    id,
    `:${id}`,
    `R:${id}x`,
    `R\n:${id}`,
    `R:${id}\n`,
    `${'r'.repeat(101)}:${id}`,
  ]) {
    throws(() => parseKey(wrong), /is not in the format of <region>:<uuid>/, wrong)
  }
})

test('[G5] [G7] the places of an address go from its own name over parts of its network to the top', () => {
  const places = placesOf('192.0.2.131')
  equal(places[0]!.zone, '131.2.0.192.in-addr.arpa.')
  deepEqual(
    places.slice(-4).map(({ zone }) => zone),
    ['2.0.192.in-addr.arpa.', '0.192.in-addr.arpa.', '192.in-addr.arpa.', 'in-addr.arpa.'],
  )
  const parts = places.slice(1, -4).map(({ zone }) => zone.split('.')[0])
  deepEqual(parts.slice(0, 6), ['131/32', '131-32', '131-131', '130/31', '130-31', '130-131'])
  deepEqual(parts.slice(-3), ['128/25', '128-25', '128-255'])
  for (const { zone, name } of places) equal(isAtOrBelow(name, zone), true)
})

test('[G5] the places of an IPv6 address are cut at every nibble', () => {
  const places = placesOf('2001:db8::7')
  equal(places.length, 33)
  equal(places[0]!.zone, places[32]!.name)
  equal(places.at(-1)!.zone, 'ip6.arpa.')
})

test('[G6] zones are made for prefixes of a length', () => {
  equal(zoneToMake('192.0.2.7', { ipv4: 24, ipv6: 64 }), '2.0.192.in-addr.arpa.')
  equal(zoneToMake('192.0.2.7', { ipv4: 8, ipv6: 64 }), '192.in-addr.arpa.')
  equal(zoneToMake('2001:db8::7', { ipv4: 24, ipv6: 64 }), '0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.')
  equal(zoneToMake('2001:db8::7', { ipv4: 24, ipv6: 32 }), '8.b.d.0.1.0.0.2.ip6.arpa.')
})
