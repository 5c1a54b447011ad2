import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, newKey } from './key.ts'

test('[X2] a key is eight letters and digits, each anew', () => {
  const keys = Array.from({ length: 500 }, newKey)
  for (const key of keys) match(key, /^[A-Z0-9]{8}$/)
  equal(new Set(keys).size, keys.length)
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') equal(keys.join('').includes(letter), true, letter)
})

test('[X2] only the very key is the key', () => {
  equal(isKey('23QKM89S', '23QKM89S'), true)
  for (const given of ['', '23QKM89', '23QKM89S ', '23QKM89s', '23QKM89T', '23QKM89S23QKM89S', '\u{1f511}']) {
    equal(isKey(given, '23QKM89S'), false, given)
  }
})
