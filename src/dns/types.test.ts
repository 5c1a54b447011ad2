import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { TextError } from './errors.ts'
import { decodeRdata, encodeRdata, parseRdata, printRdata, rdataFromText, rdataToText } from './rdata.ts'
import { types } from './types/index.ts'

for (const type of types) {
  const example = type.examples.filter((text) => !text.startsWith('\\#'))
  test(`[T1] ${type.type} examples survive text → value → wire → value → text`, () => {
    for (const text of example) {
      const value = parseRdata(type, text)
      deepEqual(decodeRdata(type, encodeRdata(type, value)), value)
      equal(printRdata(type, value), text)
      deepEqual(JSON.parse(JSON.stringify(value)), value)
    }
  })
  test(`[T1] ${type.type} refuses ${type.rejects.length} texts that it cannot be`, () => {
    for (const text of type.rejects.filter((text) => !text.startsWith('\\#'))) {
      throws(() => parseRdata(type, text), TextError, text)
    }
  })
}

for (const type of types.filter((type) => !type.meta)) {
  test(`[T1] ${type.type} goes from text to octets and back without its value`, () => {
    for (const text of type.examples) equal(rdataToText(type.code, rdataFromText(type.code, text)), text)
    for (const text of type.rejects) throws(() => rdataFromText(type.code, text), TextError, text)
  })
  test(`[T2] ${type.type} is taken as written otherwise and printed in its one form`, () => {
    for (const [given, text] of Object.entries(type.also ?? {})) {
      equal(rdataToText(type.code, rdataFromText(type.code, given)), text, given)
    }
  })
}
