import { Trouble } from '../trouble.ts'
import type { Command } from './command.ts'
import { apply } from './pools-apply.ts'
import { audit, check } from './pools-check.ts'
import { exportPools } from './pools-export.ts'
import { status } from './pools-status.ts'

const commands = { apply, export: exportPools, check, audit, status }

/** `nameplane pools` */
export const pools: Command = {
  summary: 'Say which DNS servers zones are delivered to, and see how they do.',
  usage: 'nameplane pools COMMAND …',
  commands,
  async run() {
    throw new Trouble(`pools needs one of ${Object.keys(commands).join(', ')}; see nameplane help pools`, 2)
  },
}
