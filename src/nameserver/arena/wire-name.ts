import { appendName } from '../../dns/name.ts'
import { labelHash, nameHash } from './hash.ts'

const MOST_OCTETS = 255
const MOST_LABELS = 127

/** ASCII letters lower-cased, other octets as they are. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, octet) =>
  octet >= 0x41 && octet <= 0x5a ? octet + 32 : octet,
)

const scratch = new Uint8Array(MOST_OCTETS)

/** A name taken apart for searching: its lower-cased octets, where its labels start, and their hashes. Used again and again. */
export class WireName {
  readonly lower = new Uint8Array(MOST_OCTETS)
  /** Where each label's length octet is; label 0 is the leftmost. */
  readonly starts = new Uint8Array(MOST_LABELS + 1)
  readonly labelHashes = new Int32Array(MOST_LABELS + 1)
  /** The hash of the name from each label on; that after the last label is the root's. */
  readonly hashes = new Int32Array(MOST_LABELS + 1)
  labels = 0
  /** Octets, those of the root label included. */
  length = 0
  /** The octets as they were written. */
  source: Uint8Array = scratch
  at = 0
  readonly #key0: number
  readonly #key1: number

  constructor(key0: number, key1: number) {
    this.#key0 = key0
    this.#key1 = key1
  }

  /** Takes the uncompressed name at `at`; false where there is none before `end`. */
  read(source: Uint8Array, at: number, end: number): boolean {
    const { lower, starts, labelHashes, hashes } = this
    this.source = source
    this.at = at
    let used = 0
    let labels = 0
    for (;;) {
      if (at + used >= end) return false
      const length = source[at + used]!
      if (length === 0) break
      const next = used + 1 + length
      if (length > 63 || at + next >= end || next >= MOST_OCTETS) return false
      starts[labels] = used
      lower[used++] = length
      for (; used < next; used++) lower[used] = LOWER[source[at + used]!]!
      labelHashes[labels++] = labelHash(this.#key0, this.#key1, lower, next - length, length)
    }
    lower[used] = 0
    this.labels = labels
    this.length = used + 1
    starts[labels] = used
    let hash = 0
    hashes[labels] = 0
    for (let i = labels - 1; i >= 0; i--) hashes[i] = hash = nameHash(hash, labelHashes[i]!)
    return true
  }

  /** Takes a name from its text. */
  readText(name: string): void {
    const length = appendName(name, scratch, 0)
    this.read(scratch, 0, length)
  }
}
