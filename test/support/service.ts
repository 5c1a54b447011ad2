import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './port.ts'
import { type Program, root, startProgram } from './program.ts'

/** The real service in a process of its own. */
export type Service = {
  readonly url: string
  /** Where its DNS server listens on 127.0.0.1. */
  readonly dnsPort: number
  readonly dataDir: string
  readonly pid: () => number
  /** What the current process printed: the banner, and the log as JSON lines. */
  readonly stdout: () => string
  readonly log: () => string
  /** Sends a signal and resolves with the exit code, or the signal, once the process is gone. */
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
  /** Starts it again on the same port and data after `kill`. */
  restart(): Promise<void>
  /** Ends it, if it still runs, and removes its data. */
  stop(): Promise<void>
}

const patience = 40_000

/** Starts `bin/nameplane serve` on a free port with a temporary data folder; resolves once it is ready. */
export async function startService(
  options: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-service-'))
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const dnsPort = await freePort()
  const listen = ['--api-listen', `127.0.0.1:${port}`, '--dns-listen', `127.0.0.1:${dnsPort}`]
  const args = ['serve', ...listen, '--data-dir', dataDir, '--log-format', 'json', ...(options.args ?? [])]
  const start = () => startReady(args, { cwd: folder, env: options.env ?? {} })
  let program = await start()
  let alive = true

  async function kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    program.child.kill(signal)
    const timer = setTimeout(() => program.child.kill('SIGKILL'), patience)
    const code = await program.ended
    clearTimeout(timer)
    alive = false
    return code
  }

  return {
    url: `http://127.0.0.1:${port}`,
    dnsPort,
    dataDir,
    pid: () => program.child.pid!,
    stdout: () => program.stdout(),
    log: () => program.stderr(),
    kill,
    async restart() {
      if (alive) await kill('SIGTERM')
      program = await start()
      alive = true
    },
    async stop() {
      if (alive) await kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startReady(
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Program> {
  const program = startProgram(process.execPath, [join(root, 'bin', 'nameplane'), ...args], options)
  const deadline = Date.now() + patience
  while (program.child.exitCode === null && program.child.signalCode === null && Date.now() < deadline) {
    if (program.stdout().includes('Nameplane is running')) return program
    await sleep(10)
  }
  program.child.kill('SIGKILL')
  throw new Error(`the service did not become ready: ${program.stderr()}`)
}
