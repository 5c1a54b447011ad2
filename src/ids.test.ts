import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { newId, toUuid } from './ids.ts'

test('ids are UUIDv7 and sort in the order they were made, also within one millisecond and when the clock steps back', () => {
  const at = new Date('2026-11-15T00:00:00Z')
  const earlier = new Date(at.getTime() - 5000)
  const ids = Array.from({ length: 20_000 }, (_, i) => newId(i % 3 === 0 ? earlier : at))
  for (const id of ids) match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  deepEqual(ids.toSorted(), ids)
  equal(new Set(ids).size, ids.length)
})

test('ids are accepted in any UUID-like form and brought to one', () => {
  const id = '794ccc2c-d751-44fe-b57f-8894c9f5c842'
  for (const form of [id, id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`])
    equal(toUuid(form), id)
  for (const form of ['', 'foo', `${id}0`, `${id}\n`, id.slice(1)]) equal(toUuid(form), undefined)
})
