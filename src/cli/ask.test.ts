import { equal } from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { isAgreed } from './ask.ts'

for (const [typed, expected] of [
  ['yes\n', true],
  ['Y\n', true],
  ['no\n', false],
  ['\n', false],
  ['yes please, but later\n', false],
  ['', false],
] as const) {
  test(`[W21] ${JSON.stringify(typed)} to a question is ${expected ? 'yes' : 'no'}`, async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const asked = isAgreed('Do it?', input, output)
    input.end(typed)
    equal(await asked, expected)
    equal(String(output.read()).includes('Do it? (yes or no)'), true)
  })
}
