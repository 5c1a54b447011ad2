import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addresses, type deployedConfigs } from '../../scripts/docs/deployment.ts'
import { askUdp } from './dns-transports.ts'
import { query } from './nameserver.ts'
import { type Program, root, runNameplane, startProgram } from './program.ts'

// What deploy/compose.yaml starts, each in a network namespace of its own: run by test/deployment.peer.test.ts below `unshare --net`.

const url = `http://${addresses.nameplane}:9001`
const folder = mkdtempSync(join(tmpdir(), 'nameplane-deployed-'))
const programs: Program[] = []

try {
  ip('link add bridge type bridge')
  ip(`address add ${addresses.nameplane}/24 dev bridge`)
  for (const link of ['lo', 'bridge']) ip(`link set ${link} up`)
  const listen = ['--api-listen', '0.0.0.0:9001', '--dns-listen', '0.0.0.0:5354', '--auth-none-anywhere']
  start(process.execPath, [join(root, 'bin/nameplane'), 'serve', ...listen, '--data-dir', join(folder, 'data')])
  await startApart('bind', `exec named -g -c ${written('deploy/bind/named.conf')}`)
  await startApart('knot', `exec knotd -c ${written('deploy/knot/knot.conf')}`)
  await until('Nameplane is ready', async () => (await fetch(`${url}/readyz`)).ok)
  const apply = ['pools', 'apply', '--yes', join(root, 'deploy/pools.yaml')]
  const applied = await runNameplane(apply, { env: { NAMEPLANE_URL: url } })
  if (applied.code !== 0) throw new Error(applied.stderr)
  const made = await fetch(`${url}/v2/zones`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'example.org.', email: 'you@example.org' }),
  })
  const { id } = (await made.json()) as { id: string }
  const status = async () => ((await (await fetch(`${url}/v2/zones/${id}`)).json()) as { status: string }).status
  await until('the zone is ACTIVE', async () => (await status()) === 'ACTIVE')
  for (const host of [addresses.bind, addresses.knot]) {
    const reply = await askUdp({ host, port: 53 }, query('example.org.', 'SOA'))
    console.log(`${host} answers with ${(reply![6]! << 8) | reply![7]!} record`)
  }
} catch (error) {
  console.error(error, ...programs.map((program) => program.stderr().slice(-3000)))
  process.exitCode = 1
} finally {
  for (const program of programs) program.child.kill('SIGTERM')
  await Promise.all(programs.map((program) => program.ended))
  rmSync(folder, { recursive: true })
}

function start(command: string, args: readonly string[]): Program {
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const program = startProgram(command, args, { cwd: folder, env })
  programs.push(program)
  return program
}

/** Starts a server in a namespace of its own, at its address on the bridge. */
async function startApart(name: 'bind' | 'knot', command: string): Promise<void> {
  const script = `until ip link show eth0 > ${folder}/links 2>&1; do sleep 0.05; done
    ip link set lo up; ip address add ${addresses[name]}/24 dev eth0; ip link set eth0 up; ${command}`
  const { child } = start('unshare', ['--net', 'sh', '-c', script])
  const network = (pid: number | 'self') => readlinkSync(`/proc/${pid}/ns/net`)
  await until(`${name} has a network of its own`, async () => network(child.pid!) !== network('self'))
  ip(`link add to-${name} type veth peer name eth0 netns ${child.pid}`)
  ip(`link set to-${name} master bridge up`)
}

function ip(args: string): void {
  execFileSync('ip', args.split(' '), { env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
}

/** A configuration of the containers, with a folder of ours in place of theirs. */
function written(name: keyof typeof deployedConfigs): string {
  const file = join(folder, name.split('/').at(-1)!)
  const more = name.endsWith('named.conf') ? 'controls { };\n' : ''
  const pid = (config: string) => config.replace('options {', 'options {\n  pid-file none;\n  session-keyfile none;')
  writeFileSync(file, pid(readFileSync(join(root, name), 'utf8').replaceAll(/"\/var\/[\w/]+"/g, `"${folder}"`)) + more)
  return file
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (Date.now() < end) {
    if (await isSo().catch(() => false)) return
    await sleep(50)
  }
  throw new Error(`${what}: not within a minute`)
}
