import { labelHash, nodeHash } from './hash.ts'
import {
  CONTROL,
  FREE,
  NODE,
  NODE_SEGMENT_BITS,
  OFFSET_BITS,
  OFFSET_MASK,
  RRSET,
  TOMBSTONE,
  ZONE,
  ZONE_SEGMENT_BITS,
} from './layout.ts'
import type { Space } from './space.ts'
import { firstSlot, nextSlot } from './table.ts'
import { LOWER, WireName } from './wire-name.ts'

const ASTERISK = Uint8Array.of(1, 0x2a)

/** Searches the arena. What it finds holds only if the versions are the same afterwards; it ends whatever it reads. */
export class Lookup {
  readonly space: Space
  readonly #asterisk: number

  constructor(space: Space) {
    this.space = space
    this.#asterisk = labelHash(space.control[CONTROL.SEED]!, space.control[CONTROL.SEED + 1]!, ASTERISK, 1, 1)
  }

  /** A name to search with, under this arena's key. */
  newName(): WireName {
    const { control } = this.space
    return new WireName(control[CONTROL.SEED]!, control[CONTROL.SEED + 1]!)
  }

  /** The hash of a lower-cased label that starts at the first octet. */
  hashOf(lower: Uint8Array, length: number): number {
    const { control } = this.space
    return labelHash(control[CONTROL.SEED]!, control[CONTROL.SEED + 1]!, lower, 0, length)
  }

  /** The zone whose apex is `name` from its label `from` on, or 0. */
  zone(name: WireName, from: number): number {
    const { space } = this
    const hash = name.hashes[from]!
    const segment = CONTROL.ZONE_SEGMENTS + (hash >>> (32 - ZONE_SEGMENT_BITS))
    const block = Atomics.load(space.control, segment)
    const mask = space.word(block, 0)
    if (mask <= 0) return 0
    for (let slot = firstSlot(hash, mask), probes = 0; probes <= mask; slot = nextSlot(slot, mask), probes++) {
      const zone = space.word(block, slot * 2 + 1)
      if (zone === 0) return 0
      if (zone === TOMBSTONE || space.word(block, slot * 2) !== hash) continue
      if (space.word(zone, ZONE.STATE) !== FREE && this.isApex(space.word(zone, ZONE.APEX), name, from)) return zone
    }
    return 0
  }

  /** The closest zone at or above `name` from its label `from` on, or 0. */
  closestZone(name: WireName, from: number): number {
    for (let label = from; label <= name.labels; label++) {
      const zone = this.zone(name, label)
      if (zone !== 0) return zone
    }
    return 0
  }

  /** The child of a node by the label of a name, or 0. */
  child(parent: number, name: WireName, label: number): number {
    return this.#child(parent, name.labelHashes[label]!, name.lower, name.starts[label]!)
  }

  /** The wildcard directly below a node, or 0. */
  wildcard(parent: number): number {
    return this.#child(parent, this.#asterisk, ASTERISK, 0)
  }

  /** Whether a node owns records or has names below it that do; others are about to be linked or taken away. */
  exists(node: number): boolean {
    return this.space.word(node, NODE.RRSETS) !== 0 || this.space.word(node, NODE.CHILDREN) !== 0
  }

  /** A node's RRset of a type, or 0. */
  rrset(node: number, type: number): number {
    const { space } = this
    let previous = -1
    for (let ref = space.word(node, NODE.RRSETS); ref !== 0; ref = space.word(ref, RRSET.NEXT)) {
      const here = this.typeOf(ref)
      if (here === type) return ref
      // Types ascend; where they do not this is no list of RRsets.
      if (here > type || here <= previous) return 0
      previous = here
    }
    return 0
  }

  typeOf(rrset: number): number {
    const bytes = this.space.bytes[rrset >>> OFFSET_BITS]!
    const at = ((rrset & OFFSET_MASK) << 3) + RRSET.TYPE
    return at + 1 < bytes.length ? (bytes[at]! << 8) | bytes[at + 1]! : 0
  }

  #child(parent: number, label: number, lower: Uint8Array, start: number): number {
    const { space } = this
    const hash = nodeHash(parent, label)
    const block = Atomics.load(space.control, CONTROL.NODE_SEGMENTS + (hash >>> (32 - NODE_SEGMENT_BITS)))
    const mask = space.word(block, 0)
    if (mask <= 0) return 0
    for (let slot = firstSlot(hash, mask), probes = 0; probes <= mask; slot = nextSlot(slot, mask), probes++) {
      const node = space.word(block, slot * 2 + 1)
      if (node === 0) return 0
      if (node === TOMBSTONE || space.word(block, slot * 2) !== hash) continue
      if (space.word(node, NODE.PARENT) === parent && this.#hasLabel(node, lower, start)) return node
    }
    return 0
  }

  #hasLabel(node: number, lower: Uint8Array, start: number): boolean {
    const bytes = this.space.bytes[node >>> OFFSET_BITS]!
    const base = (node & OFFSET_MASK) << 3
    const length = lower[start]!
    if (!this.#isWithin(base + NODE.LABEL + length, bytes) || bytes[base + NODE.LABEL_LENGTH] !== length) return false
    const at = base + NODE.LABEL - 1 - start
    for (let i = start + 1; i <= start + length; i++) if (LOWER[bytes[at + i]!] !== lower[i]) return false
    return true
  }

  /** Whether an apex is `name` from its label `from` on. */
  isApex(node: number, name: WireName, from: number): boolean {
    const bytes = this.space.bytes[node >>> OFFSET_BITS]!
    const base = (node & OFFSET_MASK) << 3
    const start = name.starts[from]!
    const length = name.length - start
    if (!this.#isWithin(base + NODE.LABEL + length, bytes) || bytes[base + NODE.LABEL_LENGTH] !== length) return false
    const at = base + NODE.LABEL - start
    for (let i = start; i < name.length; i++) if (LOWER[bytes[at + i]!] !== name.lower[i]) return false
    return true
  }

  #isWithin(end: number, bytes: Uint8Array): boolean {
    if (end <= bytes.length) return true
    this.space.missed = true
    return false
  }
}
