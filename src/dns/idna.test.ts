import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyName } from '../../test/support/records.ts'
import { TextError } from './errors.ts'
import { isALabel, nameToAscii, nameToUnicode } from './idna.ts'
import { parseName } from './name.ts'

const pairs: readonly [typed: string, ascii: string, shown: string][] = [
  ['bücher.example.', 'xn--bcher-kva.example.', 'bücher.example.'],
  ['Bücher.Example.', 'xn--bcher-kva.Example.', 'bücher.Example.'],
  ['straße.de.', 'xn--strae-oqa.de.', 'straße.de.'],
  ['例え。テスト。', 'xn--r8jz45g.xn--zckzah.', '例え.テスト.'],
  ['*.bücher.example.', '*.xn--bcher-kva.example.', '*.bücher.example.'],
  ['_dmarc.bücher.example.', '_dmarc.xn--bcher-kva.example.', '_dmarc.bücher.example.'],
  ['XN--BCHER-KVA.example.', 'XN--BCHER-KVA.example.', 'bücher.example.'],
  ['plain.Example.', 'plain.Example.', 'plain.Example.'],
]
for (const [typed, ascii, shown] of pairs) {
  test(`[T9] ${typed} is stored as ${ascii} and shown as ${shown}`, () => {
    equal(nameToAscii(typed), ascii)
    equal(nameToUnicode(ascii), shown)
  })
}

test('[T9] labels that no internationalized name may have are refused', () => {
  for (const name of [
    'xn--a.',
    'xn--bcher-kva\u0301.',
    'xn--zz--zz.',
    'a\u2028b.',
    '-ü.',
    'ü\\.b.',
    '⒈a.',
    `${'ü'.repeat(64)}.`,
    '\ud800.',
    'xn--abc-.',
  ]) {
    throws(() => nameToAscii(name), TextError, name)
  }
})

test('[T9] a label that only looks like an A-label is shown as it is', () => {
  equal(isALabel('xn--a'), false)
  equal(nameToUnicode('xn--a.example.'), 'xn--a.example.')
  equal(nameToUnicode('.'), '.')
})

test('[T9] any text is a name or a TextError, and any name can be shown', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      try {
        parseName(nameToAscii(text), 'example.')
      } catch (error) {
        if (!(error instanceof TextError)) throw error
      }
    }),
    { numRuns: 500 },
  )
  fc.assert(fc.property(anyName, (name) => typeof nameToUnicode(name) === 'string'))
})

test('[T9] what is shown is taken back as the same name', () => {
  const label = fc.string({ unit: fc.constantFrom('ä', 'ß', 'a', '例', 'и', '1'), minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), (labels) => {
      const name = nameToAscii(`${labels.join('.')}.`)
      equal(nameToAscii(nameToUnicode(name)), name)
    }),
  )
})
