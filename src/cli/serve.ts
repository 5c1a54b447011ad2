import { loadConfig } from '../config/load.ts'
import { openLog } from '../log.ts'
import { nameserverThread } from '../nameserver/thread.ts'
import type { Command } from './command.ts'
import { settingsOnly } from './settings.ts'

/** `nameplane serve` */
export const serve: Command = {
  summary: 'Run the service until it is told to stop.',
  usage: 'nameplane serve [SETTINGS]',
  async run(args) {
    const { config } = await loadConfig(settingsOnly(args, 'serve'), process.env)
    const log = openLog({ level: config.log_level, format: config.log_format })
    const thread = nameserverThread({ udp: config.dns_udp })
    // Loaded here, so that help and wrong settings need not wait for the whole program.
    const program = await import('../main.ts')
    return program.serve(config, log, thread)
  },
}
