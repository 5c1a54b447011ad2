import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './port.ts'

/** A PostgreSQL server that belongs to this test process alone. */
export type Postgres = {
  /** Makes a fresh, empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Ends the server as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same data and port after `kill`. */
  restart(): Promise<void>
  stop(): Promise<void>
}

// PostgreSQL refuses to run as root; any other user will do.
const asUser = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const patience = 60_000

/**
 * Starts a private server in a temporary folder; call `stop` in an `after` hook. It leaves writing to the disk to the
 * system, unless it is to be as careful as a real one.
 */
export async function startPostgres({ isCareful = false } = {}): Promise<Postgres> {
  const programs = globSync('/usr/lib/postgresql/*/bin')
    .toSorted((a, b) => version(a) - version(b))
    .at(-1)
  if (programs === undefined) throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql)')
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-postgres-'))
  if (asUser.uid !== undefined) chownSync(folder, asUser.uid, asUser.gid)
  const data = join(folder, 'data')
  // A collation unlike SQLite's byte order, so that a query which forgot to ask for byte order is found out.
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8', '--encoding=UTF8']
  const init = ['-D', data, '-U', 'nameplane', '--auth=trust', '--no-sync', ...locale]
  execFileSync(join(programs, 'initdb'), init, { ...asUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await freePort()
  let server = await start()
  let made = 0
  process.once('exit', () => {
    server.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(): Promise<ChildProcess> {
    const args = [
      '-D',
      data,
      '-k',
      folder,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-c',
      'max_connections=200',
      '-c',
      `fsync=${isCareful ? 'on' : 'off'}`,
    ]
    const deadline = Date.now() + patience
    for (;;) {
      const child = spawn(join(programs!, 'postgres'), args, {
        ...asUser,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let said = ''
      child.stderr.on('data', (chunk) => {
        said = `${said}${chunk}`.slice(-4000)
      })
      if (await answers(child, deadline)) return child
      // Right after a kill, processes of the old server may still hold its memory: then the new one ends at once.
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${said}`)
      await sleep(100)
    }
  }

  async function answers(child: ChildProcess, deadline: number): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      if (
        await ask('select 1').then(
          () => true,
          () => false,
        )
      )
        return true
      await sleep(30)
    }
    return false
  }

  async function ask(text: string): Promise<void> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'nameplane',
      database: 'postgres',
      connectionTimeoutMillis: 2000,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query(text)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(signal)
    const timer = setTimeout(() => server.kill('SIGKILL'), patience)
    await exited
    clearTimeout(timer)
  }

  return {
    async createDatabase() {
      made += 1
      const name = `test_${made}`
      await ask(`create database ${name}`)
      return `postgres://nameplane@127.0.0.1:${port}/${name}`
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGKILL')
      server = await start()
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const version = (folder: string): number => Number(/(\d+)\/bin$/.exec(folder)?.[1] ?? 0)
