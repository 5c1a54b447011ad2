import { loadConfig } from '../config/load.ts'
import { settingsInForce } from '../config/print.ts'
import type { Command } from './command.ts'
import { settingsOnly } from './settings.ts'

/** `nameplane config` */
export const config: Command = {
  summary: 'Print every setting, its value and where it came from.',
  usage: 'nameplane config [SETTINGS]',
  settings: [],
  async run(args) {
    const loaded = await loadConfig(settingsOnly(args, 'config'), process.env)
    process.stdout.write(`${settingsInForce(loaded)}\n`)
    return 0
  },
}
