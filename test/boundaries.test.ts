import { deepEqual } from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { root } from './support/program.ts'

/** Which folders of src may import which; a pattern with a slash names files. Files that stand in src itself are free to all. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  dns: [],
  zonedata: ['dns'],
  db: [],
  journal: ['db', 'zonedata', 'dns'],
  api: ['db'],
  resources: ['api', 'journal', 'zonedata', 'dns', 'db'],
  nameserver: ['journal', 'zonedata', 'dns', 'db', 'resources/*/store.ts'],
  exchange: ['zonedata', 'dns'],
  backends: ['journal', 'exchange', 'zonedata', 'dns', 'db', 'resources/*/store.ts'],
  secondary: ['journal', 'exchange', 'zonedata', 'dns', 'db', 'resources/*/store.ts'],
  config: ['dns'],
  cli: ['config', 'resources/*/fields.ts', 'resources/*/options.ts', 'nameserver/thread.ts'],
}

/** Only these two reach the whole program. */
const mayImportMain = ['src/cli/serve.ts', 'src/cli/migrate.ts']

/** Resources lean only on those above them; whatever is not named stands last, and its kind may not lean on each other. */
const resourceOrder = [['quotas', 'tlds', 'blacklists', 'tsigkeys'], ['pools'], ['zones'], ['recordsets']]

const pure = ['dns', 'zonedata']
const mostLines = 400

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const imports = sources.flatMap((file) => importsOf(file).map((target) => ({ file, target })))

test('imports are found: of one line, of several, and those at run time', () => {
  deepEqual(importsOf('src/main.ts').includes('src/api/server.ts'), true)
  deepEqual(importsOf('src/config.ts').includes('src/config/parse.ts'), true)
  deepEqual(importsOf('src/cli/serve.ts').includes('src/main.ts'), true)
})

test('folders of src import only what the table of architecture allows', () => {
  const breaches = imports.filter(({ file, target }) => target.startsWith('src/') && !isAllowed(file, target))
  deepEqual(breaches.map(describe), [])
})

test('nothing in src imports from outside src', () => {
  const outside = imports.filter(({ target }) => target.includes('/') && /^(\.\.|test|bench|scripts)\b/.test(target))
  deepEqual(outside.map(describe), [])
})

test('resources lean only on the resources below them', () => {
  const breaches = imports.filter(({ file, target }) => {
    const [from, to] = [resourceOf(file), resourceOf(target)]
    return from !== undefined && to !== undefined && from !== to && rank(to) >= rank(from)
  })
  deepEqual(breaches.map(describe), [])
})

test('the protocol and zones as values do no input or output', () => {
  const breaches = imports.filter(
    ({ file, target }) =>
      pure.includes(folderOf(file) ?? '') && /^(node:)?(fs|net|dgram|tls|http|https|dns|child_process)\b/.test(target),
  )
  deepEqual(breaches.map(describe), [])
})

test('every folder of src has a line in the table', () => {
  deepEqual(
    foldersOfSrc().filter((folder) => mayImport[folder] === undefined),
    [],
  )
})

test(`no hand-written file of src has more than ${mostLines} lines`, () => {
  const long = globSync('src/**/*.ts', { cwd: root })
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > mostLines)
  deepEqual(long, [])
})

test('the tree in ARCHITECTURE.md names the folders that src has', () => {
  deepEqual(treeOfSrc(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toSorted(), foldersOfSrc())
})

function isAllowed(file: string, target: string): boolean {
  if (target === 'src/main.ts') return mayImportMain.includes(file)
  const to = folderOf(target)
  if (to === undefined || file === 'src/main.ts') return true
  const from = folderOf(file)
  if (from === to) return true
  // Files in src itself are what every part may stand on, so they stand on no part, save config.ts on its own folder.
  const allowed = from === undefined ? (file === 'src/config.ts' ? ['config'] : []) : mayImport[from]
  return allowed?.some((pattern) => matches(target, pattern)) ?? false
}

function matches(target: string, pattern: string): boolean {
  if (!pattern.includes('/')) return folderOf(target) === pattern
  return new RegExp(`^src/${pattern.replace('*', '[^/]+')}$`).test(target)
}

/** What a file imports: paths from the root for our own files, the name as written for packages. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^'"`]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm,
  )
  return [...found].map((match) => {
    const target = (match[1] ?? match[2])!
    return target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target
  })
}

const describe = ({ file, target }: { file: string; target: string }): string => `${file} imports ${target}`

/** `dns` for src/dns/name.ts; undefined for a file in src itself or a package. */
const folderOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1]

const resourceOf = (path: string): string | undefined => /^src\/resources\/([^/]+)\//.exec(path)?.[1]

function rank(resource: string): number {
  const at = resourceOrder.findIndex((names) => names.includes(resource))
  return at < 0 ? resourceOrder.length : at
}

function foldersOfSrc(): string[] {
  return readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted()
}

/** The folders listed, two spaces in, below the line `src/` of a code block. */
function treeOfSrc(text: string): string[] {
  const block = /^src\/.*\n((?:[ ]{2,}.*\n)+)/m.exec(text)?.[1] ?? ''
  return [...block.matchAll(/^ {2}([\w-]+)\//gm)].map((match) => match[1]!)
}
