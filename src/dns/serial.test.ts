import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addSerial, compareSerials, isNewerSerial } from './serial.ts'

test('[M6] serials wrap at 32 bits and are ordered by the shorter way round', () => {
  equal(addSerial(0xffffffff, 1), 0)
  equal(addSerial(1, 0x7fffffff), 0x80000000)
  equal(compareSerials(0xffffffff, 0), -1)
  equal(compareSerials(0, 0xffffffff), 1)
  equal(compareSerials(7, 7), 0)
  equal(compareSerials(0, 0x80000000), undefined)
  equal(isNewerSerial(0, 0xffffff00), true)
  equal(isNewerSerial(0, 0x80000000), false)
  throws(() => addSerial(1, 0x80000000), RangeError)
  throws(() => addSerial(1, -1), RangeError)
})

test('[M6] adding 1..2^31-1 always makes a newer serial', () => {
  const u32 = fc.integer({ min: 0, max: 0xffffffff })
  fc.assert(
    fc.property(u32, fc.integer({ min: 1, max: 0x7fffffff }), (serial, step) => {
      equal(isNewerSerial(addSerial(serial, step), serial), true)
      equal(compareSerials(serial, addSerial(serial, step)), -1)
    }),
  )
})
