// Brings the Debian packages that tests and benchmarks run against. Plain JavaScript: called by install.js.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const peers = JSON.parse(readFileSync(new URL('peers.json', import.meta.url), 'utf8'))
const policy = '/usr/sbin/policy-rc.d'
const ourPolicy = '#!/bin/sh\n# Put here by the tests of nameplane while they install packages.\nexit 101\n'
const savedPolicy = `${policy}.before-nameplane`
const clusterSettings = '/etc/postgresql-common/createcluster.conf'
const lockTries = 30

/** Installs what is missing of peers.json, or says the one command that does and ends with exit code 1. */
export function installPeers() {
  const missing = missingPeers()
  if (missing === undefined) stop('the tests need the programs in scripts/peers.json, and this system has no dpkg')
  if (missing.length === 0) return
  const command = `apt-get update && apt-get install --no-install-recommends ${missing.join(' ')}`
  if (process.getuid?.() !== 0)
    stop(`the tests need Debian packages that are not there; run once: sudo sh -c '${command}'`)
  console.log(`Installing Debian packages the tests run against, once: ${missing.join(' ')} …`)
  // Without a listener an interrupt would end us here and leave the system with our policy-rc.d.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  const restore = keepServicesStopped()
  let failed
  try {
    keepDefaultClusterAway(missing)
    // Its failure alone is no reason to stop: the lists of an earlier update may do.
    apt(['update'])
    failed = apt(['install', '-y', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold', ...missing])
  } finally {
    restore()
  }
  if (failed) stop(`apt-get failed: ${failed}\nPut that right, or run: ${command}`)
}

/** Names of the peers that are not installed; undefined where there is no dpkg to ask. */
function missingPeers() {
  const names = Object.keys(peers)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own placeholders
  const asked = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n', ...names], {
    encoding: 'utf8',
  })
  if (asked.error) return undefined
  const there = new Set(asked.stdout.split('\n').filter((line) => line.endsWith(' installed')))
  return names.filter((name) => !there.has(`${name} installed`))
}

/** Debian asks policy-rc.d before it starts a freshly installed service; 101 means no. Returns what undoes it. */
function keepServicesStopped() {
  restorePolicy()
  if (existsSync(policy)) renameSync(policy, savedPolicy)
  writeFileSync(policy, ourPolicy)
  chmodSync(policy, 0o755)
  return restorePolicy
}

/** Also repairs what a killed run left behind. */
function restorePolicy() {
  if (existsSync(policy) && readFileSync(policy, 'utf8') === ourPolicy) rmSync(policy)
  if (existsSync(savedPolicy)) renameSync(savedPolicy, policy)
}

/** PostgreSQL's package makes and enables a database cluster of its own unless told not to; tests make theirs. */
function keepDefaultClusterAway(missing) {
  if (!missing.includes('postgresql') || existsSync(clusterSettings)) return
  mkdirSync(dirname(clusterSettings), { recursive: true })
  writeFileSync(clusterSettings, 'create_main_cluster = false\n')
}

/** Runs apt-get, waits (bounded) while another process holds its lock; returns what went wrong, if anything. */
function apt(args) {
  const options = { encoding: 'utf8', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' } }
  for (let attempt = 1; ; attempt += 1) {
    const { status, stderr, error } = spawnSync('apt-get', ['-q', ...args], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    if (error) return error.message
    if (status === 0) return undefined
    if (!/could not get lock|unable to lock|unable to acquire/i.test(stderr) || attempt === lockTries) {
      return stderr.trim() || `exit code ${status}`
    }
    if (attempt === 1) console.log('Waiting for another process that uses apt …')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000)
  }
}

function stop(message) {
  console.error(
    `nameplane: ${message}\nWithout them, \`npm run test:fast\` runs every test that needs no program of others.`,
  )
  process.exit(1)
}
