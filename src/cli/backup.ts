import { resolve } from 'node:path'
import { backUp } from '../backup.ts'
import { readFlags } from '../config/flags.ts'
import { loadConfig } from '../config/load.ts'
import { Trouble } from '../trouble.ts'
import type { Command } from './command.ts'

/** `nameplane backup` */
export const backup: Command = {
  summary: 'Copy the embedded database and the secret key to a new folder, also while the service runs.',
  usage: 'nameplane backup FOLDER [SETTINGS]',
  settings: ['data_dir', 'database_url'],
  async run(args) {
    const flags = readFlags(args)
    const [folder, ...rest] = flags.words
    if (folder === undefined || rest.length > 0)
      throw new Trouble('backup takes one folder: nameplane backup FOLDER', 2)
    const { config } = await loadConfig(flags, process.env)
    if (config.database_url !== undefined) {
      throw new Trouble('everything is in PostgreSQL (database_url): back that up with pg_dump, and secret.key with it')
    }
    backUp(config.data_dir, folder)
    process.stdout.write(`Backed up to ${resolve(folder)}.\n`)
    return 0
  },
}
