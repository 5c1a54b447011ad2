import { readFileSync, writeFileSync } from 'node:fs'
import { generatedDocs } from './docs/generated.ts'

for (const { file, update } of generatedDocs) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, update(text))
}
