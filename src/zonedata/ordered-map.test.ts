import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ceiling, entries, entriesFrom, fromSorted, get, type OrderedMap, remove, set } from './ordered-map.ts'

const key = fc.integer({ min: 0, max: 400 }).map((n) => String(n).padStart(3, '0'))
const edit = fc.record({ key, value: fc.option(fc.integer()) })

function fromModel(model: Map<string, number>): OrderedMap<number> {
  const keys = [...model.keys()].sort()
  return fromSorted(
    keys,
    keys.map((each) => model.get(each)!),
  )
}

function sameAs(map: OrderedMap<number>, model: Map<string, number>): void {
  equal(map.size, model.size)
  deepEqual(
    [...entries(map)].map((entry) => [entry.key, entry.value]),
    [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

test('an ordered map does what a sorted Map would, whatever is put in and taken out, and older versions stay as they were', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.integer()), { maxLength: 400 }),
      fc.array(edit, { maxLength: 600 }),
      key,
      (start, edits, probe) => {
        const model = new Map(start)
        const first = fromModel(model)
        const before = [...entries(first)]
        let map = first
        for (const { key, value } of edits) {
          if (value === null) {
            map = remove(map, key)
            model.delete(key)
          } else {
            map = set(map, key, value)
            model.set(key, value)
          }
        }
        sameAs(map, model)
        deepEqual([...entries(first)], before)
        equal(get(map, probe), model.get(probe))
        const after = [...entries(map)].filter((entry) => entry.key >= probe)
        deepEqual(ceiling(map, probe), after[0])
        deepEqual([...entriesFrom(map, probe)], after)
      },
    ),
    { numRuns: 60 },
  )
})

test('an ordered map can be emptied and filled again', () => {
  const keys = Array.from({ length: 2000 }, (_, i) => String(i).padStart(4, '0'))
  let map = fromSorted(keys, keys)
  for (const each of keys) map = remove(map, each)
  deepEqual([...entries(map)], [])
  equal(ceiling(map, ''), undefined)
  for (const each of keys) map = set(map, each, each)
  equal(map.size, 2000)
  deepEqual(
    [...entries(map)].map((entry) => entry.key),
    keys,
  )
})
