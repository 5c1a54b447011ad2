/** A command of the program; `run` resolves with the exit code. */
export type Command = {
  readonly summary: string
  readonly usage: string
  /** What else help says of it, in place of the settings. */
  readonly help?: string
  /** Commands of its own, by the word that follows its name. */
  readonly commands?: Readonly<Record<string, Command>>
  readonly run: (args: readonly string[]) => Promise<number>
}
