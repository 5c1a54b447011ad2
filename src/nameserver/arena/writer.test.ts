import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownerIn, zoneLines } from '../../../test/support/arbitrary-zones.ts'
import { arenaOf } from '../../../test/support/arenas.ts'
import { linesOf, recordsFrom, zoneFrom } from '../../../test/support/zones.ts'
import { DnsError } from '../../dns/errors.ts'
import { nameKey } from '../../dns/name.ts'
import type { ResourceRecord, RRset } from '../../dns/record.ts'
import { apply, type Change } from '../../zonedata/change.ts'
import { compare } from '../../zonedata/compare.ts'
import { nameExists, records, recordsOf, rrsets, serialOf, type Zone, zoneFromRecords } from '../../zonedata/zone.ts'
import { ArenaReader } from './reader.ts'
import { servedFrom } from './served.ts'
import { ArenaWriter } from './writer.ts'

const origins = ['z.test.', 'a.z.test.', 'y.test.'] as const

/** RRsets in one order; the arena keeps letter case by label, zone values by name, so that it does not count. */
const listed = (sets: Iterable<RRset>): string[] =>
  [...sets].map((set) => linesOf(recordsOf({ ...set, name: nameKey(set.name) })).join('; ')).toSorted()

function contentOf(writer: ArenaWriter, id: string): string[] {
  const snapshot = writer.snapshot(id)
  try {
    return listed(snapshot.rrsets())
  } finally {
    snapshot.release()
  }
}

function zoneOf(origin: string, serial: number, lines: readonly string[]): Zone {
  const soa = `${origin} 300 SOA ns.${origin} host.${origin} ${serial} 2 3 4 60`
  return zoneFromRecords(origin, recordsFrom(origin, [soa, ...lines].join('\n')))
}

type Step = { origin: string; lines: string[]; by: 'put' | 'apply' | 'drop' | 'fail' | 'await' }

const step: fc.Arbitrary<Step> = fc.constantFrom(...origins).chain((origin) =>
  fc.record({
    origin: fc.constant(origin),
    lines: zoneLines(origin),
    by: fc.constantFrom(
      'put' as const,
      'apply' as const,
      'apply' as const,
      'drop' as const,
      'fail' as const,
      'await' as const,
    ),
  }),
)

test('the arena holds what zone values hold after any steps, and every name exists that should', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.array(ownerIn('z.test.'), { maxLength: 10 }), (steps, names) => {
      const writer = new ArenaWriter()
      const reader = new ArenaReader(writer.handles, () => writer.handles)
      const model = new Map<string, Zone>()
      for (const [serial, { origin, lines, by }] of steps.entries()) {
        const before = model.get(origin)
        const next = zoneOf(origin, serial + 1, lines)
        const given = { id: origin, name: origin, serial: serial + 1 }
        if (by === 'drop') {
          writer.dropZone(origin)
          model.delete(origin)
        } else if (by === 'fail') {
          writer.failZone(given, 'a reason')
          model.delete(origin)
        } else if (by === 'await') {
          writer.awaitZone(given)
        } else if (by === 'apply' && before !== undefined) {
          const change = compare(before, next)
          writer.apply(origin, change)
          model.set(origin, apply(before, change))
        } else {
          writer.putZone(given, records(next))
          model.set(origin, next)
        }
      }
      let [count, sets, owners] = [0, 0, 0]
      for (const [origin, zone] of model) {
        deepEqual(contentOf(writer, origin), listed(rrsets(zone)))
        equal(writer.serialOf(origin), serialOf(zone))
        count += zone.recordCount
        sets += [...rrsets(zone)].length
        owners += new Set([...rrsets(zone)].map(({ name }) => nameKey(name))).size
      }
      for (const origin of origins) if (!model.has(origin)) equal(writer.serialOf(origin), undefined)
      const { stats } = writer
      deepEqual([stats.records, stats.rrsets, stats.names], [count, sets, owners])
      const zone = model.get('z.test.')
      if (zone === undefined) return
      for (const name of names) {
        const view = reader.consistently(() => {
          const found = reader.zoneFor('z.test.', 1)!
          return found.at(name, found.depthOf(name)) !== undefined
        })
        equal(view, nameExists(zone, name), name)
      }
    }),
    { numRuns: 400 },
  )
})

