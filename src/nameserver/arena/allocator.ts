import { CHUNK_BYTES, CONTROL, FIRST_CHUNK_BYTES, MOST_CHUNKS, OFFSET_BITS, UNIT } from './layout.ts'
import type { ArenaHandles, Space } from './space.ts'

// Up to 64 units each size has a class of its own; above, four to each doubling.
const EXACT = 64
const CLASSES = EXACT + 1 + 4 * 18
/** Gives out and takes back the arena's memory. Only the writer has one. */
export class Allocator {
  readonly #space: Space
  readonly #chunks: SharedArrayBuffer[] = []
  readonly #onGrow: (handles: ArenaHandles) => void
  readonly #free = new Int32Array(CLASSES)
  // The rest of the newest chunk.
  #next = 0
  #left = 0
  // Runs of units, references and lengths in turn, from which small blocks are cut; the one at work, then those to come.
  #cutNext = 0
  #cutLeft = 0
  readonly #regions: number[] = []
  /** Octets ever taken from chunks, and of those the octets that wait to be used again. */
  bytes = 0
  garbageBytes = 0

  constructor(space: Space, onGrow: (handles: ArenaHandles) => void) {
    this.#space = space
    this.#onGrow = onGrow
  }

  get handles(): ArenaHandles {
    return { control: this.#space.control.buffer as SharedArrayBuffer, chunks: [...this.#chunks] }
  }

  allocate(bytes: number): number {
    const kind = sizeClass((bytes + UNIT - 1) >>> 3)
    const head = this.#free[kind]!
    if (head !== 0) {
      this.#free[kind] = this.#space.word(head, 0)
      this.garbageBytes -= unitsOf(kind) * UNIT
      return head
    }
    const units = unitsOf(kind)
    this.bytes += units * UNIT
    if (units <= EXACT && this.#findCut(units)) {
      this.#cutNext += units
      this.#cutLeft -= units
      return this.#cutNext - units
    }
    if (this.#left < units) {
      this.#addRegion(this.#next, this.#left)
      this.#left = 0
      this.#addChunk(units)
    }
    this.#next += units
    this.#left -= units
    return this.#next - units
  }

  /** Takes back a block that was allocated with the same number of octets. */
  free(ref: number, bytes: number): void {
    const kind = sizeClass((bytes + UNIT - 1) >>> 3)
    this.#space.setWord(ref, 0, this.#free[kind]!)
    this.#free[kind] = ref
    this.garbageBytes += unitsOf(kind) * UNIT
  }

  /** Takes back a block whose size is not likely to be asked for again: it is cut up. */
  recycle(ref: number, bytes: number): void {
    const units = unitsOf(sizeClass((bytes + UNIT - 1) >>> 3))
    this.bytes -= units * UNIT
    this.#addRegion(ref, units)
  }

  #findCut(units: number): boolean {
    while (this.#cutLeft < units) {
      // What is left is too small for this block, so it is of a size that has a class of its own.
      if (this.#cutLeft > 0) {
        this.bytes += this.#cutLeft * UNIT
        this.free(this.#cutNext, this.#cutLeft * UNIT)
        this.#cutLeft = 0
      }
      const left = this.#regions.pop()
      if (left === undefined) return false
      this.#cutNext = this.#regions.pop()!
      this.#cutLeft = left
    }
    return true
  }

  #addRegion(ref: number, units: number): void {
    if (units > 0) this.#regions.push(ref, units)
  }

  #addChunk(units: number): void {
    const index = this.#chunks.length
    let size = Math.min(CHUNK_BYTES, FIRST_CHUNK_BYTES * 2 ** index)
    while (size < (units + 2) * UNIT && size < CHUNK_BYTES) size *= 2
    // The first two units of a chunk are left out, so that no reference is 0 or TOMBSTONE.
    if (size < (units + 2) * UNIT) throw new RangeError(`a block of ${units * UNIT} octets is too large for the arena`)
    if (index === MOST_CHUNKS) throw new RangeError('the arena is full')
    const chunk = new SharedArrayBuffer(size)
    this.#chunks.push(chunk)
    this.#space.update(this.handles)
    this.#onGrow(this.handles)
    Atomics.store(this.#space.control, CONTROL.CHUNKS, index + 1)
    this.#next = (index << OFFSET_BITS) | 2
    this.#left = size / UNIT - 2
  }
}

function sizeClass(units: number): number {
  if (units <= EXACT) return units < 1 ? 1 : units
  const exponent = 31 - Math.clz32(units - 1)
  return EXACT + (exponent - 6) * 4 + ((units - 1) >> (exponent - 2)) - 3
}

function unitsOf(kind: number): number {
  if (kind <= EXACT) return kind
  const steps = kind - EXACT - 1
  return ((steps & 3) + 5) << ((steps >> 2) + 4)
}
