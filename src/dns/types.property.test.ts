import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyRdata, anyValue } from '../../test/support/records.ts'
import { type DnsError, TextError, WireError } from './errors.ts'
import {
  canonicalRdata,
  decodeRdata,
  encodeRdata,
  parseRdata,
  printRdata,
  rdataFromText,
  rdataNames,
  rdataToText,
  readRdata,
  sameRdata,
  writeRdata,
} from './rdata.ts'
import { types } from './types/index.ts'
import { Reader, Writer } from './wire.ts'

const numRuns = 60
const inZones = types.filter((type) => !type.meta)

for (const type of types) {
  test(`[T1] any ${type.type} value survives wire and, where its text may be written, text`, () => {
    fc.assert(
      fc.property(anyValue(type), (value) => {
        deepEqual(decodeRdata(type, encodeRdata(type, value)), value)
        const fault = type.check?.(value)
        const text = printRdata(type, value)
        if (fault === undefined) deepEqual(parseRdata(type, text), value)
        else throws(() => parseRdata(type, text), TextError)
      }),
      { numRuns },
    )
  })
}

for (const type of inZones) {
  test(`[T4] any ${type.type} octets are printed as text that gives them back`, () => {
    fc.assert(
      fc.property(anyRdata(type), (rdata) => {
        deepEqual(rdataFromText(type.code, rdataToText(type.code, rdata)), rdata)
        ok(sameRdata(type.code, rdata, canonicalRdata(type.code, rdata)))
        equal(canonicalRdata(type.code, rdata).length, rdata.length)
      }),
      { numRuns },
    )
  })

  test(`[T4] any ${type.type} octets survive a message, beside a name that they may point to`, () => {
    fc.assert(
      fc.property(anyRdata(type), (rdata) => {
        const writer = new Writer()
        for (const name of rdataNames(type.code, rdata)) writer.name(name)
        const start = writer.offset
        writeRdata(type.code, writer, rdata)
        const message = writer.finish()
        deepEqual(readRdata(type.code, new Reader(message, start), message.length - start), rdata)
      }),
      { numRuns },
    )
  })
}

for (const type of types) {
  test(`[T5] any bytes are ${type.type} data or a WireError, and what is data can be printed and read again`, () => {
    const near = anyRdata(type).chain((rdata) => fc.tuple(fc.constant(rdata), fc.nat(), fc.nat({ max: 255 }), fc.nat()))
    const damaged = near.map(([rdata, at, octet, cut]) => {
      const bytes = rdata.slice(0, cut % 3 === 0 ? cut % (rdata.length + 1) : rdata.length)
      if (bytes.length > 0) bytes[at % bytes.length] = octet
      return bytes
    })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), damaged), (bytes) => {
        const rdata = attempt(WireError, () => readRdata(type.code, new Reader(bytes), bytes.length))
        if (rdata === undefined) return
        const text = rdataToText(type.code, rdata)
        rdataNames(type.code, rdata)
        canonicalRdata(type.code, rdata)
        if (!type.meta) deepEqual(rdataFromText(type.code, text), rdata)
      }),
      { numRuns: 300 },
    )
  })

  test(`[T6] any text is ${type.type} data that is printed in a stable form, or a TextError`, () => {
    const printed = anyValue(type).map((value) => printRdata(type, value))
    const damaged = fc
      .tuple(printed, fc.nat(), fc.constantFrom(...' "\\();.,=-!0aZ_é\n\0'))
      .map(([text, at, character]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + character + text.slice(place + (at % 2))
      })
    const shuffled = fc
      .array(fc.constantFrom(...' "\\().=1a,:-/N', 'alpn', '\\# ', '2001:'), { maxLength: 30 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), damaged, shuffled), (text) => {
        const rdata = attempt(TextError, () => rdataFromText(type.code, text, 'example.'))
        if (rdata === undefined) return
        const shown = rdataToText(type.code, rdata)
        deepEqual(rdataFromText(type.code, shown), rdata)
      }),
      { numRuns: 300 },
    )
  })
}

test('[T6] very long text of any kind is refused or taken in little time', () => {
  const long = 20_000
  const hostile = [
    'a',
    'a.',
    '\\',
    '"',
    '(',
    '" "',
    '0',
    'a ',
    '{',
    '\\000',
    'é',
    'A ',
    '1:',
    'ff:',
    '=',
    '1w',
    'xn--',
    ',',
  ]
  const texts = hostile.flatMap((part) => [
    part.repeat(long),
    `1 a. dohpath=/${part.repeat(long)}`,
    `0 issue ${part.repeat(long)}`,
  ])
  for (const type of types) {
    const started = performance.now()
    for (const text of texts) attempt(TextError, () => rdataFromText(type.code, text, 'example.'))
    ok(performance.now() - started < 2000, type.type)
  }
})

function attempt<T>(kind: typeof DnsError, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof kind) return undefined
    throw error
  }
}
