import { deepEqual, equal } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { recordTypesDocument } from '../../scripts/record-types.ts'
import { describeType } from './describe.ts'
import { types } from './types/index.ts'

test('[T16] docs/record-types.md is what the definitions say; node scripts/record-types.ts writes it anew', () => {
  const written = readFileSync(new URL('../../docs/record-types.md', import.meta.url), 'utf8')
  equal(written, recordTypesDocument())
})

test('[T16] every type is described by plain data', () => {
  for (const type of types) deepEqual(JSON.parse(JSON.stringify(describeType(type))), describeType(type))
})
