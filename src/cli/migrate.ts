import { loadConfig } from '../config/load.ts'
import { openLog } from '../log.ts'
import type { Command } from './command.ts'
import { settingsOnly } from './settings.ts'

/** `nameplane migrate` */
export const migrate: Command = {
  summary: 'Bring the database schema up to date and end; serve does so too.',
  usage: 'nameplane migrate [SETTINGS]',
  settings: ['data_dir', 'database_url', 'log_level', 'log_format'],
  async run(args) {
    const { config } = await loadConfig(settingsOnly(args, 'migrate'), process.env)
    const log = openLog({ level: config.log_level, format: config.log_format })
    const program = await import('../main.ts')
    const applied = await program.migrateOnly(config, log)
    process.stdout.write(
      applied.length === 0 ? 'The schema is up to date.\n' : `Applied migrations: ${applied.join(', ')}.\n`,
    )
    return 0
  },
}
