import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Has dnspython do jobs (see dnspython.py), all in one run of Python. */
export function dnspython<Result>(jobs: readonly object[]): Result[] {
  const script = join(import.meta.dirname, 'dnspython.py')
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [script], {
    input: JSON.stringify(jobs),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: 60_000,
  })
  if (status !== 0) throw new Error(`dnspython: ${stderr}`)
  return JSON.parse(stdout)
}
