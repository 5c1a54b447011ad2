import type { Logger } from 'pino'

// A supervisor or a person waits 5 s; what is not finished then never will be.
const patience = 4500
// A terminal sends Ctrl-C to every process of the job, and npm and the launcher pass theirs on: one key press, many signals.
const sameKeyPress = 250

/** Resolves with the first SIGTERM or SIGINT; a later one, or 4.5 s without an end, ends the process at once. */
export function stopSignal(log: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now()
          setTimeout(giveUp, patience).unref()
          resolve(signal)
        } else if (performance.now() - first > sameKeyPress) {
          log.warn({ signal }, 'stopped at once by a second signal')
          process.exit(1)
        }
      })
    }
    function giveUp(): void {
      log.warn('requests were still in flight when the time to stop ran out')
      process.exit(1)
    }
  })
}

/** An error nobody caught leaves the program in a state nobody knows: it is logged, and the process ends. */
export function dieLoudly(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, 'an error nobody caught')
      process.exit(1)
    })
  }
}
