// Runs before `npm start` and `npm test`, on whatever Node the machine has (18 or later), before any package is there:
// so plain JavaScript, and nothing but Node's own modules.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPeers } from './peers.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// npm writes this file last, so it is there only after an install that ran to its end.
const installed = join(root, 'node_modules', '.package-lock.json')

const reason = whyInstall()
if (reason) installPackages(reason)
if (process.argv.includes('--peers')) installPeers()

function whyInstall() {
  if (!existsSync(join(root, 'node_modules'))) return 'the first start'
  if (!existsSync(installed)) return 'the last installation was cut off'
  if (statSync(join(root, 'package-lock.json')).mtimeMs > statSync(installed).mtimeMs)
    return 'package-lock.json changed'
  return undefined
}

function installPackages(why) {
  console.log(`Installing the locked npm packages (${why}) …`)
  // A cut-off `npm ci` may leave the old mark behind, and the next start would trust it.
  rmSync(installed, { force: true })
  const { command, args } = npm()
  const { status, error } = spawnSync(command, [...args, 'ci', '--ignore-scripts'], { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  console.error(
    `nameplane: npm ci failed${error ? `: ${error.message}` : ''}; see its message above, then run it again`,
  )
  process.exit(1)
}

/** The npm that runs us under its own Node, since `npm ci` deletes the one in node_modules; else npm from the PATH. */
function npm() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  if (script?.endsWith('.js') && node && existsSync(node) && !node.startsWith(join(root, 'node_modules'))) {
    return { command: node, args: [script] }
  }
  return { command: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] }
}
