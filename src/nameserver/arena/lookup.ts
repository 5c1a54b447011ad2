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
import { fencedVersionOf, type Space, versionOf } from './space.ts'
import { firstSlot, nextSlot } from './table.ts'
import { LOWER, WireName } from './wire-name.ts'

/** Searches the arena. What it finds holds only if the versions are the same afterwards; it ends whatever it reads. */
export class Lookup {
  readonly space: Space
  version = 0
  /** Whether a zone was changed while its name was compared. */
  torn = false
  readonly #asterisk: WireName

  constructor(space: Space) {
    this.space = space
    this.#asterisk = this.newName()
    this.#asterisk.readText('*.')
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

  /** The zone whose apex is `name` from its label `from` on, or 0. Its version then, read before its name, is in `version`. */
  zone(name: WireName, from: number): number {
    const { space } = this
    const hash = name.hashes[from]!
    const block = space.control[CONTROL.ZONE_SEGMENTS + (hash >>> (32 - ZONE_SEGMENT_BITS))]!
    const words = space.words[block >>> OFFSET_BITS]!
    const base = (block & OFFSET_MASK) << 1
    if (block === 0 || !this.#isSegment(words, base)) return 0
    const mask = words[base]!
    for (let slot = firstSlot(hash, mask), probes = 0; probes <= mask; slot = nextSlot(slot, mask), probes++) {
      const zone = words[base + slot * 2 + 1]!
      if (zone === 0) return 0
      if (words[base + slot * 2] === hash && zone !== TOMBSTONE && this.#isZone(zone, name, from)) return zone
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
    const { space } = this
    const hash = nodeHash(parent, name.labelHashes[label]!)
    // A plain load will do: what is read next depends on it, and a segment is complete before it is entered here.
    const block = space.control[CONTROL.NODE_SEGMENTS + (hash >>> (32 - NODE_SEGMENT_BITS))]!
    const words = space.words[block >>> OFFSET_BITS]!
    const base = (block & OFFSET_MASK) << 1
    if (block === 0 || !this.#isSegment(words, base)) return 0
    const mask = words[base]!
    for (let slot = firstSlot(hash, mask), probes = 0; probes <= mask; slot = nextSlot(slot, mask), probes++) {
      const node = words[base + slot * 2 + 1]!
      if (node === 0) return 0
      if (words[base + slot * 2] !== hash || node === TOMBSTONE) continue
      if (this.#isChild(node, parent, name.lower, name.starts[label]!)) return node
    }
    return 0
  }

  /** The wildcard directly below a node, or 0. */
  wildcard(parent: number): number {
    return this.child(parent, this.#asterisk, 0)
  }

  /** Whether a node owns records or has names below it that do; others are about to be linked or taken away. */
  exists(node: number): boolean {
    return this.space.word(node, NODE.RRSETS) !== 0 || this.space.word(node, NODE.CHILDREN) !== 0
  }

  /** A node's RRset of a type, or 0. */
  rrset(node: number, type: number): number {
    const { space } = this
    let previous = -1
    for (let ref = space.word(node, NODE.RRSETS); ref !== 0; ) {
      const bytes = space.bytes[ref >>> OFFSET_BITS]!
      const base = (ref & OFFSET_MASK) << 3
      if (base + RRSET.RECORDS > bytes.length) {
        space.missed = true
        return 0
      }
      const here = (bytes[base + RRSET.TYPE]! << 8) | bytes[base + RRSET.TYPE + 1]!
      if (here === type) return ref
      // Types ascend; where they do not this is no list of RRsets.
      if (here > type || here <= previous) return 0
      previous = here
      ref = space.words[ref >>> OFFSET_BITS]![base >>> 2]!
    }
    return 0
  }

  typeOf(rrset: number): number {
    const bytes = this.space.bytes[rrset >>> OFFSET_BITS]!
    const at = ((rrset & OFFSET_MASK) << 3) + RRSET.TYPE
    return at + 1 < bytes.length ? (bytes[at]! << 8) | bytes[at + 1]! : 0
  }

  #isZone(zone: number, name: WireName, from: number): boolean {
    const { space } = this
    const version = versionOf(space, zone)
    const isSame = space.word(zone, ZONE.STATE) !== FREE && this.isApex(space.word(zone, ZONE.APEX), name, from)
    if (isSame) this.version = version
    // The hash is the same, so a name that is not has most likely been read while it was replaced.
    else if (version !== fencedVersionOf(space, zone)) this.torn = true
    return isSame
  }

  /** Whether a segment lies within its chunk, as all do that are read while they are one. */
  #isSegment(words: Int32Array, base: number): boolean {
    const mask = base < words.length ? words[base]! : -1
    if (mask > 0 && base + mask * 2 + 1 < words.length) return true
    this.space.missed = true
    return false
  }

  #isChild(node: number, parent: number, lower: Uint8Array, start: number): boolean {
    const bytes = this.space.bytes[node >>> OFFSET_BITS]!
    const base = (node & OFFSET_MASK) << 3
    const length = lower[start]!
    if (base + NODE.LABEL + length > bytes.length) {
      this.space.missed = true
      return false
    }
    if (this.space.words[node >>> OFFSET_BITS]![base >>> 2] !== parent) return false
    const at = base + NODE.LABEL_LENGTH
    if (bytes[at] !== length) return false
    for (let i = 1; i <= length; i++) if (LOWER[bytes[at + 1 + i]!] !== lower[start + i]) return false
    return true
  }

  /** Whether an apex is `name` from its label `from` on. */
  isApex(node: number, name: WireName, from: number): boolean {
    const bytes = this.space.bytes[node >>> OFFSET_BITS]!
    const base = (node & OFFSET_MASK) << 3
    const start = name.starts[from]!
    const length = name.length - start
    if (base + NODE.LABEL + length > bytes.length) {
      this.space.missed = true
      return false
    }
    if (bytes[base + NODE.LABEL_LENGTH] !== length) return false
    const at = base + NODE.LABEL - start
    for (let i = start; i < name.length; i++) if (LOWER[bytes[at + i]!] !== name.lower[i]) return false
    return true
  }
}
