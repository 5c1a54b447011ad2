import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WireError } from './errors.ts'
import { nameToWire, wireToName } from './name.ts'
import { Reader, Writer } from './wire.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const names = (...all: string[]) => {
  const writer = new Writer()
  for (const name of all) writer.name(name)
  return writer.finish()
}

test('[M7] numbers of 8, 16, 32 and 48 bits go out and come back in network order', () => {
  const writer = new Writer()
  writer.u8(0xfe)
  writer.u16(0xfedc)
  writer.u32(0xfedcba98)
  writer.u48(0xfedcba987654)
  writer.bytes(Uint8Array.of(1, 2))
  writer.patchU16(1, 0x0102)
  const bytes = writer.finish()
  equal(hex(bytes), 'fe0102fedcba98fedcba9876540102')
  const reader = new Reader(bytes)
  deepEqual([reader.u8(), reader.u16(), reader.u32(), reader.u48()], [0xfe, 0x0102, 0xfedcba98, 0xfedcba987654])
  equal(reader.remaining, 2)
  equal(hex(reader.bytes(2)), '0102')
})

test('[M7] reading past the end and writing past the limit are WireErrors', () => {
  const reader = new Reader(Uint8Array.of(1, 2, 3, 4), 1, 3)
  throws(() => reader.u32(), WireError)
  equal(new Reader(Uint8Array.of(1, 2, 3, 4), 1, 3).u16(), 0x0203)
  throws(() => new Reader(Uint8Array.of(1, 2, 3, 4), 1, 3).bytes(3), WireError)
  const writer = new Writer(16, 20)
  writer.bytes(new Uint8Array(18))
  throws(() => writer.u32(1), WireError)
  throws(() => writer.name('a.'), WireError)
  writer.u16(1)
  equal(writer.finish().length, 20)
})

test('[M8] a name already written is a pointer, as is the longest tail already written', () => {
  equal(
    hex(names('a.bc.', 'a.bc.', 'd.bc.', 'bc.', '.', 'a.bc.')),
    '0161026263 00 c000 0164c002 c002 00 c000'.replaceAll(' ', ''),
  )
})

test('[M8] compression keeps the case of every name', () => {
  const all = ['www.Example.org.', 'WWW.example.org.', 'ftp.example.ORG.', 'www.Example.org.']
  const reader = new Reader(names(...all))
  deepEqual(
    all.map(() => reader.name()),
    all,
  )
})

test('[M8] names beyond the reach of a pointer are no targets', () => {
  const writer = new Writer()
  writer.bytes(new Uint8Array(0x3ffe))
  writer.name('abc.def.')
  writer.name('abc.def.')
  writer.name('def.')
  writer.name('def.')
  equal(writer.finish().length, 0x3ffe + 9 + 2 + 5 + 5)
})

test('[M8] rewinding forgets the targets beyond and keeps those before', () => {
  const writer = new Writer()
  writer.name('example.')
  const mark = writer.offset
  writer.name('www.example.')
  writer.name('www.example.')
  writer.rewind(mark)
  writer.bytes(new Uint8Array(20))
  const at = writer.offset
  writer.name('www.example.')
  equal(hex(writer.finish().subarray(at)), '03777777c000')
})

test('[M8] writers at work at the same time do not disturb each other', () => {
  const [one, two] = [new Writer(), new Writer()]
  for (const name of ['a.example.', 'b.example.', 'a.example.', 'b.b.example.']) {
    one.name(name)
    two.name(`x.${name}`)
  }
  const [first, second] = [new Reader(one.finish()), new Reader(two.finish())]
  deepEqual(
    [first.name(), first.name(), first.name(), first.name()],
    ['a.example.', 'b.example.', 'a.example.', 'b.b.example.'],
  )
  deepEqual(
    [second.name(), second.name(), second.name(), second.name()],
    ['x.a.example.', 'x.b.example.', 'x.a.example.', 'x.b.b.example.'],
  )
})

