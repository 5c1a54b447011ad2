import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { untilCalm } from './calm.ts'

test('what keeps growing is waited for, up to the limit', async () => {
  let size = 0
  const timer = setInterval(() => {
    size++
  }, 1)
  const began = performance.now()
  await untilCalm(() => size, { quiet: 20, most: 100 })
  clearInterval(timer)
  const waited = performance.now() - began
  ok(waited >= 99, `${waited} ms`)
})

test('what grows no more is waited for no longer than it takes to see that', async () => {
  const began = performance.now()
  await untilCalm(() => 3, { quiet: 5, most: 60_000 })
  ok(performance.now() - began < 10_000)
})

test('whoever stops does not wait', async () => {
  let size = 0
  const began = performance.now()
  await untilCalm(() => size++, { quiet: 5, most: 60_000, signal: AbortSignal.abort() })
  ok(performance.now() - began < 10_000)
})
