import { CONTROL, MOST_CHUNKS, OFFSET_BITS, OFFSET_MASK, ZONE } from './layout.ts'

/** What a thread needs to see the arena; passed to workers as it is. */
export type ArenaHandles = { readonly control: SharedArrayBuffer; readonly chunks: readonly SharedArrayBuffer[] }

const NO_WORDS = new Int32Array(0)
const NO_BYTES = new Uint8Array(0)

/** The arena's memory as one thread sees it. Reading at any reference, however wrong, is safe. */
export class Space {
  readonly control: Int32Array
  // Filled up with empty arrays, so that a wrong reference fails one comparison and nothing else.
  readonly words: Int32Array[] = new Array(MOST_CHUNKS).fill(NO_WORDS)
  readonly bytes: Uint8Array[] = new Array(MOST_CHUNKS).fill(NO_BYTES)
  chunkCount = 0
  /** Whether a reference led out of the chunks known here: it was nonsense, or this thread lacks the newest chunks. */
  missed = false

  constructor(handles: ArenaHandles) {
    this.control = new Int32Array(handles.control)
    this.update(handles)
  }

  update({ chunks }: ArenaHandles): void {
    for (; this.chunkCount < chunks.length; this.chunkCount++) this.addChunk(this.chunkCount, chunks[this.chunkCount]!)
  }

  addChunk(index: number, chunk: SharedArrayBuffer): void {
    this.words[index] = new Int32Array(chunk)
    this.bytes[index] = new Uint8Array(chunk)
  }

  get lacksChunks(): boolean {
    return Atomics.load(this.control, CONTROL.CHUNKS) > this.chunkCount
  }

  word(ref: number, index: number): number {
    const words = this.words[ref >>> OFFSET_BITS]!
    const at = ((ref & OFFSET_MASK) << 1) + index
    if (at < words.length) return words[at]!
    this.missed = true
    return 0
  }

  byte(ref: number, index: number): number {
    const bytes = this.bytes[ref >>> OFFSET_BITS]!
    const at = ((ref & OFFSET_MASK) << 3) + index
    if (at < bytes.length) return bytes[at]!
    this.missed = true
    return 0
  }

  setWord(ref: number, index: number, value: number): void {
    this.words[ref >>> OFFSET_BITS]![((ref & OFFSET_MASK) << 1) + index] = value
  }

  setByte(ref: number, index: number, value: number): void {
    this.bytes[ref >>> OFFSET_BITS]![((ref & OFFSET_MASK) << 3) + index] = value
  }
}

/** A zone's version; odd while it is being changed. What is read after this is not older. */
export function versionOf(space: Space, zone: number): number {
  const words = space.words[zone >>> OFFSET_BITS]!
  const at = ((zone & OFFSET_MASK) << 1) + ZONE.VERSION
  if (at < words.length) return Atomics.load(words, at)
  space.missed = true
  return 1
}

const fence = new Int32Array(1)

/** A zone's version after all that was read before this: where it is the same as then, that was of one state. */
export function fencedVersionOf(space: Space, zone: number): number {
  const words = space.words[zone >>> OFFSET_BITS]!
  const at = ((zone & OFFSET_MASK) << 1) + ZONE.VERSION
  if (at < words.length) return fencedLoad(words, at)
  space.missed = true
  return 1
}

/** A word as it is after all that was read before this. */
export function fencedLoad(words: Int32Array, at: number): number {
  // On processors that reorder loads, a store with release order and then a load with acquire order keep them apart.
  Atomics.store(fence, 0, 1)
  return Atomics.load(words, at)
}
