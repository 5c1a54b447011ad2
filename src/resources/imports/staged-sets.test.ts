import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { rdataFromText } from '../../dns/rdata.ts'
import type { GrowingSet } from '../../zonedata/zone.ts'
import { inOrder, staged } from './staged-sets.ts'

const [a, txt] = [1, 16]
const set = (name: string, type: number, ttl: number, ...texts: string[]): GrowingSet => ({
  name,
  type,
  ttl,
  rdatas: texts.map((text) => rdataFromText(type, text)),
})
const places = (sets: readonly GrowingSet[]) => sets.map(({ name, type }) => `${name} ${type}`)

test('[I15] few sets stay in the order of the file, and a set that stands in several places is one', () => {
  const sets = inOrder([
    set('b.example.', a, 300, '192.0.2.1'),
    set('a.example.', txt, 60, '"x"'),
    set('B.example.', a, 60, '192.0.2.1', '192.0.2.2'),
    set('a.example.', a, 60, '192.0.2.3'),
  ])
  deepEqual(places(sets), ['b.example. 1', 'a.example. 16', 'a.example. 1'])
  deepEqual([sets[0]!.ttl, sets[0]!.rdatas.length], [60, 2])
})

test('[I15] many sets come in the order of their names', () => {
  const names = Array.from({ length: 12_000 }, (_, i) => `${((i * 7919) % 12_000).toString(36)}.Example.`)
  const sets = inOrder(names.map((name) => set(name, a, 300, '192.0.2.1')))
  const keys = sets.map(({ name }) => name.toLowerCase())
  deepEqual(keys, names.map((name) => name.toLowerCase()).toSorted())
})

test('[I15] a set whose every record stands in another place of the file takes no time that grows with its square', () => {
  const pieces = Array.from({ length: 60_000 }, (_, i) => [
    set('a.example.', a, 300, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`),
    set('b.example.', a, 300, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`),
  ]).flat()
  const before = process.cpuUsage()
  const sets = inOrder(pieces)
  deepEqual(
    sets.map(({ rdatas }) => rdatas.length),
    [60_000, 60_000],
  )
  ok(process.cpuUsage(before).user < 5_000_000)
})

test('a set is stored with the text of its records, and the canonical one where that differs', () => {
  const { id, type, records, found } = staged(
    set('M.Example.', 15, 300, '10 Mail.Example.', '20 b.example.'),
    new Date(),
  )
  deepEqual([type, records], ['MX', '["10 Mail.Example.","20 b.example."]'])
  deepEqual(found, [
    [id, '10 Mail.Example.', '10 mail.example.'],
    [id, '20 b.example.', null],
  ])
})
