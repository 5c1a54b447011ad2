import { settingsHelp } from '../config/print.ts'
import type { Command } from './command.ts'

/** What `nameplane --help` prints. */
export function programHelp(commands: Readonly<Record<string, Command>>): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(10)}${command.summary}`)
  return `Nameplane manages DNS zones over HTTP and serves them.

Usage: nameplane COMMAND [SETTINGS]

Commands:
${lines.join('\n')}
  help      Say more about a command: nameplane help serve.

${settingsSection()}`
}

/** What `nameplane help COMMAND` prints. */
export function commandHelp(command: Command): string {
  return `${command.summary}

Usage: ${command.usage}

${command.help === undefined ? settingsSection() : `${command.help}\n`}`
}

function settingsSection(): string {
  return `Settings, as flags; in the environment --api-listen is NAMEPLANE_API_LISTEN, in nameplane.yaml api_listen.
A flag goes before the environment, that before the file, that before the default:
${settingsHelp()}
`
}
