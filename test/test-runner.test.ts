import { equal, match } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Finished, runFile } from '../scripts/test/file.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-runner-'))
after(() => rmSync(folder, { recursive: true }))

async function run(code: string, timeout = 20_000): Promise<Finished> {
  const file = join(folder, 'x.test.mjs')
  writeFileSync(file, `import { test } from 'node:test'\nimport { spawn } from 'node:child_process'\n${code}`)
  return runFile(file, timeout)
}

test('a file whose tests pass has no fault', async () => {
  const { fault, passed, skipped } = await run("test('a', () => {}); test('b', { skip: true }, () => {})")
  equal(fault, undefined)
  equal(`${passed} ${skipped}`, '1 1')
})

test('a failed test, an error at load and a crash are faults', async () => {
  equal((await run("test('a', () => { throw new Error('no') })")).fault, 'ended with exit code 1')
  equal((await run("throw new Error('no')")).fault, 'ended with exit code 1')
  equal((await run("test('a', () => process.kill(process.pid, 'SIGKILL'))")).fault, 'ended with SIGKILL')
})

test('a file without a test is a fault', async () => {
  equal((await run('')).fault, 'holds no test')
})

test('a file that hangs is stopped, with what it started', async () => {
  const { fault, output } = await run(
    "test('a', async () => { console.log('child', spawn('sleep', ['60']).pid, '.'); await new Promise(() => setInterval(() => {}, 1000)) })",
    1500,
  )
  match(fault!, /^took longer than 1\.5 s/)
  equal(isRunning(output), false)
})

test('a process left behind is a fault, and is ended', async () => {
  const { fault, output } = await run(
    "test('a', () => { const child = spawn('sleep', ['60'], { stdio: 'ignore' }); child.unref(); console.log('child', child.pid, '.') })",
  )
  equal(fault, 'left a process running')
  equal(isRunning(output), false)
})

/** Whether the process the output speaks of still runs; one that has ended but was not collected yet does not. */
function isRunning(output: string): boolean {
  const pid = Number(/child (\d+)/.exec(output)![1])
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
