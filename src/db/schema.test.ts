import { equal } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { schemaFile, schemaText } from './schema.ts'

test('schema.sql shows what the migrations make; after a new migration, run node scripts/schema.ts', async () => {
  equal(await readFile(schemaFile, 'utf8'), await schemaText())
})
