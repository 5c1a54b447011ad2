import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Whether servers and load can each have a core of their own. */
export const pinned = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

/** Keeps this process, which makes the load, off the server's core. */
export function takeLoadCore(): void {
  if (pinned) spawnSync('taskset', ['-acp', '1', String(process.pid)])
}

export type Server = {
  readonly port: number
  /** The processor time it has used so far, in microseconds. */
  cpu(): number
  /** Sends a message and waits for what the server says to it. */
  tell(message: object): Promise<unknown>
  stop(): Promise<void>
}

/** Starts one of our server scripts on core 0 and waits until it listens. */
export async function startServer(script: string, args: readonly string[] = []): Promise<Server> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...nodeOptions(), path, ...args]
  const [command, ...rest] = pinned ? ['taskset', '-c', '0', ...node] : node
  const child = spawn(command!, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const { port } = (await reply(child)) as { port: number }
  return {
    port,
    cpu: () => cpuOf(child.pid!),
    async tell(message) {
      const heard = reply(child)
      child.send(message)
      return heard
    },
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await gone
      clearTimeout(late)
    },
  }
}

/** The kernel's own count, which waiting for a core does not add to. */
function cpuOf(pid: number): number {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
  }
  return nanoseconds / 1000
}

/** Extra flags for the servers, such as `--cpu-prof`, from BENCH_NODE_OPTIONS. */
const nodeOptions = (): string[] => (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter((flag) => flag !== '')

async function reply(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController()
  const { signal } = stop
  const message = once(child, 'message', { signal })
  const exit = once(child, 'exit', { signal })
  try {
    const first = await Promise.race([message, exit.then(() => undefined)])
    if (first === undefined) throw new Error(`a server stopped with ${child.exitCode ?? child.signalCode}`)
    return first[0]
  } finally {
    stop.abort()
    await Promise.allSettled([message, exit])
  }
}
