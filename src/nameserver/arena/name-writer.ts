import type { WireName } from './wire-name.ts'

const MOST_TARGETS = 128
const NONE = -1

/** What `write` returns where a name does not fit or is none. */
export const FAILED_NAME = -1

/** Writes names into a message and makes pointers of their tails, by the same choices as `dns/compression`. */
export class NameWriter {
  #out: Uint8Array = new Uint8Array(0)
  #base = 0
  #question: WireName | undefined
  #count = 0
  readonly #targets = new Int32Array(MOST_TARGETS)
  readonly #hashes = new Int32Array(MOST_TARGETS)
  readonly #starts = new Int32Array(MOST_TARGETS)
  readonly #suffixes = new Int32Array(MOST_TARGETS)

  /** Begins a message at `base` in which the question's name stands already. */
  begin(out: Uint8Array, base: number, question: WireName): void {
    this.#out = out
    this.#base = base
    this.#question = question
    this.#count = 0
  }

  /** Writes the plain name at `from` of `source` to `at`, and returns where it ends there; not beyond `end`. */
  write(source: Uint8Array, from: number, sourceEnd: number, at: number, end: number): number {
    // Most answers have no name but the question's.
    if (this.#question !== undefined) this.#noteQuestion(this.#question)
    const labels = this.#split(source, from, sourceEnd)
    if (labels < 0) return FAILED_NAME
    const starts = this.#starts
    let label = 0
    let pointer = NONE
    const known = this.#count
    for (; label < labels; label++) {
      pointer = this.#find(source, starts[label]!, this.#suffixes[label]!, known)
      if (pointer !== NONE) break
      if (this.#count === MOST_TARGETS) return FAILED_NAME
      this.#targets[this.#count] = at - this.#base + starts[label]! - from
      this.#hashes[this.#count++] = this.#suffixes[label]!
    }
    const out = this.#out
    const length = starts[label]! - from
    if (at + length + (pointer === NONE ? 1 : 2) > end) return FAILED_NAME
    for (let i = 0; i < length; i++) out[at + i] = source[from + i]!
    at += length
    if (pointer === NONE) {
      out[at] = 0
      return at + 1
    }
    out[at] = 0xc0 | (pointer >> 8)
    out[at + 1] = pointer
    return at + 2
  }

  #noteQuestion(question: WireName): void {
    this.#question = undefined
    const labels = this.#split(question.source, question.at, question.at + question.length)
    for (let label = 0; label < labels; label++) {
      this.#targets[label] = 12 + this.#starts[label]! - question.at
      this.#hashes[label] = this.#suffixes[label]!
    }
    this.#count = Math.max(labels, 0)
  }

  /** Notes where the labels start and the hash of the name from each on, letter case included; returns how many they are. */
  #split(source: Uint8Array, from: number, end: number): number {
    const starts = this.#starts
    let labels = 0
    let at = from
    for (;;) {
      if (at >= end) return FAILED_NAME
      const length = source[at]!
      starts[labels] = at
      if (length === 0) break
      if (length > 63 || at + length - from > 253) return FAILED_NAME
      labels++
      at += 1 + length
    }
    let hash = 0x9dc5
    for (let label = labels - 1; label >= 0; label--) {
      const start = starts[label]!
      const next = start + 1 + source[start]!
      for (let i = start; i < next; i++) hash = Math.imul(hash ^ source[i]!, 0x01000193)
      this.#suffixes[label] = hash
    }
    return labels
  }

  #find(source: Uint8Array, start: number, hash: number, known: number): number {
    for (let i = 0; i < known; i++) {
      if (this.#hashes[i] === hash && this.#isSame(this.#targets[i]!, source, start)) return this.#targets[i]!
    }
    return NONE
  }

  #isSame(target: number, source: Uint8Array, at: number): boolean {
    const out = this.#out
    let there = this.#base + target
    for (;;) {
      let length = out[there]!
      // Each pointer leads to before itself, so this ends.
      while (length >= 0xc0) {
        there = this.#base + (((length & 0x3f) << 8) | out[there + 1]!)
        length = out[there]!
      }
      for (const next = there + length; there <= next; ) if (out[there++] !== source[at++]) return false
      if (length === 0) return true
    }
  }
}
