import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { TextError } from './errors.ts'
import { decodeRdata, encodeRdata, parseRdata, printRdata, rdataFromText, rdataToText } from './rdata.ts'
import { types } from './types/index.ts'

for (const type of types.filter((type) => !type.meta)) {
  test(`[T1] ${type.type} examples survive text → value → wire → value → text`, () => {
    for (const text of type.examples) {
      const value = parseRdata(type, text)
      const rdata = encodeRdata(type, value)
      deepEqual(decodeRdata(type, rdata), value)
      equal(printRdata(type, value), text)
      deepEqual(JSON.parse(JSON.stringify(value)), value)
      deepEqual(rdataFromText(type.code, text), rdata)
      equal(rdataToText(type.code, rdata), text)
    }
  })
  test(`[T2] ${type.type} is also taken as written otherwise`, () => {
    for (const [given, text] of Object.entries(type.also ?? {})) {
      equal(rdataToText(type.code, rdataFromText(type.code, given)), text, given)
    }
  })
  test(`[T3] ${type.type} refuses what it cannot be`, () => {
    for (const text of type.rejects) throws(() => rdataFromText(type.code, text), TextError, text)
  })
}
