/** Passes on topics that were woken to whoever follows them in this process. */
export class Wakes {
  readonly #listeners = new Set<(topics: readonly string[]) => void>()

  tell(topics: readonly string[]): void {
    if (topics.length === 0) return
    for (const listener of this.#listeners) listener(topics)
  }

  follow(listener: (topics: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