const base = `@ SOA ns host 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\nwww A 192.0.2.2\na.b.c TXT "x"`
const at = (serial: number) => recordsFrom('example.', `@ SOA ns host ${serial} 2 3 4 5`)
const from1 = (removed: string, added: string): Change => ({
  from: 1,
  to: 2,
  removed: [...at(1), ...recordsFrom('example.', removed)],
  added: [...at(2), ...recordsFrom('example.', added)],
})

test('a change that does not fit is refused and leaves zone and memory as they were', () => {
  const { writer } = arenaOf([zoneFrom('example.', base)])
  const content = contentOf(writer, 'example.')
  const inUse = () => writer.stats.bytes - writer.stats.garbageBytes
  const before = inUse()
  const misfits: Record<string, Change> = {
    'another serial': { ...from1('', 'new A 192.0.2.9'), from: 7 },
    'a record to remove that is not there': from1('www A 192.0.2.3', 'new A 192.0.2.9'),
    'a record to add that is there': from1('', 'new A 192.0.2.9\nwww A 192.0.2.2'),
    'no SOA': { from: 1, to: 2, removed: [], added: recordsFrom('example.', 'new A 192.0.2.9') },
    'a name outside': from1('', 'x.deep.new A 192.0.2.9\nwww.elsewhere. A 192.0.2.1'),
    'another class': { from: 1, to: 2, removed: at(1), added: at(2).map((record) => ({ ...record, class: 3 })) },
  }
  for (const [what, change] of Object.entries(misfits)) {
    throws(() => writer.apply('example.', change), DnsError, what)
    deepEqual(contentOf(writer, 'example.'), content, what)
    equal(inUse(), before, what)
  }
  throws(() => writer.apply('unknown', from1('', '')), /not served/)
})

test('a zone that cannot be taken in leaves the one that is there', () => {
  const { writer } = arenaOf([zoneFrom('example.', base)])
  const content = contentOf(writer, 'example.')
  function* broken(): Generator<ResourceRecord> {
    yield* recordsFrom('example.', base)
    throw new Error('the source is gone')
  }
  const zone = { id: 'example.', name: 'example.', serial: 9 }
  throws(() => writer.putZone(zone, broken()), /the source is gone/)
  const inUse = writer.stats.bytes - writer.stats.garbageBytes
  for (let i = 0; i < 100; i++) throws(() => writer.putZone(zone, broken()), /the source is gone/)
  throws(() => writer.putZone(zone, recordsFrom('.', 'www.elsewhere. A 192.0.2.1')), /must be example/)
  deepEqual(contentOf(writer, 'example.'), content)
  ok(writer.stats.bytes - writer.stats.garbageBytes < inUse * 4, 'but for tables nothing stays')
})

test('a zone made again under another id takes the name, and the old id is forgotten', () => {
  const { writer, reader } = arenaOf([zoneFrom('example.', base)])
  writer.putZone({ id: 'new', name: 'EXAMPLE.', serial: 5 }, at(5))
  equal(writer.serialOf('example.'), undefined)
  writer.dropZone('example.')
  equal(writer.serialOf('new'), 5)
  equal(servedFrom(reader).answer({ name: 'example.', type: 6 })?.state, 'ready')
})

