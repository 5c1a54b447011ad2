import { readFileSync } from 'node:fs'
import { argv, exit, stderr, stdout } from 'node:process'
import { suggestion } from '../config/nearest.ts'
import { Trouble } from '../trouble.ts'
import type { Command } from './command.ts'

/** A command's code is read when it runs, so that a start need not wait for that of the others. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrate,
  config: async () => (await import('./config.ts')).config,
  backup: async () => (await import('./backup.ts')).backup,
  import: async () => (await import('./import.ts')).importZones,
  export: async () => (await import('./export.ts')).exportZones,
  pools: async () => (await import('./pools.ts')).pools,
}

exit(await main(argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args)
  } catch (error) {
    if (error instanceof Trouble) {
      for (const line of error.message.split('\n')) stderr.write(`nameplane: ${line}\n`)
      return error.exitCode
    }
    stderr.write(`nameplane: this should not have happened, please report it:\n${(error as Error).stack}\n`)
    return 1
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === '--version') return print(`${version()}\n`)
  if (name === undefined || name === '--help' || name === '-h') return helpOnAll()
  if (name === 'help') return rest.length === 0 ? helpOnAll() : helpOn((await find(rest)).command)
  const found = await find(args)
  const asksHelp = found.rest.includes('--help') || found.rest.includes('-h')
  return asksHelp ? helpOn(found.command) : found.command.run(found.rest)
}

type Found = { readonly command: Command; readonly rest: readonly string[] }

/** The command that words begin with, and the words after it. */
async function find([name = '', ...rest]: readonly string[]): Promise<Found> {
  const load = own(commands, name) ?? noCommand(name, [...Object.keys(commands), 'help'])
  return among(await load(), rest)
}

/** The command itself, or the one of its own that words go on to. */
function among(command: Command, words: readonly string[]): Found {
  const [name, ...rest] = words
  if (command.commands === undefined || name === undefined || name.startsWith('-')) return { command, rest: words }
  return among(own(command.commands, name) ?? noCommand(name, Object.keys(command.commands)), rest)
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

function noCommand(name: string, known: readonly string[]): never {
  throw new Trouble(`${JSON.stringify(name)} is no command${suggestion(name, known)}; see nameplane --help`, 2)
}

async function helpOnAll(): Promise<number> {
  const { programHelp } = await import('./help.ts')
  const loaded = Object.entries(commands).map(async ([name, load]) => [name, await load()] as const)
  return print(programHelp(Object.fromEntries(await Promise.all(loaded))))
}

async function helpOn(command: Command): Promise<number> {
  const { commandHelp } = await import('./help.ts')
  return print(commandHelp(command))
}

function print(text: string): number {
  stdout.write(text)
  return 0
}

function version(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
