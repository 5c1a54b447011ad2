import { settingsHelp } from '../config/print.ts'
import type { Command } from './command.ts'

/** What `nameplane --help` prints. */
export function programHelp(commands: Readonly<Record<string, Command>>): string {
  return `Nameplane manages DNS zones over HTTP and serves them.

Usage: nameplane COMMAND [SETTINGS]

Commands:
${summaries(commands)}
  help      Say more about a command: nameplane help serve.

${settingsSection()}`
}

/** What `nameplane help COMMAND` prints. */
export function commandHelp(command: Command): string {
  return `${command.summary}

Usage: ${command.usage}

${more(command)}`
}

function more({ commands, help, settings }: Command): string {
  if (settings !== undefined) return `${settingsSection(settings)}\nAll settings: nameplane --help.\n`
  if (commands === undefined) return help === undefined ? settingsSection() : `${help}\n`
  return `Commands:\n${summaries(commands)}\n\nSay --help after one of them for more.\n`
}

const summaries = (commands: Readonly<Record<string, Command>>): string =>
  Object.entries(commands)
    .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
    .join('\n')

function settingsSection(names?: Command['settings']): string {
  return `Settings, as flags; in the environment --api-listen is NAMEPLANE_API_LISTEN, in nameplane.yaml api_listen.
A flag goes before the environment, that before the file, that before the default:
${settingsHelp(names)}
`
}
