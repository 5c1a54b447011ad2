import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownerIn, zoneLines } from '../../../test/support/arbitrary-zones.ts'
import { arenaOf, fastAnswer } from '../../../test/support/arenas.ts'
import { query } from '../../../test/support/nameserver.ts'
import { recordsFrom, zoneFrom } from '../../../test/support/zones.ts'
import { records, zoneFromRecords } from '../../zonedata/zone.ts'
import { ArenaReader } from './reader.ts'
import { RecentAnswers } from './recent-answers.ts'
import type { ArenaWriter } from './writer.ts'

const soa = (serial: number) => `z.test. 300 SOA ns.z.test. host.z.test. ${serial} 2 3 4 60`
const content = (origin: string, lines: string) =>
  recordsFrom(origin, `${origin} 300 SOA ns.${origin} h. 1 2 3 4 60\n${lines}`)

/** An arena with one zone, and what remembers its answers. */
function remembering(lines: string) {
  const { writer, reader } = arenaOf([zoneFrom('z.test.', `${soa(1)}\n${lines}`)])
  const recent = new RecentAnswers(reader)
  return { writer, recent, ask: (name: string, more = {}) => fastAnswer(recent, query(name, 'A', more)) }
}

/** What the zones say now, by nothing that remembers. */
const fresh = (writer: ArenaWriter, bytes: Uint8Array, limit?: number) =>
  fastAnswer(new ArenaReader(writer.handles), bytes, limit)

test('an answer is given again from the third time on, with the number and the flags of its question', () => {
  const { writer, recent, ask } = remembering('www A 192.0.2.1')
  for (let id = 1; id <= 5; id++) {
    const bytes = query('www.z.test.', 'A', { id })
    deepEqual(fastAnswer(recent, bytes), fresh(writer, bytes))
  }
  equal(recent.hits, 3)
  const flags = { qr: false, aa: false, tc: false, rd: true, ra: false, ad: false, cd: false }
  deepEqual(ask('www.z.test.', { flags }), fresh(writer, query('www.z.test.', 'A', { flags })))
  deepEqual(ask('WWW.z.test.'), fresh(writer, query('WWW.z.test.', 'A')))
  equal(recent.hits, 3)
})

test('a change of the zone is seen by the next question', () => {
  const { writer, recent, ask } = remembering('www A 192.0.2.1')
  for (let i = 0; i < 4; i++) ask('www.z.test.')
  const [removed, added] = [`${soa(1)}\nwww A 192.0.2.1`, `${soa(2)}\nwww A 192.0.2.2`].map((text) =>
    recordsFrom('z.test.', text),
  )
  writer.apply('z.test.', { from: 1, to: 2, removed: removed!, added: added! })
  deepEqual([...ask('www.z.test.')!.subarray(-4)], [192, 0, 2, 2])
  const hits = recent.hits
  deepEqual([...ask('www.z.test.')!.subarray(-4)], [192, 0, 2, 2])
  equal(recent.hits, hits + 1)
})

test('a zone that comes below, goes or fails is seen by the next question', () => {
  const { writer, ask } = remembering('www.sub A 192.0.2.1')
  const remember = () => {
    for (let i = 0; i < 4; i++) ask('www.sub.z.test.')
    return [...ask('www.sub.z.test.')!.subarray(-4)]
  }
  deepEqual(remember(), [192, 0, 2, 1])
  writer.putZone({ id: 'sub', name: 'sub.z.test.', serial: 1 }, content('sub.z.test.', 'www A 192.0.2.3'))
  deepEqual(remember(), [192, 0, 2, 3])
  writer.dropZone('sub')
  deepEqual(remember(), [192, 0, 2, 1])
  writer.awaitZone({ id: 'sub', name: 'sub.z.test.', serial: 1 })
  equal(ask('www.sub.z.test.'), undefined)
  writer.dropZone('sub')
  deepEqual(remember(), [192, 0, 2, 1])
  writer.failZone({ id: 'z.test.', name: 'z.test.', serial: 1 }, 'a reason')
  equal(ask('www.sub.z.test.'), undefined)
})

test('names that are asked for once displace nothing', () => {
  const { recent, ask } = remembering('www A 192.0.2.1\n*.wild A 192.0.2.2')
  for (let i = 0; i < 3; i++) ask('www.z.test.')
  const out = new Uint8Array(1232)
  for (let i = 0; i < 50_000; i++) {
    const bytes = query(`n${i}.wild.z.test.`, 'A')
    ok(recent.answer(bytes, 0, bytes.length, out, 0, 1232) > 0)
  }
  equal(recent.hits, 1)
  const { hits } = recent
  ask('www.z.test.')
  equal(recent.hits, hits + 1)
})

test('whatever is asked and changed, in any order, the answer is what the zones say now', () => {
  const zone = (origin: string) =>
    zoneLines(origin).map((lines) => zoneFromRecords(origin, content(origin, lines.join('\n'))))
  const asked = fc.record({
    name: fc.oneof(ownerIn('z.test.'), ownerIn('a.z.test.')),
    type: fc.constantFrom('A', 'MX', 'TXT', 'SOA', 'NS'),
    edns: fc.boolean(),
    limit: fc.constantFrom(512, 1232),
  })
  let hits = 0
  fc.assert(
    fc.property(
      fc.array(zone('z.test.'), { minLength: 1, maxLength: 3 }),
      fc.array(zone('a.z.test.'), { maxLength: 2 }),
      fc.array(asked, { minLength: 5, maxLength: 15 }),
      (parents, children, questions) => {
        const { writer, reader } = arenaOf([parents[0]!])
        const recent = new RecentAnswers(reader)
        const askAll = () => {
          for (let i = 0; i < questions.length * 3; i++) {
            const { name, type, edns, limit } = questions[i % questions.length]!
            const bytes = query(name, type, { id: i, ...(edns && { edns: { udpSize: 1232 } }) })
            deepEqual(fastAnswer(recent, bytes, limit), fresh(writer, bytes, limit))
          }
        }
        askAll()
        for (const one of [...parents.slice(1), ...children]) {
          writer.putZone({ id: one.origin, name: one.origin, serial: 1 }, records(one))
          askAll()
          writer.dropZone(one.origin)
          askAll()
        }
        hits += recent.hits
      },
    ),
    { numRuns: 60 },
  )
  ok(hits > 1000, `${hits} answers were given again`)
})
