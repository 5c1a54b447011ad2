import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The checkout. */
export const root = join(import.meta.dirname, '..', '..')

export type Program = {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with the exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a program of ours; it ends with the test process at the latest. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly uid?: number
  } = {},
): Program {
  const { uid, env, cwd = root } = options
  const child = spawn(command, args, {
    cwd,
    // The DNS server takes any free port unless a test asks for one: tests run side by side.
    env: { NAMEPLANE_DNS_LISTEN: '127.0.0.1:0', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  running.add(child)
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      text[name] += chunk
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | NodeJS.Signals
  })
  return { child, stdout: () => text.stdout, stderr: () => text.stderr, ended }
}

/** Runs `bin/nameplane` to its end. */
export async function runNameplane(
  args: readonly string[],
  options: Parameters<typeof startProgram>[2] = {},
): Promise<{ code: number | NodeJS.Signals; stdout: string; stderr: string }> {
  const program = startProgram(process.execPath, [join(root, 'bin', 'nameplane'), ...args], options)
  const timer = setTimeout(() => program.child.kill('SIGKILL'), 20_000)
  const code = await program.ended
  clearTimeout(timer)
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}