test('[M8] any names written with compression are read back the same, and take no more room than plain ones', () => {
  const label = fc.oneof(
    fc.constantFrom('a', 'A', 'b', 'example').map((s) => Buffer.from(s)),
    fc.uint8Array({ minLength: 1, maxLength: 10 }),
  )
  const name = fc
    .array(label, { maxLength: 6 })
    .map((labels) => wireToName(Uint8Array.from([...labels.flatMap((l) => [l.length, ...l]), 0])))
  fc.assert(
    fc.property(fc.array(name, { maxLength: 40 }), fc.nat(39), (all, cut) => {
      const writer = new Writer()
      for (const name of all.slice(0, cut)) writer.name(name)
      const mark = writer.offset
      for (const name of all) writer.name(name)
      writer.rewind(mark)
      for (const name of all) writer.name(name)
      const bytes = writer.finish()
      const reader = new Reader(bytes)
      const expected = [...all.slice(0, cut), ...all]
      deepEqual(
        expected.map(() => reader.name()),
        expected,
      )
      equal(reader.remaining, 0)
      const skipper = new Reader(bytes)
      for (const _ of expected) skipper.skipName()
      equal(skipper.remaining, 0)
      equal(bytes.length <= expected.reduce((sum, name) => sum + nameToWire(name).length, 0), true)
    }),
  )
})

test('[M8] thousands of names that hash alike cost pointers, not time', () => {
  const writer = new Writer(512, 1 << 20)
  const all = Array.from(
    { length: 8000 },
    (_, i) => `${String.fromCharCode(0x61 + (i % 26))}.${i.toString(36).split('').join('.')}.`,
  )
  for (const name of all) writer.name(name)
  const reader = new Reader(writer.finish())
  deepEqual(
    all.map(() => reader.name()),
    all,
  )
})

const hostile: [what: string, bytes: number[], start: number][] = [
  ['a pointer to itself', [0xc0, 0], 0],
  ['a pointer forwards', [0xc0, 2, 0], 0],
  ['two pointers at each other', [0xc0, 2, 0xc0, 0], 2],
  ['a label followed by a pointer to that label', [1, 0x61, 0xc0, 0], 0],
  ['a pointer out of the message', [0xff, 0xff], 0],
  ['half a pointer', [0xc0], 0],
  ['a label type of RFC 2673', [0x41, 0, 0], 0],
  ['a label type 2', [0x80, 0], 0],
  ['a label cut short', [5, 0x61], 0],
  ['a missing root', [1, 0x61], 0],
  ['no octet', [], 0],
]
for (const [what, bytes, start] of hostile) {
  test(`[M9] ${what} is a WireError`, () => {
    throws(() => new Reader(Uint8Array.from(bytes), start).name(), WireError)
    throws(() => new Reader(Uint8Array.from(bytes), start).plainName(), WireError)
  })
}

test('[M9] a chain of pointers cannot make a name longer than 255 octets, nor read for long', () => {
  const bytes: number[] = [0]
  for (let i = 0; i < 200; i++)
    bytes.push(1, 0x61, 0xc0 | ((i === 0 ? 0 : i * 4 - 3) >> 8), (i === 0 ? 0 : i * 4 - 3) & 0xff)
  const wire = Uint8Array.from(bytes)
  equal(new Reader(wire, 127 * 4 - 3).name(), 'a.'.repeat(127))
  throws(() => new Reader(wire, 128 * 4 - 3).name(), WireError)
})

test('[M9] a pointer may lead before the part being read, where the name ends beyond its end', () => {
  const bytes = Uint8Array.from([...nameToWire('example.'), 0xc0, 0])
  const reader = new Reader(bytes, 9, 11)
  equal(reader.name(), 'example.')
  equal(reader.remaining, 0)
  throws(() => new Reader(bytes, 9, 11).plainName(), WireError)
  throws(() => new Reader(bytes, 0, 8).name(), WireError)
})
