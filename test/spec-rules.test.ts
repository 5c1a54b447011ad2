import { deepEqual, equal } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { root } from './support/program.ts'

const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => ({ file, text: readFileSync(`${root}/${file}`, 'utf8') }))
const found = (texts: ReturnType<typeof read>, form: RegExp) =>
  texts.flatMap(({ text }) => [...text.matchAll(form)].map(([, rule]) => rule!))
const inOrder = (rules: Iterable<string>) => [...new Set(rules)].toSorted()

const pages = read('docs/spec/*.md')
const stated = found(pages, /^- \*\*\[([A-Z]+\d+)\]\*\*/gm)
const tests = [...read('src/**/*.test.ts'), ...read('test/**/*.ts')]
const tested = new Set(found(tests, /(?<=['"`](?:\[[A-Z]{1,2}\d+\] )*)\[([A-Z]{1,2}\d+)\] /g))

test('every rule is stated once', () => {
  deepEqual(
    stated.filter((rule, i) => stated.indexOf(rule) !== i),
    [],
  )
})

test('every rule has a test', () => {
  deepEqual(
    stated.filter((rule) => !tested.has(rule)),
    [],
  )
})

test('every rule that a test names is stated', () => {
  const known = new Set(stated)
  deepEqual(inOrder([...tested].filter((rule) => !known.has(rule))), [])
})

test('docs/spec.md names every page of rules with the letters of its rules', () => {
  const contents = readFileSync(`${root}/docs/spec.md`, 'utf8')
  for (const { file, text } of pages) {
    const row = new RegExp(`^\\| \\[([A-Z, ]+)\\]\\(spec/${basename(file)}\\)`, 'm').exec(contents)
    const letters = found([{ file, text }], /^- \*\*\[([A-Z]+)\d+\]\*\*/gm)
    equal(row?.[1]?.split(', ').toSorted().join(), inOrder(letters).join(), file)
  }
})
