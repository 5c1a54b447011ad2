import { equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { root, runNameplane } from './support/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'nameplane-operating-'))
after(() => rmSync(folder, { recursive: true }))

const text = readFileSync(join(root, 'docs/operating.md'), 'utf8')
const blocks = (kind: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n([^]*?)^\`\`\``, 'gm'))].map((match) => match[1]!)

test('[L4] the settings files of docs/operating.md are right', async () => {
  // A list is a pools.yaml, which test/recipes.test.ts looks at.
  const files = blocks('yaml').filter((yaml) => !yaml.startsWith('- '))
  ok(files.length > 1)
  for (const yaml of files) {
    const file = join(folder, 'nameplane.yaml')
    writeFileSync(file, yaml)
    const { code, stdout, stderr } = await runNameplane(['config', '--config', file], {
      env: { NAMEPLANE_DNS_LISTEN: '' },
    })
    equal(code, 0, stderr)
    for (const [, name] of yaml.matchAll(/^(\w+):/gm)) match(stdout, new RegExp(`^${name} .*nameplane\\.yaml`, 'm'))
  }
})

test('[L4] every command of nameplane in docs/operating.md is one', async () => {
  const commands = [...text.matchAll(/nameplane ((?:serve|migrate|config|backup)\b[^\n`]*)/g)].map((match) => match[1]!)
  ok(commands.length > 5)
  for (const command of commands) {
    const flags = command.match(/--[a-z-]+/g) ?? []
    const { code, stdout } = await runNameplane([command.split(' ')[0]!, '--help'])
    equal(code, 0, command)
    for (const flag of flags) ok(flag === '--help' || stdout.includes(`${flag} `), `${flag} in ${command}`)
  }
})
