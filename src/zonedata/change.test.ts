import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryZone } from '../../test/support/arbitrary-zones.ts'
import { linesOf, recordsFrom, zoneFrom } from '../../test/support/zones.ts'
import { DnsError } from '../dns/errors.ts'
import { apply, type Change, condense, invert } from './change.ts'
import { compare, sameContent } from './compare.ts'
import { records, type Zone } from './zone.ts'

const zone = zoneFrom('example.', '@ SOA . . 1 2 3 4 5\nwww 300 A 192.0.2.1\nwww 300 A 192.0.2.2\nmail 300 MX 10 www')

function change(from: number, to: number, removed: string, added: string): Change {
  return {
    from,
    to,
    removed: recordsFrom('example.', `@ SOA . . ${from} 2 3 4 5\n${removed}`),
    added: recordsFrom('example.', `@ SOA . . ${to} 2 3 4 5\n${added}`),
  }
}

function content(of: Zone): string[] {
  return linesOf(records(of)).sort()
}

type Node = Zone['names']['root']

function nodes(of: Zone): Node[] {
  const below = (node: Node): Node[] => ('children' in node ? [node, ...node.children.flatMap(below)] : [node])
  return below(of.names.root)
}

test('[Z31] a change that fits is applied', () => {
  const next = apply(
    zone,
    change(1, 2, 'www 300 A 192.0.2.1\nmail 300 MX 10 WWW', 'www 300 A 192.0.2.3\nnew 60 TXT "x"'),
  )
  deepEqual(linesOf(records(next)), [
    'example. 3600 SOA . . 2 2 3 4 5',
    'new.example. 60 TXT "x"',
    'www.example. 300 A 192.0.2.2',
    'www.example. 300 A 192.0.2.3',
  ])
  equal(next.recordCount, 4)
})

test('[Z31] a change that does not fit is refused', () => {
  throws(() => apply(zone, change(3, 4, '', '')), /from serial 3/)
  throws(() => apply(zone, change(1, 2, 'www A 192.0.2.9', '')), /must be there/)
  throws(() => apply(zone, change(1, 2, '', 'www A 192.0.2.1')), /must not be there/)
  throws(() => apply(zone, { from: 1, to: 2, removed: [], added: [] }), /to serial 2/)
  throws(() => apply(zone, change(1, 2, '', 'www.example.org. A 192.0.2.1')), DnsError)
})

test('[Z32] the zone before stays as it was', () => {
  const before = content(zone)
  apply(zone, change(1, 2, 'mail 300 MX 10 www', 'a.b TXT "x"'))
  deepEqual(content(zone), before)
})

test('[Z32] a change to a zone of 50,000 names makes a handful of nodes anew and shares the rest', () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `h${i} 300 A 192.0.2.1`)
  const large = zoneFrom('example.', ['@ SOA . . 1 2 3 4 5', ...lines].join('\n'))
  const next = apply(large, change(1, 2, 'h777 300 A 192.0.2.1', 'h778 300 A 192.0.2.9\nnew TXT "x"'))
  const old = new Set(nodes(large))
  ok(old.size > 1000)
  ok(nodes(next).filter((node) => !old.has(node)).length < 20)
})

test('[Z33] [Z35] the change between two zones makes one the other, and its inverse undoes it', () => {
  fc.assert(
    fc.property(arbitraryZone('example.'), arbitraryZone('example.'), (a, b) => {
      const difference = compare(a, b)
      const applied = apply(a, difference)
      equal(sameContent(applied, b), true)
      equal(applied.recordCount, b.recordCount)
      equal(sameContent(apply(applied, invert(difference)), a), true)
      deepEqual(
        content(apply(b, compare(b, a))).map((line) => line.toLowerCase()),
        content(a).map((line) => line.toLowerCase()),
      )
    }),
    { numRuns: 200 },
  )
})

test('[Z34] changes condensed have the effect of all in turn', () => {
  fc.assert(
    fc.property(fc.array(arbitraryZone('example.'), { minLength: 2, maxLength: 5 }), (zones) => {
      const steps = zones.slice(1).map((next, i) => compare(zones[i]!, next))
      const whole = condense(steps)
      equal(sameContent(apply(zones[0]!, whole), zones.at(-1)!), true)
      const direct = compare(zones[0]!, zones.at(-1)!)
      equal(whole.removed.length >= direct.removed.length, true)
    }),
    { numRuns: 200 },
  )
})

test('[Z34] what comes and goes again is left out, and changes must follow one another', () => {
  const there = change(1, 2, '', 'tmp TXT "x"')
  const back = change(2, 3, 'tmp TXT "x"', 'other TXT "y"')
  deepEqual(condense([there, back]), change(1, 3, '', 'other TXT "y"'))
  throws(() => condense([back, there]), /must follow/)
  throws(() => condense([]), DnsError)
  throws(() => condense([there, { ...there, from: 2, to: 3 }]), /twice/)
})

test('[Z34] a record that comes back with another TTL or letter case is changed', () => {
  const gone = change(1, 2, 'mail 300 MX 10 www', '')
  const back = change(2, 3, '', 'mail 60 MX 10 www')
  deepEqual(condense([gone, back]), change(1, 3, 'mail 300 MX 10 www', 'mail 60 MX 10 www'))
})

test('[Z35] a TTL that changes changes every record, and the SOA comes first', () => {
  const other = zoneFrom(
    'example.',
    '@ SOA . . 2 2 3 4 5\na A 192.0.2.1\nWWW 60 A 192.0.2.2\nwww 60 A 192.0.2.1\nMAIL 300 MX 10 WWW',
  )
  const { from, to, removed, added } = compare(zone, other)
  deepEqual([from, to], [1, 2])
  deepEqual(linesOf(removed), [
    'example. 3600 SOA . . 1 2 3 4 5',
    'www.example. 300 A 192.0.2.1',
    'www.example. 300 A 192.0.2.2',
  ])
  deepEqual(linesOf(added), [
    'example. 3600 SOA . . 2 2 3 4 5',
    'a.example. 3600 A 192.0.2.1',
    'WWW.example. 60 A 192.0.2.2',
    'WWW.example. 60 A 192.0.2.1',
  ])
})
