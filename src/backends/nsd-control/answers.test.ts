import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bulkOutcomes, isNotThere, isThereAlready, keysOf, StatusReader, type ZoneStatus } from './answers.ts'

const statusOf = (lines: readonly string[]): ZoneStatus[] => {
  const zones: ZoneStatus[] = []
  const reader = new StatusReader((zone) => zones.push(zone))
  for (const line of lines) reader.line(line)
  reader.end()
  return zones
}

test('[W47] what NSD says of each line of addzones goes to the zone of that line', () => {
  const names = ['new.example.', 'old.example.', 'bad..example.']
  const outcomes = bulkOutcomes(names, [
    'added: new.example.',
    'zone old.example. already exists',
    'added: old.example.',
    'error cannot parse zone name',
    "error for input line 'bad..example.'",
    'added 2 zones',
  ])!
  deepEqual(
    outcomes.map(({ taken }) => taken),
    [true, true, false],
  )
  deepEqual(outcomes.map(isThereAlready), [false, true, false])
  deepEqual(outcomes[2]!.notes, ['error cannot parse zone name'])
})

test('[W46] a zone that delzones did not find is known from one it did not let go', () => {
  const outcomes = bulkOutcomes(
    ['gone.example.', 'kept.example.'],
    [
      'warning zone gone.example. not present',
      "error for input line 'gone.example.'",
      'error zone defined in nsd.conf, cannot delete it',
      "error for input line 'kept.example.'",
      'deleted 0 zones',
    ],
  )!
  deepEqual(outcomes.map(isNotThere), [true, false])
})

test('[W48] an answer that is cut, has too few lines, too many, or those of other zones is none', () => {
  const names = ['a.example.', 'b.example.']
  const whole = ['added: a.example.', 'added: b.example.', 'added 2 zones']
  equal(bulkOutcomes(names, whole)?.length, 2)
  for (let cut = 0; cut < whole.length; cut++) equal(bulkOutcomes(names, whole.slice(0, cut)), undefined)
  equal(bulkOutcomes(names, whole.toReversed()), undefined)
  equal(bulkOutcomes(names.slice(1), whole), undefined)
  equal(bulkOutcomes(names, ["error unknown command 'addzones'"]), undefined)
})

test('[W45] zonestatus gives each zone with its pattern, its state and the serial it serves', () => {
  deepEqual(
    statusOf([
      'zone:\tExample.NET',
      '\tpattern: slave',
      '\tstate: refreshing',
      '\tserved-serial: none',
      '\twait: "42 sec between attempts"',
      'zone:\tfixed.example',
      '\tstate: master',
      'zone:\ta\\098\\032c.example.',
      '\tpattern: slave',
      '\tstate: ok',
      '\tserved-serial: "7 since 2026-11-15T05:48:02"',
    ]),
    [
      { name: 'example.net.', pattern: 'slave', state: 'refreshing', served: 'none' },
      { name: 'fixed.example.', state: 'master' },
      { name: 'ab\\032c.example.', pattern: 'slave', state: 'ok', served: '"7 since 2026-11-15T05:48:02"' },
    ],
  )
  deepEqual(statusOf(['error zone none.example not configured']), [])
})

test('[W49] print_tsig gives keys, whatever dots their names have', () => {
  deepEqual(keysOf(['key: name: "K1" secret: "c2VjcmV0" algorithm: hmac-sha256', 'error: no such key with name: x']), [
    { name: 'k1.', secret: 'c2VjcmV0', algorithm: 'hmac-sha256' },
  ])
})

test('[W48] no lines of a server make the reading of them fail', () => {
  const words = [
    'zone:',
    '\t',
    'pattern:',
    'added: a.',
    "error for input line 'a.'",
    'added 1 zones',
    'key: name: "',
    '\\9',
  ]
  const line = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 4 })
    .map((parts) => parts.join(' '))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      statusOf(lines)
      keysOf(lines)
      const outcomes = bulkOutcomes(['a.', 'b.'], lines)
      return outcomes === undefined || outcomes.length === 2
    }),
  )
})
