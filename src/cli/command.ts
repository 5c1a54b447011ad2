/** A command of the program; `run` resolves with the exit code. */
export type Command = {
  readonly summary: string
  readonly usage: string
  /** What else help says of it, in place of the settings. */
  readonly help?: string
  readonly run: (args: readonly string[]) => Promise<number>
}
