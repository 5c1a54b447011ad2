import { equal, match } from 'node:assert/strict'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshCheckout, systemEnvironment } from './support/checkout.ts'
import { freePort } from './support/port.ts'
import { type Program, startProgram } from './support/program.ts'

// npm itself, the packages of its registry, and whatever Node the system has.
const env = systemEnvironment()
let checkout: string
before(() => {
  checkout = freshCheckout()
})
after(() => rmSync(checkout, { recursive: true, force: true }))

/** Starts a command and resolves with the milliseconds until the banner is there. */
async function startUntilReady(command: string, args: readonly string[], cwd: string): Promise<[Program, number]> {
  const started = performance.now()
  const program = startProgram(command, args, { cwd, env })
  for (let wait = 0; wait < 24_000 && program.child.exitCode === null; wait += 1) {
    if (program.stdout().includes('Nameplane is running')) return [program, performance.now() - started]
    await sleep(5)
  }
  program.child.kill('SIGKILL')
  throw new Error(`not ready: ${program.stdout()}${program.stderr()}`)
}

test('[L1] npm start on a fresh checkout installs what it needs and runs', { timeout: 150_000 }, async () => {
  const args = ['start', '--', '--api-listen', `127.0.0.1:${await freePort()}`]
  const [first] = await startUntilReady('npm', args, checkout)
  match(first.stdout(), /Installing the locked npm packages \(the first start\)/)
  first.child.kill('SIGTERM')
  equal(await first.ended, 0)
  match(first.stderr(), /"msg":"stopped"/)
  equal(existsSync(join(checkout, 'data', 'nameplane.db')), true)
})

test('[L2] a second npm start is up in under a second', async () => {
  let best = Number.POSITIVE_INFINITY
  let bestNpm = Number.POSITIVE_INFINITY
  // Other tests share the machine. Where npm alone, 0.2 s on an idle one, takes longer, so may we: a start takes about 3.5 times as long, and 5 times beside other tests.
  const isQuick = () => best < Math.max(1000, 7 * bestNpm)
  // npm finds a quiet moment sooner than a start does, so a start gets a few more rounds to find one.
  for (let round = 0; best >= 1000 && (round < 5 || (round < 8 && !isQuick())); round += 1) {
    const args = ['start', '--', '--api-listen', `127.0.0.1:${await freePort()}`]
    const [again, milliseconds] = await startUntilReady('npm', args, checkout)
    equal(again.stdout().includes('Installing'), false)
    best = Math.min(best, milliseconds)
    again.child.kill('SIGTERM')
    await again.ended
    bestNpm = Math.min(bestNpm, await npmAlone())
  }
  equal(isQuick(), true, `${Math.round(best)} ms; npm alone ${Math.round(bestNpm)} ms`)
})

async function npmAlone(): Promise<number> {
  const started = performance.now()
  equal(await startProgram('npm', ['run', 'types', '--', '--version'], { cwd: checkout, env }).ended, 0)
  return performance.now() - started
}

test('[L3] the packed program runs when installed globally and by npx', { timeout: 150_000 }, async () => {
  const pack = startProgram('npm', ['pack'], { cwd: checkout, env })
  equal(await pack.ended, 0, pack.stderr())
  const tarball = join(checkout, readdirSync(checkout).find((file) => file.endsWith('.tgz'))!)
  const prefix = join(checkout, 'prefix')
  const install = startProgram('npm', ['install', '--global', '--prefix', prefix, tarball], { cwd: checkout, env })
  equal(await install.ended, 0, install.stderr())
  const nameplane = join(prefix, 'bin', 'nameplane')
  const help = startProgram(nameplane, ['--help'], { cwd: prefix, env })
  equal(await help.ended, 0, help.stderr())
  match(help.stdout(), /^Nameplane manages DNS zones/)
  const serve = ['serve', '--api-listen', `127.0.0.1:${await freePort()}`]
  const [service] = await startUntilReady(nameplane, serve, prefix)
  service.child.kill('SIGTERM')
  equal(await service.ended, 0)
  match(service.stderr(), /"msg":"stopped"/)
  const wrong = startProgram(nameplane, ['sevre'], { cwd: prefix, env })
  equal(await wrong.ended, 2)
  const npx = startProgram('npx', ['--yes', '--package', tarball, 'nameplane', '--version'], { cwd: prefix, env })
  equal(await npx.ended, 0, npx.stderr())
  match(npx.stdout(), /^\d+\.\d+\.\d+\n$/)
})
