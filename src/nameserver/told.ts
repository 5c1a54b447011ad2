const MOST_TOLD = 100

/** What was told within the last second, so that a flood of requests is not a flood of messages. */
export class Told {
  #since = 0
  readonly #seen = new Set<string>()

  isNew(what: string): boolean {
    const now = Date.now()
    if (now - this.#since > 1000) {
      this.#since = now
      this.#seen.clear()
    }
    if (this.#seen.size >= MOST_TOLD || this.#seen.has(what)) return false
    this.#seen.add(what)
    return true
  }
}
