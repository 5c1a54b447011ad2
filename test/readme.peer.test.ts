import { match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './support/program.ts'
import { startService } from './support/service.ts'

const run = promisify(execFile)

type Step = { readonly command: string; readonly shows: string }

/** The commands of the README with what it says they print; `…` stands for anything. */
function steps(): Step[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  return [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block!
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command, ...output] = part.trimEnd().split('\n')
        return { command: command!, shows: output.join('\n') }
      }),
  )
}

/** Run by other tests: starting is what every test of the service does. */
const elsewhere = new Set(['npm start'])

test('every command of the README does what the README says', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const here = (text: string) =>
    text.replaceAll('127.0.0.1:9001', new URL(service.url).host).replaceAll('-p 5354', `-p ${service.dnsPort}`)
  const marker = '=== next ==='
  const all = steps().filter(({ command }) => !elsewhere.has(command))
  // One shell, so that what a command sets the next ones see; the pause stands for the time a person takes.
  const script = all.map(({ command }) => `${here(command)}\necho; echo '${marker}'\nsleep 0.3`).join('\n')
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    timeout: 120_000,
    env: { ...process.env, NAMEPLANE_DATA_DIR: service.dataDir, NAMEPLANE_URL: service.url },
  })
  const printed = stdout.split(marker)
  for (const [i, { command, shows }] of all.entries()) {
    const pattern = here(shows)
      .split('…')
      .map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    match(printed[i]!, new RegExp(pattern.join('.*'), 's'), command)
  }
})
