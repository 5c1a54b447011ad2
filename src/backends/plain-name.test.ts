import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseName, wireToName } from '../dns/name.ts'
import { plainName } from './plain-name.ts'

const labels = fc.array(fc.uint8Array({ minLength: 1, maxLength: 12 }), { maxLength: 8 })
const anyName = labels.map((parts) => wireToName(Buffer.from([...parts.flatMap((part) => [part.length, ...part]), 0])))

test('[W33] a plain name is the same name, in characters that no configuration gives a meaning to', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const plain = plainName(name)
      match(plain, /^[A-Za-z0-9_\\.-]+$/)
      equal(parseName(plain), name)
    }),
  )
  equal(plainName('.'), '.')
  equal(plainName('_a-1.Example.'), '_a-1.Example.')
})
