import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { defaulted, id, integer, moment, nullable, objects, text, textMap } from './field.ts'
import { inWords } from './schema-words.ts'

for (const [schema, words] of [
  [id().schema, 'a UUID'],
  [text(50, { min: 1 }).schema, 'text of 1..50 characters'],
  [nullable(text(160)).schema, 'text of up to 160 characters or null'],
  [integer(1, 10_000).schema, 'a whole number, 1..10000'],
  [moment().schema, 'text such as 2026-11-15T08:30:00.000000'],
  [{ enum: ['PRIMARY', 'SECONDARY'] }, 'PRIMARY, SECONDARY'],
  [{ type: ['object', 'null'] }, 'a map from names to anything or null'],
  [{ type: 'boolean' }, 'true or false'],
  [{ type: 'integer', minimum: 0 }, 'a whole number from 0'],
  [
    textMap({ key: 50, value: 50, entries: 100 }).schema,
    'a map of up to 100 from names to text of up to 50 characters',
  ],
  [
    defaulted(objects({ hostname: text(255), priority: integer(1, 9) }, 100), []).schema,
    'a list of up to 100, each { hostname: text of up to 255 characters; priority: a whole number, 1..9 } or null',
  ],
] as const) {
  test(`[H65] /docs says ${words}`, () => equal(inWords(schema), words))
}
