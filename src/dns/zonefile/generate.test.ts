// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how $GENERATE writes places
import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { TextError } from '../errors.ts'
import { parseRange, parseTemplate } from './generate.ts'

const filled: readonly [template: string, number: number, text: string][] = [
  ['host$', 7, 'host7'],
  ['$', 0, '0'],
  ['a$b$c', 12, 'a12b12c'],
  ['${0}', 5, '5'],
  ['${10}', 5, '15'],
  ['${+10}', 5, '15'],
  ['${-3}', 1, '-2'],
  ['${-3,4,d}', 1, '-002'],
  ['${0,3}', 7, '007'],
  ['${0,3,d}', 1234, '1234'],
  ['${0,4,o}', 8, '0010'],
  ['${0,4,x}', 254, '00fe'],
  ['${0,4,X}', 254, '00FE'],
  ['${0,0,n}', 0x1a2, '2.a.1'],
  ['${0,5,n}', 10, 'a.0.0'],
  ['${0,4,n}', 10, 'a.0.'],
  ['${0,7,N}', 0xabcd, 'D.C.B.A'],
  ['${0,1,n}', 0x11, '1.1'],
  ['a$$b', 1, 'a\\$b'],
  ['a\\$b$', 1, 'a\\$b1'],
  ['\\097$', 1, '\\0971'],
  ['x\\', 1, 'x\\'],
]

for (const [template, number, text] of filled) {
  test(`[F20] ${template} with ${number} gives ${text}`, () => equal(parseTemplate(template)(number), text))
}

for (const template of [
  '${',
  '${}',
  '${0',
  '${a}',
  '${0,}',
  '${0,1,}',
  '${0,1,q}',
  '${0,999,d}',
  '${0,1,d,1}',
  '${99999999999}',
  '${ 0 }',
]) {
  test(`[F20] ${template} is refused`, () => throws(() => parseTemplate(template), TextError))
}

test('[F20] a number below 0 is refused where the base has no sign', () => {
  throws(() => parseTemplate('${-3,1,x}')(1), /must not go below 0/)
  throws(() => parseTemplate('${2147483647}')(1), /at most 2147483647/)
})

test('[F19] a range counts its numbers', () => {
  deepEqual(parseRange('1-5'), { start: 1, stop: 5, step: 1, count: 5 })
  deepEqual(parseRange('0-255/5'), { start: 0, stop: 255, step: 5, count: 52 })
  deepEqual(parseRange('3-3'), { start: 3, stop: 3, step: 1, count: 1 })
})

for (const range of ['', '1', '1-', '-1', '5-1', '1-5/0', '1-5/', '1-5/-1', 'a-b', '0-4294967296', '1-2-3', ' 1-2']) {
  test(`[F19] the range ${JSON.stringify(range)} is refused`, () => throws(() => parseRange(range), TextError))
}
