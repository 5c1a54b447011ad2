import { Session } from 'node:inspector'

type Coverage = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
    }[]
  }[]
}

/** Which blocks of our code run, by V8's own counters; it sees the modules loaded after it was made. */
export class BlockCoverage {
  readonly #session = new Session()
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** The blocks that ran since the last call. */
  take(): Set<string> {
    const ran = new Set<string>()
    // Within one thread the inspector answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, coverage) => {
      if (error !== null) throw error
      for (const { url, functions } of (coverage as Coverage).result) {
        if (!url.includes(this.#folder)) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) ran.add(`${url} ${startOffset} ${endOffset}`)
          }
        }
      }
    })
    return ran
  }
}
