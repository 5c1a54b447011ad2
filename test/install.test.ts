import { deepEqual, equal, match } from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { root, startProgram } from './support/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-install-'))
after(() => rmSync(folder, { recursive: true, force: true }))
cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
const lockfile = join(folder, 'package-lock.json')
const mark = join(folder, 'node_modules', '.package-lock.json')
const calls = join(folder, 'calls')

// Stands for npm: notes how it was called and whether the mark of an earlier install was still there.
const npm = join(folder, 'npm.js')
writeFileSync(
  npm,
  `import fs from 'node:fs'
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + ' ' + fs.existsSync('node_modules/.package-lock.json') + '\\n')
if (process.env.FAIL) process.exit(9)
fs.mkdirSync('node_modules', { recursive: true })
fs.writeFileSync('node_modules/.package-lock.json', '')\n`,
)

async function install(env: Record<string, string> = {}) {
  rmSync(calls, { force: true })
  const program = startProgram(process.execPath, [join(folder, 'scripts', 'install.js')], {
    cwd: folder,
    env: { npm_execpath: npm, npm_node_execpath: process.execPath, ...env },
  })
  const code = await program.ended
  const called = existsSync(calls) ? readFileSync(calls, 'utf8') : ''
  return { code, called, stdout: program.stdout(), stderr: program.stderr() }
}

test('[L1] packages are installed at the first start, and not again while the lockfile stays', async () => {
  writeFileSync(lockfile, '{}')
  const first = await install()
  deepEqual([first.code, first.called], [0, 'ci --ignore-scripts false\n'])
  match(first.stdout, /^Installing the locked npm packages \(the first start\) …\n$/)
  deepEqual(await install(), { code: 0, called: '', stdout: '', stderr: '' })
})

test('[L1] packages are installed again after the lockfile changed', async () => {
  const later = new Date(Date.now() + 5000)
  utimesSync(lockfile, later, later)
  const { stdout, called } = await install()
  match(stdout, /\(package-lock\.json changed\)/)
  equal(called, 'ci --ignore-scripts false\n')
  utimesSync(lockfile, new Date(0), new Date(0))
})

test('[L1] an installation that was cut off is done again', async () => {
  rmSync(mark)
  mkdirSync(join(folder, 'node_modules', 'half'), { recursive: true })
  match((await install()).stdout, /\(the last installation was cut off\)/)
  equal((await install()).called, '')
})

test('[L1] a failed installation ends with 1 and is tried again at the next start', async () => {
  rmSync(mark)
  const failed = await install({ FAIL: '1' })
  equal(failed.code, 1)
  match(failed.stderr, /^nameplane: npm ci failed; /)
  equal((await install()).code, 0)
  const later = new Date(Date.now() + 5000)
  utimesSync(lockfile, later, later)
  equal((await install({ FAIL: '1' })).code, 1)
  equal(existsSync(mark), false)
})

test('[L19] who may not install Debian packages is told the one command, and ends with 1', async () => {
  const programs = join(folder, 'programs')
  mkdirSync(programs, { recursive: true })
  // Stands for a system where only bind9 is installed.
  writeFileSync(
    join(programs, 'dpkg-query'),
    '#!/bin/sh\necho "bind9 installed"\necho "knot not-installed"\nexit 1\n',
    { mode: 0o755 },
  )
  const code = `import { installPeers } from ${JSON.stringify(join(folder, 'scripts', 'peers.js'))}
    process.getuid = () => 1000
    installPeers()`
  const program = startProgram(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: `${programs}:${process.env.PATH}` },
  })
  equal(await program.ended, 1)
  match(
    program.stderr(),
    /^nameplane: .*run once: sudo sh -c 'apt-get update && apt-get install --no-install-recommends [^']*\bknot\b[^']*'/,
  )
  equal(/ bind9[ ']/.test(program.stderr()), false)
})

test('[L19] where there is no dpkg, the tests say which programs they need', async () => {
  const code = `import { installPeers } from ${JSON.stringify(join(folder, 'scripts', 'peers.js'))}; installPeers()`
  const program = startProgram(process.execPath, ['--input-type=module', '-e', code], { env: { PATH: folder } })
  equal(await program.ended, 1)
  match(program.stderr(), /^nameplane: the tests need the programs in scripts\/peers\.json.*\n.*test:fast/)
})
