import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TextError, WireError } from './errors.ts'
import {
  compareNames,
  isAtOrBelow,
  isBelow,
  isWildcard,
  labelCount,
  labelsOf,
  nameKey,
  nameToWire,
  parentName,
  parseName,
  sameName,
  wildcardBelow,
  wireToName,
} from './name.ts'

const label = fc.uint8Array({ minLength: 1, maxLength: 63 })
const shortLabel = fc.uint8Array({ minLength: 1, maxLength: 3 })
const wireName = (labels: readonly Uint8Array[]) => {
  const octets = labels.flatMap((l) => [l.length, ...l])
  return Uint8Array.from([...octets, 0])
}
const anyName = fc
  .array(fc.oneof(shortLabel, label), { maxLength: 12 })
  .map(wireName)
  .filter((wire) => wire.length <= 255)

const table: [text: string, origin: string | undefined, name: string][] = [
  ['www.example.org.', undefined, 'www.example.org.'],
  ['WwW.Example.ORG.', undefined, 'WwW.Example.ORG.'],
  ['www', 'example.org.', 'www.example.org.'],
  ['www', '.', 'www.'],
  ['@', 'example.org.', 'example.org.'],
  ['.', 'example.org.', '.'],
  ['a\\.b', 'example.org.', 'a\\.b.example.org.'],
  ['a\\.', 'example.org.', 'a\\..example.org.'],
  ['a\\\\.', 'example.org.', 'a\\\\.'],
  ['\\046\\092\\065.', undefined, '\\.\\\\A.'],
  ['\\a\\*.x.', undefined, 'a*.x.'],
  ['user@host.', undefined, 'user\\@host.'],
  ['\\000\\255\\032.', undefined, '\\000\\255\\032.'],
  ['_dmarc._tcp-x/24.', undefined, '_dmarc._tcp-x/24.'],
  [`${'a'.repeat(63)}.`, undefined, `${'a'.repeat(63)}.`],
]
for (const [text, origin, name] of table) {
  test(`[M1] the text ${text} at ${origin} is the name ${name}`, () => {
    equal(parseName(text, origin), name)
    equal(wireToName(nameToWire(name)), name)
    equal(parseName(name), name)
  })
}

const refused: [text: string, says: RegExp][] = [
  ['', /must end in a dot/],
  ['www', /must end in a dot, as in www\./],
  ['@', /must end in a dot/],
  ['a\\.', /must end in a dot/],
  ['..', /empty label/],
  ['.a.', /empty label/],
  ['a..b.', /empty label/],
  [`${'a'.repeat(64)}.`, /1\.\.63 octets, not 64/],
  [`${`${'a'.repeat(63)}.`.repeat(4)}`, /at most 255 octets/],
  [`${'a.'.repeat(128)}`, /at most 255 octets/],
  ['a b.', /\\032 written so/],
  ['a\t.', /\\009/],
  ['bücher.', /ASCII/],
  ['a\\25.', /\\000\.\.\\255/],
  ['a\\256.', /\\000\.\.\\255/],
  ['a\\', /must end in a dot/],
]
for (const [text, says] of refused) {
  test(`[M1] ${JSON.stringify(text.slice(0, 30))} is refused, saying what is right`, () => {
    throws(
      () => parseName(text),
      (error) => error instanceof TextError && says.test(error.message),
    )
    throws(() => nameToWire(text), TextError)
  })
}

