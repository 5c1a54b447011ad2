/** A command of the program; `run` resolves with the exit code. */
export type Command = {
  readonly summary: string
  readonly usage: string
  readonly run: (args: readonly string[]) => Promise<number>
}
