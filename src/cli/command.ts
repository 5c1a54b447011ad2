import type { SettingName } from '../config.ts'

/** A command of the program; `run` resolves with the exit code. */
export type Command = {
  readonly summary: string
  readonly usage: string
  /** What else help says of it, in place of the settings. */
  readonly help?: string
  /** The settings that matter to it, where not all of them do. */
  readonly settings?: readonly SettingName[]
  /** Commands of its own, by the word that follows its name. */
  readonly commands?: Readonly<Record<string, Command>>
  readonly run: (args: readonly string[]) => Promise<number>
}
