import { readFileSync } from 'node:fs'
import { argv, exit, stderr, stdout } from 'node:process'
import { suggestion } from '../config/nearest.ts'
import { Trouble } from '../trouble.ts'
import { backup } from './backup.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { exportZones } from './export.ts'
import { commandHelp, programHelp } from './help.ts'
import { importZones } from './import.ts'
import { migrate } from './migrate.ts'
import { pools } from './pools.ts'
import { serve } from './serve.ts'

const commands: Readonly<Record<string, Command>> = {
  serve,
  migrate,
  config,
  backup,
  import: importZones,
  export: exportZones,
  pools,
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
  if (name === undefined || name === '--help' || name === '-h') return print(programHelp(commands))
  if (name === 'help')
    return print(rest.length === 0 ? programHelp(commands) : commandHelp(find(rest, commands).command))
  const found = find(args, commands)
  const asksHelp = found.rest.includes('--help') || found.rest.includes('-h')
  return asksHelp ? print(commandHelp(found.command)) : found.command.run(found.rest)
}

type Found = { readonly command: Command; readonly rest: readonly string[] }

/** The command that words begin with, and the words after it. */
function find([name = '', ...rest]: readonly string[], within: Readonly<Record<string, Command>>): Found {
  const command = Object.hasOwn(within, name) ? within[name] : undefined
  if (command === undefined) {
    const known = [...Object.keys(within), ...(within === commands ? ['help'] : [])]
    throw new Trouble(`${JSON.stringify(name)} is no command${suggestion(name, known)}; see nameplane --help`, 2)
  }
  const goesOn = command.commands !== undefined && rest[0] !== undefined && !rest[0].startsWith('-')
  return goesOn ? find(rest, command.commands) : { command, rest }
}

function print(text: string): number {
  stdout.write(text)
  return 0
}

function version(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
