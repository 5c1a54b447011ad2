import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { deployedConfigs } from '../scripts/docs/deployment.ts'
import { recipes } from '../scripts/docs/recipes.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-recipes-'))
after(() => rmSync(folder, { recursive: true }))

/** Each server's own look at a configuration, by the name of the file. */
const checks: Readonly<Record<string, (file: string) => readonly [string, ...string[]]>> = {
  'named.conf': (file) => ['named-checkconf', file],
  'knot.conf': (file) => ['knotc', '-c', file, 'conf-check'],
  'nsd.conf': (file) => ['nsd-checkconf', file],
  'pdns.conf': () => ['pdns_server', `--config-dir=${folder}`, '--config=check'],
}

const isTooNewForDebian = (title: string): boolean => title === 'NSD by catalog'
const configs: [string, string, string][] = [
  ...recipes
    .filter(({ title }) => !isTooNewForDebian(title))
    .map(({ title, file, config }): [string, string, string] => [title, /[a-z]+\.conf/.exec(file)![0], config]),
  ...Object.entries(deployedConfigs).map(([file, config]): [string, string, string] => [
    file,
    file.split('/').at(-1)!,
    config,
  ]),
]

for (const [title, name, config] of configs) {
  test(`[W91] the server itself finds nothing wrong with the configuration of ${title}`, async () => {
    const file = join(folder, name)
    // Folders that the packages of the servers make may not be there.
    writeFileSync(file, config.replaceAll(/\/(?:var|run|etc)\/[\w/]+(?=["/\n])/g, folder))
    const [command, ...args] = checks[name]!(file)
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
    await promisify(execFile)(command, args, { env, cwd: folder })
  })
}