test('zones that fail and zones still to be read are told apart', () => {
  const { writer, reader } = arenaOf([])
  const served = servedFrom(reader)
  const zone = { id: 'some-id', name: 'example.', serial: 3 }
  equal(served.answer({ name: 'www.example.', type: 1 }), undefined)
  writer.awaitZone(zone)
  deepEqual(served.answer({ name: 'www.example.', type: 1 }), { state: 'awaited', id: 'some-id' })
  writer.failZone(zone, 'no SOA')
  deepEqual(served.answer({ name: 'www.example.', type: 1 }), { state: 'failed', reason: 'no SOA' })
  writer.awaitZone(zone)
  equal(served.answer({ name: 'www.example.', type: 1 })?.state, 'failed')
  writer.putZone(zone, at(3))
  equal(served.answer({ name: 'www.example.', type: 1 })?.state, 'ready')
  writer.dropZone('some-id')
  equal(served.answer({ name: 'www.example.', type: 1 }), undefined)
})

test('RRsets of many records come in any order, each record once', () => {
  const lines: string[] = []
  for (let i = 0; i < 3000; i++) lines.push(`a TXT "${i % 2000}"`, `b A 10.0.${i >> 8}.${i & 255}`)
  const zone = zoneFrom('example.', [base, ...lines].join('\n'))
  const writer = new ArenaWriter()
  writer.putZone({ id: '1', name: 'example.', serial: 1 }, recordsFrom('example.', [base, ...lines].join('\n')))
  deepEqual(contentOf(writer, '1'), listed(rrsets(zone)))
})

test('a snapshot stays what it was while the zone is changed, replaced and dropped', () => {
  const { writer } = arenaOf([zoneFrom('example.', base)])
  const first = contentOf(writer, 'example.')
  const snapshot = writer.snapshot('example.')
  writer.apply('example.', from1('a.b.c TXT "x"\nwww A 192.0.2.2', 'WWW A 192.0.2.3\nwww A 192.0.2.4\nnew A 192.0.2.5'))
  const second = writer.snapshot('example.')
  writer.putZone({ id: 'example.', name: 'example.', serial: 3 }, at(3))
  writer.dropZone('example.')
  for (let i = 0; i < 100; i++) writer.putZone({ id: `${i}`, name: `z${i}.`, serial: 1 }, recordsFrom(`z${i}.`, base))
  equal(snapshot.serial, 1)
  deepEqual(listed(snapshot.rrsets()), first)
  equal(second.serial, 2)
  ok(listed(second.rrsets()).some((line) => line.includes('192.0.2.5')))
  const garbage = writer.stats.garbageBytes
  snapshot.release()
  snapshot.release()
  equal(writer.stats.garbageBytes, garbage)
  second.release()
  ok(writer.stats.garbageBytes > garbage)
})

test('memory stays bounded over a hundred thousand changes', () => {
  const writer = new ArenaWriter()
  const ids = Array.from({ length: 20 }, (_, i) => `zone${i}.`)
  const numbers = Buffer.alloc(22)
  const soaAt = (name: string, serial: number) => {
    numbers.writeUInt32BE(serial, 2)
    return { name, type: 6, class: 1, ttl: 60, rdata: Buffer.from(numbers) }
  }
  for (const name of ids) writer.putZone({ id: name, name, serial: 0 }, [soaAt(name, 0)])
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const held = new Map(ids.map((id) => [id, [] as ResourceRecord[]]))
  const turn = (i: number) => {
    const name = ids[random(ids.length)]!
    const serial = writer.serialOf(name)!
    const records = held.get(name)!
    const removed = records.length > random(60) ? records.splice(random(records.length), 1) : []
    const owner = `${'x'.repeat(1 + random(40))}${random(30)}.${'yz'[random(2)]}.${name}`
    const added = { name: owner, type: 16, class: 1, ttl: 60, rdata: Buffer.from(`${'t'.repeat(random(300))}${i}`) }
    records.push(added)
    writer.apply(name, {
      from: serial,
      to: serial + 1,
      removed: [soaAt(name, serial), ...removed],
      added: [soaAt(name, serial + 1), added],
    })
  }
  for (let i = 0; i < 20_000; i++) turn(i)
  const early = writer.stats.bytes
  for (let i = 20_000; i < 100_000; i++) turn(i)
  ok(writer.stats.bytes < early * 1.5, `${early} octets grew to ${writer.stats.bytes}`)
})
