import { deepEqual } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
const rulesIn = (text: string, form: RegExp) =>
  [...new Set([...text.matchAll(form)].map(([, rule]) => rule!))].toSorted()

test('every rule of HTTP, pools, TLDs and blacklists has a test, and every such test has a rule', () => {
  const stated = rulesIn(read('docs/spec/{http,pools-tlds-blacklists}.md'), /^- \*\*\[((?:H|P|TL|B)\d+)\]\*\*/gm)
  const tested = rulesIn(read('{src,test}/**/*.ts'), /test\(\s*['"`]\[((?:H|P|TL|B)\d+)\]/g)
  deepEqual(tested, stated)
})

test('every rule of zones from elsewhere has a test, and every such test has a rule', () => {
  const stated = rulesIn(read('docs/spec/secondary.md'), /^- \*\*\[(Y\d+)\]\*\*/gm)
  const tested = rulesIn(read('{src,test}/**/*.ts'), /test\(\s*['"`]\[(Y\d+)\]/g)
  deepEqual(tested, stated)
})
