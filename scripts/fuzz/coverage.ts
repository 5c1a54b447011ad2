import { Session } from 'node:inspector'

type Range = { readonly startOffset: number; readonly endOffset: number; readonly count: number }
type Coverage = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly Range[] }[]
  }[]
}

/** Which blocks of our code run, by V8's own counters; it sees the modules loaded after it was made. */
export class BlockCoverage {
  readonly #session = new Session()
  readonly #folder: string
  readonly #blocks = new Map<string, Set<number>>()

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
        for (const { ranges } of functions) this.#note(url, ranges, ran)
      }
    })
    return ran
  }

  // V8 leaves out a block that ran as often as the one around it, so blocks are remembered by where they begin, from when
  // they were told apart.
  #note(url: string, ranges: readonly Range[], ran: Set<string>): void {
    const { startOffset, endOffset, count } = ranges[0]!
    const key = `${url} ${startOffset} ${endOffset}`
    const blocks = this.#blocks.get(key) ?? new Set()
    this.#blocks.set(key, blocks)
    for (const range of ranges) blocks.add(range.startOffset)
    if (count === 0) return
    for (const block of blocks) {
      const innermost = ranges.findLast((range) => range.startOffset <= block && block < range.endOffset)
      if (innermost!.count > 0) ran.add(`${key} ${block}`)
    }
  }
}
