import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

test('[M11] a few seconds of fuzzing reach new code and break nothing', () => {
  const script = join(import.meta.dirname, '..', 'scripts', 'fuzz.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--seconds', '4', '--seed', '7'], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  equal(status, 0, stderr)
  for (const target of ['message', 'zonefile']) {
    const line = stdout.split('\n').find((text) => text.startsWith(`${target}:`))!
    match(line, / 0 failures/)
    const [before, after] = /(\d+) → (\d+) blocks/.exec(line)!.slice(1).map(Number)
    equal(after! > before!, true, line)
  }
})
