import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../errors.ts'
import { parseJson } from './json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const typeOf = (run: () => unknown): string => {
  try {
    run()
    return 'accepted'
  } catch (error) {
    if (error instanceof ApiError) return error.type
    throw error
  }
}

test('[H32] JSON of any shape is read as JavaScript reads it, up to 32 levels', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 20, noUnicodeString: false }), (value) => {
      fc.pre(value !== null)
      deepEqual(parseJson(bytes(JSON.stringify(value, null, 1))), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('[H32] any bytes are either read or refused, never more', () => {
  const soup = fc.array(
    fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', '1', 'null', '\\u0061', ' ', 'é'),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        soup.map((parts) => bytes(parts.join(''))),
      ),
      (input) => {
        const told = typeOf(() => parseJson(input))
        equal(['accepted', 'invalid_json', 'empty_request_body'].includes(told), true)
      },
    ),
    { numRuns: 2000 },
  )
})

test('[H33] a key that stands twice is found wherever it is and however it is spelled', () => {
  for (const text of [
    '{"a":1,"a":1}',
    '[{"a":{"b":1,"c":[],"b":2}}]',
    '{"\\u0061":1,"a":2}',
    '{"":1,"":2}',
    '{"a\\"":1,"a\\u0022":2}',
  ])
    throws(() => parseJson(bytes(text)), /stands twice/, text)
  for (const text of [
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a"],"b":1}',
    '{"a":"\\"a\\":1,"}',
  ])
    equal(
      typeOf(() => parseJson(bytes(text))),
      'accepted',
      text,
    )
})
