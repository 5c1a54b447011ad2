import { Trouble } from '../trouble.ts'
import { Refusal } from './client.ts'
import type { Command } from './command.ts'
import { apply } from './pools-apply.ts'
import { audit, check } from './pools-check.ts'
import { exportPools } from './pools-export.ts'
import { status } from './pools-status.ts'

const commands = {
  apply: plainly(apply),
  export: plainly(exportPools),
  check: plainly(check),
  audit: plainly(audit),
  status: plainly(status),
}

/** `nameplane pools` */
export const pools: Command = {
  summary: 'Say which DNS servers zones are delivered to, and see how they do.',
  usage: 'nameplane pools COMMAND …',
  commands,
  async run() {
    throw new Trouble(`pools needs one of ${Object.keys(commands).join(', ')}; see nameplane help pools`, 2)
  },
}

/** The command, with what the service refuses told in its words. */
function plainly(command: Command): Command {
  const run: Command['run'] = (args) =>
    command.run(args).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      throw new Trouble(`the service refused (${error.status}): ${error.message}`)
    })
  return { ...command, run }
}
