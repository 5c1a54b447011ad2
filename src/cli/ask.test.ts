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

for (const [key, name] of [
  ['\x03', 'Ctrl-C'],
  ['\x04', 'Ctrl-D'],
] as const) {
  test(`[W21] ${name} at a terminal is no`, async () => {
    const terminal = { isTTY: true, setRawMode: () => undefined }
    const [input, output] = [Object.assign(new PassThrough(), terminal), Object.assign(new PassThrough(), terminal)]
    const asked = isAgreed('Do it?', input, output)
    input.write(key)
    equal(await asked, false)
  })
}
