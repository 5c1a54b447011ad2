import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFileOfOther, primariesText, readZone, zoneBlock, zoneFile } from './zone-statement.ts'

test('[W31] what named shows of a zone is read in the words of today and of before', () => {
  const masters = [
    { host: '127.0.0.1', port: 53 },
    { host: '2001:db8::1', port: 5354 },
  ]
  const primaries = primariesText(masters, 'k.')
  const wanted = { type: 'secondary', primaries, file: 'f' }
  deepEqual(readZone(`zone "x.test" ${zoneBlock(primaries, 'f')}`), wanted)
  deepEqual(
    readZone(
      'zone "x.test" in v { type slave; file "f"; masters { 127.0.0.1 key "k."; 2001:db8::1 port 5354 key "k."; }; };',
    ),
    wanted,
  )
})

test('[W33] the file of a zone is safe, bounded and of this zone alone', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.uuid(),
      fc.uuid(),
      fc.option(fc.string(), { nil: undefined }),
      (name, id, other, view) => {
        const file = zoneFile({ id, name }, view)
        match(file, /^secondary\.[A-Za-z0-9._-]{1,250}$/)
        equal(isFileOfOther(file, { id, name }), false)
        if (id === other) return
        notEqual(zoneFile({ id: other, name }, view), file)
        equal(isFileOfOther(file, { id: other, name }), true)
      },
    ),
  )
})
