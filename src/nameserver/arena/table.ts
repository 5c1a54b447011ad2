import type { Allocator } from './allocator.ts'
import { CONTROL, OFFSET_BITS, OFFSET_MASK, TOMBSTONE, UNIT } from './layout.ts'
import type { Space } from './space.ts'

const FIRST_SLOTS = 16

/** A hash table of references in shared memory, as its one writer sees it; readers search it by themselves. */
export class Table {
  readonly #space: Space
  readonly #allocator: Allocator
  readonly #directory: number
  readonly #shift: number
  readonly #masks: Int32Array
  readonly #live: Int32Array
  // Slots that are not free: live ones and tombstones.
  readonly #taken: Int32Array

  constructor(space: Space, allocator: Allocator, directory: number, segmentBits: number) {
    this.#space = space
    this.#allocator = allocator
    this.#directory = directory
    this.#shift = 32 - segmentBits
    this.#masks = new Int32Array(1 << segmentBits)
    this.#live = new Int32Array(1 << segmentBits)
    this.#taken = new Int32Array(1 << segmentBits)
  }

  insert(hash: number, ref: number): void {
    const segment = hash >>> this.#shift
    if ((this.#taken[segment]! + 1) * 4 > this.#masks[segment]! * 3) this.#rebuild(segment)
    if (put(this.#space, this.#segment(segment), this.#masks[segment]!, hash, ref)) this.#taken[segment]!++
    this.#live[segment]!++
  }

  remove(hash: number, ref: number): void {
    const segment = hash >>> this.#shift
    const space = this.#space
    const block = this.#segment(segment)
    const mask = this.#masks[segment]!
    for (let slot = firstSlot(hash, mask); ; slot = nextSlot(slot, mask)) {
      const found = space.word(block, slot * 2 + 1)
      if (found === 0) throw new Error(`the arena's table has no entry ${ref} with hash ${hash}`)
      if (found !== ref) continue
      space.setWord(block, slot * 2 + 1, TOMBSTONE)
      this.#live[segment]!--
      return
    }
  }

  #segment(segment: number): number {
    return this.#space.control[this.#directory + segment]!
  }

  /** Copies a segment into one at most three eighths full, in which there are no tombstones. */
  #rebuild(segment: number): void {
    const space = this.#space
    let slots = FIRST_SLOTS
    while ((this.#live[segment]! + 1) * 8 > slots * 3) slots *= 2
    const old = this.#segment(segment)
    const oldMask = this.#masks[segment]!
    const block = this.#allocator.allocate(slots * UNIT)
    const start = (block & OFFSET_MASK) << 1
    space.words[block >>> OFFSET_BITS]!.fill(0, start, start + slots * 2)
    space.setWord(block, 0, slots - 1)
    for (let slot = 1; old !== 0 && slot <= oldMask; slot++) {
      const ref = space.word(old, slot * 2 + 1)
      if (ref !== 0 && ref !== TOMBSTONE) put(space, block, slots - 1, space.word(old, slot * 2), ref)
    }
    Atomics.store(space.control, this.#directory + segment, block)
    Atomics.add(space.control, CONTROL.STRUCTURE, 1)
    this.#masks[segment] = slots - 1
    this.#taken[segment] = this.#live[segment]!
    if (old !== 0) this.#allocator.recycle(old, (oldMask + 1) * UNIT)
  }
}

/** The slot where searching for a hash begins; slot 0 holds the mask. */
export function firstSlot(hash: number, mask: number): number {
  return hash & mask || 1
}

/** The slot to look at next. */
export function nextSlot(slot: number, mask: number): number {
  return slot < mask ? slot + 1 : 1
}

/** Puts an entry where it belongs, and tells whether that took a free slot rather than a tombstone. */
function put(space: Space, block: number, mask: number, hash: number, ref: number): boolean {
  const words = space.words[block >>> OFFSET_BITS]!
  const base = (block & OFFSET_MASK) << 1
  for (let slot = firstSlot(hash, mask); ; slot = nextSlot(slot, mask)) {
    const found = words[base + slot * 2 + 1]!
    if (found !== 0 && found !== TOMBSTONE) continue
    words[base + slot * 2] = hash
    words[base + slot * 2 + 1] = ref
    return found === 0
  }
}
