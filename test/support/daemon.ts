import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { askUdp } from './dns-transports.ts'
import { query } from './nameserver.ts'

/** A program that is ended and started again with the same files and ports. */
export type Daemon = {
  pid(): number
  /** What all its runs have written so far. */
  log(): string
  /** Ends it by its process; its files stay. */
  halt(): Promise<void>
  /** Starts it again. */
  resume(): Promise<void>
}

/** A program to start; it is ready when it answers anything at all over UDP at its port. */
export type DaemonLaunch = {
  readonly name: string
  readonly args: readonly string[]
  readonly port: number
  readonly folder: string
  /** Where it takes commands, which some open a moment after they answer: a port, or the path of a socket. */
  readonly control?: number | string
}

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`
const READY_WITHIN = 20_000
const GONE_WITHIN = 5_000
const CONTROL_WITHIN = 2_000

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a program in the foreground and waits, for a bounded time, until it answers. */
export async function startDaemon({ name, args, port, folder, control }: DaemonLaunch): Promise<Daemon> {
  const output: string[] = []
  let child: ChildProcess
  const daemon: Daemon = {
    pid: () => child.pid ?? 0,
    log: () => output.join(''),
    halt: () => end(child),
    async resume() {
      child = spawn(name, args, { cwd: folder, env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
      running.add(child)
      child.once('exit', () => running.delete(child))
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
      let failure: unknown
      child.once('error', (error) => {
        failure = error
      })
      const deadline = Date.now() + READY_WITHIN
      while (Date.now() < deadline && failure === undefined && child.exitCode === null) {
        if (await answers(port)) return control === undefined ? undefined : takesCommands(control)
        await sleep(10)
      }
      await end(child)
      throw new Error(`${name} did not answer within ${READY_WITHIN} ms: ${failure ?? output.join('')}`)
    },
  }
  await daemon.resume()
  return daemon
}

async function answers(port: number): Promise<boolean> {
  const reply = askUdp({ host: '127.0.0.1', port }, query('.', 'SOA'), 200)
  return (await reply.catch(() => undefined)) !== undefined
}

/** Waits a while for it; a test may have configured it away. */
async function takesCommands(control: number | string): Promise<void> {
  const place = typeof control === 'string' ? { path: control } : { host: '127.0.0.1', port: control }
  for (const end = Date.now() + CONTROL_WITHIN; Date.now() < end; await sleep(10)) {
    const socket = createConnection(place)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  // Its output ends with the last of its processes, which may listen for a moment longer than the first.
  const silence = once(child, 'close')
  child.kill('SIGTERM')
  // One that was stopped takes no other signal.
  const timer = setTimeout(() => child.kill('SIGKILL'), GONE_WITHIN)
  await exit
  clearTimeout(timer)
  await Promise.race([silence, sleep(GONE_WITHIN, undefined, { ref: false })])
}
