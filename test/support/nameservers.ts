import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './port.ts'

/** A real name server on a loopback port, with a folder of its own; `stop` ends it by its process and removes the folder. */
export type NameServer = {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly folder: string
  /** What it has written so far. */
  log(): Promise<string>
  stop(): Promise<void>
}

/** A zone for a server to load. */
export type ZoneText = { readonly origin: string; readonly text: string }

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`
const READY_WITHIN = 20_000
const GONE_WITHIN = 5_000

/** BIND's `named`, answering for these zones; `options` are lines for its options block. */
export async function startNamed(zones: readonly ZoneText[], options = ''): Promise<NameServer> {
  const port = await freePort()
  const folder = await zoneFolder('named', zones)
  const config = `
    options {
      directory "${folder}"; pid-file none; session-keyfile none;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; notify no; allow-transfer { any; }; empty-zones-enable no; dnssec-validation no;
      minimal-responses no-auth; check-integrity no; querylog no;
      ${options}
    };
    controls { };
    ${zones.map(({ origin }, i) => `zone "${origin}" { type primary; file "${i}.zone"; check-names ignore; };`).join('\n')}`
  await writeFile(join(folder, 'named.conf'), config)
  const args = ['-g', '-n', '1', '-c', join(folder, 'named.conf')]
  return start({ name: 'named', args, port, folder, question: zones[0]?.origin ?? '.' })
}

/** NLnet Labs' `nsd`, answering for these zones; `server` are lines for its server block. */
export async function startNsd(zones: readonly ZoneText[], server = ''): Promise<NameServer> {
  const port = await freePort()
  const folder = await zoneFolder('nsd', zones)
  const config = `
server:
  ip-address: 127.0.0.1@${port}
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: ""
  xfrdir: "${folder}"
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  server-count: 1
  rrl-ratelimit: 0
  rrl-whitelist-ratelimit: 0
  ${server}
remote-control:
  control-enable: no
${zones.map(({ origin }, i) => `zone:\n  name: "${origin}"\n  zonefile: "${i}.zone"\n  provide-xfr: 127.0.0.1 NOKEY`).join('\n')}
`
  await writeFile(join(folder, 'nsd.conf'), config)
  return start({
    name: 'nsd',
    args: ['-d', '-c', join(folder, 'nsd.conf')],
    port,
    folder,
    question: zones[0]?.origin ?? '.',
  })
}

/** A server to start: where it answers, and the zone whose SOA it gives when it is ready. */
export type Launch = {
  readonly name: string
  readonly args: readonly string[]
  readonly port: number
  readonly folder: string
  readonly question: string
  /** For how many milliseconds it is waited for. */
  readonly patience?: number
}

/** Starts a server in the foreground and waits, for a bounded time, until it answers. */
export async function start({
  name,
  args,
  port,
  folder,
  question,
  patience = READY_WITHIN,
}: Launch): Promise<NameServer> {
  const output: string[] = []
  const child = spawn(name, args, { cwd: folder, env: { ...process.env, PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (chunk) => output.push(String(chunk)))
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const failed = new Promise<Error>((resolve) => child.once('error', resolve))
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const server: NameServer = {
    name,
    port,
    pid: child.pid ?? 0,
    folder,
    log: async () => output.join('') + (await readFile(join(folder, 'log'), 'utf8').catch(() => '')),
    stop: async () => {
      process.off('exit', killAtExit)
      await ended(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
  const deadline = Date.now() + patience
  while (Date.now() < deadline && child.exitCode === null && child.pid !== undefined) {
    if (await answers(port, question)) return server
  }
  const reason = child.pid === undefined ? String(await failed) : await server.log()
  await server.stop()
  throw new Error(`${name} did not answer within ${patience} ms: ${reason}`)
}

async function zoneFolder(name: string, zones: readonly ZoneText[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `nameplane-${name}-`))
  for (const [i, { text }] of zones.entries()) await writeFile(join(folder, `${i}.zone`), text)
  return folder
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const late = new AbortController()
  await Promise.race([exit, sleep(GONE_WITHIN, undefined, { signal: late.signal }).catch(() => {})])
  late.abort()
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await exit
  }
}

/** Whether the server gives a NOERROR answer for a zone's SOA within 200 ms; in plain octets, so that it stands on none of our code. */
function answers(port: number, origin: string): Promise<boolean> {
  const labels = origin.split('.').filter((label) => label !== '')
  const name = labels.flatMap((label) => [label.length, ...Buffer.from(label)])
  const query = Buffer.from([0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 0, 6, 0, 1])
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    let outcome = false
    const timer = setTimeout(() => socket.close(), 200)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(outcome)
    })
    socket.once('error', () => {})
    socket.once('message', (reply) => {
      outcome = ((reply[3] ?? 15) & 15) === 0
      if (outcome) socket.close()
    })
    socket.send(query, port, '127.0.0.1')
  })
}
