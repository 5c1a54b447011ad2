import { equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { root } from './support/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-deployment-'))
after(() => rmSync(folder, { recursive: true }))

const unit = readFileSync(join(root, 'deploy/nameplane.service'), 'utf8')
const analyze = (...args: string[]) => promisify(execFile)('systemd-analyze', args)

test('[W92] systemd finds nothing wrong with the unit', async () => {
  const file = join(folder, 'nameplane.service')
  // Whether the program is installed is not what is looked at.
  writeFileSync(file, unit.replace('/usr/local/bin/nameplane', '/bin/true'))
  const { stdout, stderr } = await analyze('verify', '--man=no', file)
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('nameplane.service'))
  ok(about.length === 0, about.join('\n'))
})

test('[W92] systemd counts the unit among those that are exposed little', async () => {
  const file = join(folder, 'nameplane.service')
  writeFileSync(file, unit)
  const { stdout } = await analyze('security', '--offline=true', '--no-pager', file)
  match(stdout, /Overall exposure level for nameplane\.service: [0-2]\.\d OK/)
})

test('[W92] Nameplane, BIND and Knot as the compose file starts them serve a zone that is made', async () => {
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', join(root, 'test/support/deployed.ts')]
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const { stdout } = await promisify(execFile)('unshare', [...asRoot, '--net', ...program], {
    timeout: 180_000,
  })
  equal(stdout, '172.30.53.11 answers with 1 record\n172.30.53.12 answers with 1 record\n')
})
