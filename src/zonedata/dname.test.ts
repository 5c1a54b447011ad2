import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { linesOfSets, zoneFrom } from '../../test/support/zones.ts'
import { rcodeName } from '../dns/codes.ts'
import { parseName } from '../dns/name.ts'
import { typeCode } from '../dns/types/index.ts'
import { answer } from './answer.ts'
import type { Zone } from './zone.ts'

const start = '@ SOA . . 1 2 3 4 5'

function ask(of: Zone, name: string, type: string): [rcode: string, ...answer: string[]] {
  const given = answer(of, { name, type: typeCode(type)! })
  return [rcodeName(given.rcode), ...linesOfSets(given.answer)]
}

/** The name that a DNAME makes of another, or the response code where it makes none. */
function rewritten(name: string, owner: string, target: string): string {
  const zone = zoneFrom('.', `${start}\n${owner} DNAME ${target}`)
  const given = answer(zone, { name, type: 5 })
  const cname = given.answer.find(({ type, name: of }) => type === 5 && of === name)
  return cname ? linesOfSets([cname])[0]!.split(' ')[3]! : rcodeName(given.rcode)
}

// RFC 6672 2.2, table 1; where that says there is no match, the code that follows from it.
const table: [name: string, owner: string, target: string, result: string][] = [
  ['com.', 'example.com.', 'example.net.', 'NOERROR'],
  ['example.com.', 'example.com.', 'example.net.', 'NOERROR'],
  ['a.example.com.', 'example.com.', 'example.net.', 'a.example.net.'],
  ['a.b.example.com.', 'example.com.', 'example.net.', 'a.b.example.net.'],
  ['ab.example.com.', 'b.example.com.', 'example.net.', 'NXDOMAIN'],
  ['foo.example.com.', 'example.com.', 'example.net.', 'foo.example.net.'],
  ['a.x.example.com.', 'x.example.com.', 'example.net.', 'a.example.net.'],
  ['a.example.com.', 'example.com.', 'y.example.net.', 'a.y.example.net.'],
  ['cyc.example.com.', 'example.com.', 'example.com.', 'cyc.example.com.'],
  ['cyc.example.com.', 'example.com.', 'c.example.com.', 'cyc.c.example.com.'],
  ['shortloop.x.x.', 'x.', '.', 'shortloop.x.'],
  ['shortloop.x.', 'x.', '.', 'shortloop.'],
]

for (const [name, owner, target, result] of table) {
  test(`[Z22] RFC 6672 2.2: ${name} with ${owner} DNAME ${target} is ${result}`, () =>
    equal(rewritten(name, owner, target), result))
}

test('[Z22] the DNAME comes before the name it rewrites, and the chain goes on', () => {
  const zone = zoneFrom('example.', `${start}\nold 600 DNAME new\na.new A 192.0.2.1\nb.old TXT "hidden"`)
  deepEqual(ask(zone, 'a.old.example.', 'A'), [
    'NOERROR',
    'old.example. 600 DNAME new.example.',
    'a.old.example. 600 CNAME a.new.example.',
    'a.new.example. 3600 A 192.0.2.1',
  ])
  equal(ask(zone, 'b.old.example.', 'TXT')[0], 'NXDOMAIN')
  deepEqual(ask(zone, 'old.example.', 'DNAME'), ['NOERROR', 'old.example. 600 DNAME new.example.'])
  deepEqual(ask(zone, 'old.example.', 'A'), ['NOERROR'])
})

test('[Z22] a DNAME at the apex leaves the apex alone', () => {
  const zone = zoneFrom('example.', `${start}\n@ DNAME example.net.\n@ A 192.0.2.1`)
  deepEqual(ask(zone, 'example.', 'A'), ['NOERROR', 'example. 3600 A 192.0.2.1'])
  equal(answer(zone, { name: 'a.example.', type: 1 }).continuesAt, 'a.example.net.')
})

test('[Z22] a DNAME met twice is given once', () => {
  const zone = zoneFrom('example.', `${start}\nd DNAME e\na.e CNAME b.d\nb.e A 192.0.2.1`)
  deepEqual(ask(zone, 'a.d.example.', 'A'), [
    'NOERROR',
    'd.example. 3600 DNAME e.example.',
    'a.d.example. 3600 CNAME a.e.example.',
    'a.e.example. 3600 CNAME b.d.example.',
    'b.d.example. 3600 CNAME b.e.example.',
    'b.e.example. 3600 A 192.0.2.1',
  ])
})

test('[Z21] the made-up CNAME is not followed where CNAME or ANY is asked for', () => {
  const zone = zoneFrom('example.', `${start}\nold 77 DNAME new`)
  const made = ['NOERROR', 'old.example. 77 DNAME new.example.', 'a.old.example. 77 CNAME a.new.example.']
  deepEqual(ask(zone, 'a.old.example.', 'CNAME'), made)
  deepEqual(ask(zone, 'a.old.example.', 'ANY'), made)
  equal(ask(zone, 'a.old.example.', 'A')[0], 'NXDOMAIN')
})

test('[Z23] the made-up CNAME has the TTL of the DNAME', () => {
  const zone = zoneFrom('example.', `${start}\nold 77 DNAME elsewhere.`)
  deepEqual(ask(zone, 'a.old.example.', 'CNAME').slice(1), [
    'old.example. 77 DNAME elsewhere.',
    'a.old.example. 77 CNAME a.elsewhere.',
  ])
})

test('[Z24] a rewritten name longer than 255 octets is YXDOMAIN', () => {
  const label = 'x'.repeat(63)
  const target = parseName(`${label}.${label}.${label}.${'y'.repeat(51)}.example.`)
  const zone = zoneFrom('example.', `${start}\nd DNAME ${target}`)
  equal(ask(zone, 'a.d.example.', 'A')[0], 'NXDOMAIN')
  deepEqual(ask(zone, 'ab.d.example.', 'A'), ['YXDOMAIN', `d.example. 3600 DNAME ${target}`])
})

test('[Z25] [Z26] DNAME loops end', () => {
  const cycle = zoneFrom('example.', `${start}\nd DNAME d\ne DNAME f\nf DNAME e\ng DNAME x.g`)
  equal(ask(cycle, 'a.d.example.', 'A').length, 3)
  equal(ask(cycle, 'a.e.example.', 'A').length, 5)
  equal(ask(cycle, 'a.g.example.', 'A').length, 18)
})
