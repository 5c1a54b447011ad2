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
import { serve } from './serve.ts'

const commands: Readonly<Record<string, Command>> = {
  serve,
  migrate,
  config,
  backup,
  import: importZones,
  export: exportZones,
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
  if (name === 'help') return print(rest[0] === undefined ? programHelp(commands) : commandHelp(find(rest[0])))
  const command = find(name)
  const asksHelp = rest.includes('--help') || rest.includes('-h')
  return asksHelp ? print(commandHelp(command)) : command.run(rest)
}

function find(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command) return command
  const known = [...Object.keys(commands), 'help']
  throw new Trouble(`${JSON.stringify(name)} is no command${suggestion(name, known)}; see nameplane --help`, 2)
}

function print(text: string): number {
  stdout.write(text)
  return 0
}

function version(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