test('[M1] 255 octets fit and 256 do not, however they are escaped', () => {
  const most = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}.`
  equal(nameToWire(parseName(most)).length, 255)
  equal(nameToWire(parseName(most.replaceAll('a', '\\255'))).length, 255)
  throws(() => parseName(`${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(62)}.`), TextError)
  throws(() => parseName('b'.repeat(62), `${'a'.repeat(63)}.`.repeat(3)), TextError)
})

test('[M1] any octets survive wire → text → wire, and text has one form', () => {
  fc.assert(
    fc.property(anyName, (wire) => {
      const name = wireToName(wire)
      deepEqual(nameToWire(name), wire)
      equal(parseName(name), name)
      equal(wireToName(Uint8Array.from([7, 7, ...wire, 9]), 2), name)
    }),
  )
})

test('[M1] any text is a name in its one form, or a TextError', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: fc.constantFrom('a', '.', '\\', '0', '9', '@') })),
      (text) => {
        try {
          const name = parseName(text, 'Origin.Example.')
          equal(parseName(name), name)
          equal(wireToName(nameToWire(name)), name)
        } catch (error) {
          if (!(error instanceof TextError)) throw error
        }
      },
    ),
  )
})

test('[M1] any bytes are a name or a WireError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        wireToName(bytes)
      } catch (error) {
        if (!(error instanceof WireError)) throw error
      }
    }),
  )
})

test('[M2] letter case is kept and does not tell names apart, for ASCII letters only', () => {
  equal(sameName('wWw.Example.', 'WwW.eXAMPLE.'), true)
  equal(nameKey('wWw.Example.'), 'www.example.')
  equal(sameName('\\228.', '\\196.'), false)
  equal(sameName('a.', 'b.'), false)
})

test('[M3] a name is below another only at a label boundary', () => {
  equal(isBelow('www.example.org.', 'EXAMPLE.org.'), true)
  equal(isBelow('example.org.', 'example.org.'), false)
  equal(isAtOrBelow('Example.org.', 'example.ORG.'), true)
  equal(isBelow('notexample.org.', 'example.org.'), false)
  equal(isBelow('a\\.example.org.', 'example.org.'), false)
  equal(isBelow('a\\\\.example.org.', 'example.org.'), true)
  equal(isBelow('org.', '.'), true)
  equal(isBelow('.', '.'), false)
  equal(isAtOrBelow('.', '.'), true)
  equal(isBelow('.', 'org.'), false)
})

test('[M3] parents, labels and wildcards are found across escapes', () => {
  equal(parentName('a\\.b.c.'), 'c.')
  equal(parentName('c.'), '.')
  equal(parentName('.'), undefined)
  deepEqual(labelsOf('a\\.b.\\\\.c.'), ['a\\.b', '\\\\', 'c'])
  deepEqual(labelsOf('.'), [])
  equal(labelCount('a\\.b.c.'), 2)
  equal(labelCount('.'), 0)
  equal(isWildcard('*.example.'), true)
  equal(isWildcard('*a.example.'), false)
  equal(isWildcard(parseName('\\*.example.')), true)
  equal(wildcardBelow('example.'), '*.example.')
  equal(wildcardBelow('.'), '*.')
})

test('[M3] suffix tests agree with comparing label lists', () => {
  const near = fc.array(fc.uint8Array({ minLength: 1, maxLength: 2, max: 93, min: 92 }), { maxLength: 4 })
  fc.assert(
    fc.property(near, near, (a, b) => {
      const [name, ancestor] = [wireToName(wireName(a)), wireToName(wireName(b))]
      const expected = a.length > b.length && wireToName(wireName(a.slice(a.length - b.length))) === ancestor
      equal(isBelow(name, ancestor), expected)
      equal(labelCount(name), a.length)
      equal(labelsOf(name).length, a.length)
    }),
  )
})

test('[M4] the example of RFC 4034 6.1 sorts as printed there', () => {
  const sorted = [
    'example.',
    'a.example.',
    'yljkjljk.a.example.',
    'Z.a.example.',
    'zABC.a.EXAMPLE.',
    'z.example.',
    '\\001.z.example.',
    '*.z.example.',
    '\\200.z.example.',
  ]
  deepEqual(sorted.toReversed().toSorted(compareNames), sorted)
})

test('[M4] canonical order agrees with comparing reversed lists of lower-cased octets', () => {
  const octet = fc.constantFrom(0, 0x2d, 0x2e, 0x41, 0x5b, 0x61, 0x62, 0x7a, 0xff)
  const plain = fc.constantFrom(0x2d, 0x41, 0x5b, 0x61, 0x7a)
  const names = (unit: fc.Arbitrary<number>) =>
    fc.array(
      fc.array(unit, { minLength: 1, maxLength: 3 }).map((l) => Uint8Array.from(l)),
      { maxLength: 4 },
    )
  const naive = (a: Uint8Array[], b: Uint8Array[]): number => {
    const lower = (l: Uint8Array) => Buffer.from(l.map((c) => (c >= 65 && c <= 90 ? c + 32 : c)))
    const [x, y] = [a.toReversed(), b.toReversed()]
    for (const [i, l] of x.entries()) {
      if (i >= y.length) return 1
      const order = Buffer.compare(lower(l), lower(y[i]!))
      if (order !== 0) return order
    }
    return x.length === y.length ? 0 : -1
  }
  for (const unit of [octet, plain]) {
    fc.assert(
      fc.property(names(unit), names(unit), (a, b) => {
        const [x, y] = [wireToName(wireName(a)), wireToName(wireName(b))]
        equal(Math.sign(compareNames(x, y)), naive(a, b))
        equal(compareNames(x, y) === 0, sameName(x, y))
      }),
      { numRuns: 500 },
    )
  }
})
