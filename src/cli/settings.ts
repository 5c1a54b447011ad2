import { type Flags, readFlags } from '../config/flags.ts'
import { Trouble } from '../trouble.ts'

/** Reads the arguments of a command that takes settings and no words. */
export function settingsOnly(args: readonly string[], command: string): Flags {
  const flags = readFlags(args)
  const [word] = flags.words
  if (word !== undefined) throw new Trouble(`${command} takes only flags, not ${JSON.stringify(word)}`, 2)
  return flags
}
