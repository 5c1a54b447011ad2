import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { poolsFile, recipes } from '../scripts/docs/recipes.ts'
import { targetKinds } from '../src/target-kinds.ts'
import { type Api, sqliteStore, startTestApi } from './support/api.ts'
import { root, runNameplane } from './support/program.ts'

let api: Api
const folder = mkdtempSync(join(tmpdir(), 'nameplane-recipes-'))
before(async () => {
  api = await startTestApi(sqliteStore)
})
after(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

const text = readFileSync(join(root, 'docs/operating.md'), 'utf8')

test('[W90] docs/operating.md has a recipe for every kind of target, with the very text that tests set servers up with', () => {
  deepEqual([...new Set(recipes.map(({ target }) => target.type))].toSorted(), Object.keys(targetKinds).toSorted())
  for (const recipe of recipes) {
    const { title, config, commands = '' } = recipe
    const part = text.split(`#### ${title}\n`)[1]?.split(/^(?:####|<!--)/m)[0] ?? ''
    ok(part.includes(`\n\`\`\`conf\n${config.trimEnd()}\n\`\`\`\n`), title)
    ok(part.includes(`\n\`\`\`yaml\n${poolsFile(recipe)}\`\`\`\n`), title)
    for (const command of commands.split('\n')) ok(part.includes(command), `${title}: ${command}`)
  }
})

test('[W90] the pools.yaml of every recipe can be applied', async () => {
  // Each as a pool of its own, in one file.
  const pools = recipes.map((recipe) => ({
    ...(parse(poolsFile(recipe)) as [object])[0],
    name: recipe.title,
    ns_records: [{ hostname: 'ns1.example.org.', priority: 1 }],
  }))
  const file = join(folder, 'pools.yaml')
  writeFileSync(file, stringify(pools))
  const args = ['pools', 'apply', '--yes', file]
  const { code, stdout, stderr } = await runNameplane(args, { env: { NAMEPLANE_URL: api.url } })
  equal(code, 0, stderr)
  const types = [...stdout.matchAll(/\+ target (\w+)/g)].map(([, type]) => type)
  deepEqual(
    types,
    recipes.map(({ target }) => target.type),
  )
})

test('[W90] what a recipe says of one server agrees: where it listens, where it is taken to be, and where it takes zones from', () => {
  for (const recipe of recipes) {
    const [{ targets }] = parse(poolsFile(recipe)) as [{ targets: [{ masters?: object; options: { host: string } }] }]
    const [{ masters, options }] = targets
    const isOfServer = !recipe.title.startsWith('NSD by catalog')
    if (isOfServer) ok(recipe.config.includes(options.host), recipe.title)
    if (masters !== undefined) deepEqual(masters, [{ host: '192.0.2.1', port: 5354 }])
    else match(recipe.config + recipe.commands, /192\.0\.2\.1(?: port |@|:)5354/)
  }
})
