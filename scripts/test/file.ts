import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { execPath, exit, kill, platform } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** How one test file ended; `fault` says why it counts as failed. */
export type Finished = {
  readonly file: string
  readonly fault: string | undefined
  readonly output: string
  readonly passed: number
  readonly skipped: number
  readonly milliseconds: number
}

const running = new Set<ChildProcess>()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of running) killGroup(child)
    exit(130)
  })
}

/** Runs one test file in a process group of its own, so that nothing it started can outlive it or hang the run. */
export async function runFile(file: string, timeout: number): Promise<Finished> {
  const started = performance.now()
  const child = spawn(execPath, ['--disable-warning=ExperimentalWarning', '--test-reporter=spec', file], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    killGroup(child)
  }, timeout)
  const closed = once(child, 'close')
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearTimeout(timer)
  const leftBehind = !(await groupEnds(child))
  killGroup(child)
  if (leftBehind) await groupEnds(child)
  // A process of another group may still hold the pipes; what we read until now is what the test had to say.
  await Promise.race([closed, sleep(1000)])
  running.delete(child)
  const output = Buffer.concat(chunks).toString()
  const count = (what: string): number => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const passed = count('pass')
  const skipped = count('skipped')
  return { file, fault: fault(), output, passed, skipped, milliseconds: performance.now() - started }

  function fault(): string | undefined {
    if (timedOut) return `took longer than ${timeout / 1000} s and was stopped`
    if (code !== 0) return `ended with ${signal ?? `exit code ${code}`}`
    if (leftBehind) return 'left a process running'
    if (passed + skipped === 0) return 'holds no test'
    return undefined
  }
}

/** Whether every process of the group is gone, given a moment to finish. */
async function groupEnds(child: ChildProcess): Promise<boolean> {
  for (let wait = 0; wait < 40; wait += 1) {
    if (!signalGroup(child, 0) || !hasLiving(child.pid!)) return true
    await sleep(50)
  }
  return false
}

/** Whether a process of the group is more than an entry nobody has collected; a container's first process may not collect. */
function hasLiving(group: number): boolean {
  if (platform !== 'linux') return true
  return globSync('/proc/[0-9]*/stat').some((file) => {
    try {
      // pid (name) state parent group …; the name may hold anything, also parentheses.
      const [state, , groupOf] = readFileSync(file, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(groupOf) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false
    }
  })
}

function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL')
}

/** False when the group has no process left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return kill(-child.pid!, signal)
  } catch {
    return false
  }
}
