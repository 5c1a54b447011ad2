import { equal } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedDocs } from '../scripts/docs/generated.ts'
import { root } from './support/program.ts'

for (const { file, update } of generatedDocs) {
  test(`${file} is what \`npm run docs\` writes`, () => {
    const text = readFileSync(join(root, file), 'utf8')
    equal(text, update(text))
  })
}
