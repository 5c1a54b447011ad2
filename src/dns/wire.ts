import { CompressionTargets } from './compression.ts'
import { WireError } from './errors.ts'
import { appendName, MOST_JUMPS, octetsToText, plainText, plainTextEnd } from './name.ts'
import { IN_HEAP, pooled } from './pooled.ts'

const NAME_LIMIT = 255
const NO_JUMPS = 0
const NOTHING = -1

// Where the readers at work have found which names: most names of a message are pointers to a name read before.
const KNOWN = 256
const knownBy = new Float64Array(KNOWN)
const knownAt = new Int32Array(KNOWN)
const knownNames: string[] = new Array(KNOWN).fill('')
let lastReader = 0

/** Reads a message or rdata from front to back; every read is checked against `end`. */
export class Reader {
  offset: number
  readonly end: number
  readonly #bytes: Uint8Array
  readonly #stamp = ++lastReader

  constructor(bytes: Uint8Array, offset = 0, end = bytes.length) {
    this.#bytes = bytes
    this.offset = offset
    this.end = Math.min(end, bytes.length)
  }

  get remaining(): number {
    return this.end - this.offset
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!
  }

  u16(): number {
    const at = this.#take(2)
    return (this.#bytes[at]! << 8) | this.#bytes[at + 1]!
  }

  u32(): number {
    const at = this.#take(4)
    const bytes = this.#bytes
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  }

  u48(): number {
    return this.u16() * 0x100000000 + this.u32()
  }

  /** A view, not a copy: it keeps the whole message alive. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length)
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length)
  }

  /** A reader of the next `length` octets, whose pointers may lead anywhere before; this one goes on after them. */
  within(length: number): Reader {
    const at = this.#take(length)
    return new Reader(this.#bytes, at, at + length)
  }

  skip(length: number): void {
    this.#take(length)
  }

  /** A copy, which may share memory with other short-lived octets. */
  copy(length: number): Uint8Array {
    const at = this.#take(length)
    const out = pooled(length)
    this.copyInto(at, at + length, out, 0)
    return out
  }

  /** Puts the next octets into `out`, at `at`; returns how many they are. */
  into(out: Uint8Array, at: number, length: number): number {
    const from = this.#take(length)
    this.copyInto(from, from + length, out, at)
    return length
  }

  /** Puts the octets between two offsets into `out`, at `at`. */
  copyInto(from: number, to: number, out: Uint8Array, at: number): void {
    const bytes = this.#bytes
    if (to - from > 64) out.set(bytes.subarray(from, to), at)
    else while (from < to) out[at++] = bytes[from++]!
  }

  /** A name that may end in a pointer to earlier in the message (RFC 1035 4.1.4). */
  name(): string {
    const at = this.offset
    const first = at < this.end ? this.#bytes[at]! : NOTHING
    if (first === 0) {
      this.offset = at + 1
      return '.'
    }
    const pointer = first >= 0xc0 && at + 1 < this.end
    const start = pointer ? ((first & 0x3f) << 8) | this.#bytes[at + 1]! : at
    const slot = start & (KNOWN - 1)
    if (pointer && start < at && knownBy[slot] === this.#stamp && knownAt[slot] === start) {
      this.offset = at + 2
      return knownNames[slot]!
    }
    const name = this.#plainText(true) ?? octetsToText(scratch, this.nameInto(scratch, 0) - 1)
    knownBy[slot] = this.#stamp
    knownAt[slot] = start
    knownNames[slot] = name
    return name
  }

  /** A name where compression is not allowed. */
  plainName(): string {
    return this.#plainText(false) ?? octetsToText(scratch, this.#nameInto(scratch, 0, NO_JUMPS) - 1)
  }

  #plainText(mayJump: boolean): string | undefined {
    const text = plainText(this.#bytes, this.offset, this.end, mayJump)
    if (text !== undefined) this.offset = plainTextEnd
    return text
  }

  /** Puts the octets of a name, any pointer followed, into `out`, which has 255 free at `at`; returns how many they are. */
  nameInto(out: Uint8Array, at: number): number {
    return this.#nameInto(out, at, MOST_JUMPS)
  }

  skipName(): void {
    const bytes = this.#bytes
    const limit = this.offset + NAME_LIMIT
    for (;;) {
      const length = this.u8()
      if (length === 0) break
      if (length >= 0xc0) {
        if ((((length & 0x3f) << 8) | this.u8()) >= bytes.length)
          throw new WireError('a compression pointer leads out of the message')
        break
      }
      if (length > 63) throw new WireError(`label type ${length >> 6} is not defined`)
      this.#take(length)
      if (this.offset >= limit) throw new WireError('a name is longer than 255 octets')
    }
  }

  #nameInto(out: Uint8Array, start: number, jumps: number): number {
    const bytes = this.#bytes
    let at = this.offset
    let end = this.end
    // RFC 1035 4.1.4 says "prior occurrence": each jump must land before everything read so far, so there is no loop.
    let lowest = at
    let after = -1
    let used = start
    for (;;) {
      if (at >= end) throw new WireError('a name is cut short')
      const length = bytes[at]!
      if (length === 0) break
      if (length < 64) {
        const next = at + 1 + length
        if (next > end) throw new WireError('a name is cut short')
        if (used - start + length + 2 > NAME_LIMIT) throw new WireError('a name is longer than 255 octets')
        for (; at < next; at++) out[used++] = bytes[at]!
        continue
      }
      if (length < 0xc0) throw new WireError(`label type ${length >> 6} is not defined`)
      if (jumps-- === NO_JUMPS) throw new WireError('a name is compressed where it must not be, or too often')
      if (at + 2 > end) throw new WireError('a name is cut short')
      const target = ((length & 0x3f) << 8) | bytes[at + 1]!
      if (target >= lowest) throw new WireError('a compression pointer does not lead backwards')
      if (after < 0) {
        after = at + 2
        end = bytes.length
      }
      at = lowest = target
    }
    out[used++] = 0
    this.offset = after < 0 ? at + 1 : after
    return used - start
  }

  #take(length: number): number {
    const at = this.offset
    const next = at + length
    if (next > this.end) throw new WireError(`${length} octets are missing at offset ${at}`)
    this.offset = next
    return at
  }
}

const scratch = new Uint8Array(NAME_LIMIT)

let spare: Uint8Array | undefined

/** Builds a message or rdata; what it writes beyond `limit` is a WireError. `finish` ends its use. */
export class Writer {
  offset = 0
  #buffer: Uint8Array
  #capacity: number
  readonly #limit: number
  readonly #targets = new CompressionTargets()
  #lastName: string | undefined
  #lastNameAt = -1

  constructor(capacity = 512, limit = 65535) {
    this.#limit = limit
    if (spare !== undefined && spare.length >= capacity) {
      this.#buffer = spare
      spare = undefined
    } else {
      this.#buffer = new Uint8Array(Math.max(capacity, 2048))
    }
    this.#capacity = Math.min(this.#buffer.length, limit)
  }

  u8(n: number): void {
    this.#buffer[this.#take(1)] = n
  }

  u16(n: number): void {
    const at = this.#take(2)
    this.#buffer[at] = n >>> 8
    this.#buffer[at + 1] = n
  }

  u32(n: number): void {
    const at = this.#take(4)
    this.#buffer[at] = n >>> 24
    this.#buffer[at + 1] = n >>> 16
    this.#buffer[at + 2] = n >>> 8
    this.#buffer[at + 3] = n
  }

  u48(n: number): void {
    this.u16(Math.floor(n / 0x100000000))
    this.u32(n % 0x100000000)
  }

  bytes(bytes: Uint8Array): void {
    const length = bytes.length
    const at = this.#take(length)
    const buffer = this.#buffer
    if (length > 64) buffer.set(bytes, at)
    else for (let i = 0; i < length; i++) buffer[at + i] = bytes[i]!
  }

  /** Writes a name whose tail, where the same octets stand already, becomes a pointer. */
  name(name: string): void {
    const start = this.offset
    if (name === this.#lastName) {
      this.u16(0xc000 | this.#lastNameAt)
      return
    }
    this.plainName(name)
    this.offset = this.#targets.compress(this.#buffer, start)
    const first = this.#buffer[start]!
    if (first === 0 || start >= 0x4000) return
    this.#lastName = name
    this.#lastNameAt = first < 0xc0 ? start : ((first & 0x3f) << 8) | this.#buffer[start + 1]!
  }

  plainName(name: string): void {
    this.#makeRoom(NAME_LIMIT)
    const length = appendName(name, this.#buffer, this.offset)
    const next = this.offset + length
    if (next > this.#limit) throw tooLong(this.#limit)
    this.offset = next
  }

  /** Writes what a reader has read between two offsets. */
  bytesFrom(reader: Reader, from: number, to: number): void {
    const at = this.#take(to - from)
    reader.copyInto(from, to, this.#buffer, at)
  }

  /** Writes some of the octets, and returns where they end. */
  part(octets: Uint8Array, from: number, to: number): number {
    if (to > octets.length) throw new WireError(`${to - octets.length} octets are missing`)
    let at = this.#take(to - from)
    const buffer = this.#buffer
    while (from < to) buffer[at++] = octets[from++]!
    return to
  }

  /** Writes the plain name that octets have at `at`, as `name` does; returns where it ends there. */
  nameOf(octets: Uint8Array, at: number): number {
    this.#makeRoom(NAME_LIMIT)
    const start = this.offset
    const buffer = this.#buffer
    let used = start
    for (;;) {
      const length = octets[at]
      if (length === undefined || at + length >= octets.length) throw new WireError('a name is cut short')
      if (length > 63) throw new WireError('a name is compressed where it must not be')
      if (used - start + 1 + length >= NAME_LIMIT && length !== 0)
        throw new WireError('a name is longer than 255 octets')
      for (const next = at + length; at <= next; ) buffer[used++] = octets[at++]!
      if (length === 0) break
    }
    if (used > this.#limit) throw tooLong(this.#limit)
    this.offset = this.#targets.compress(buffer, start)
    return at
  }

  /** Writes the name that a reader is at, as `plainName` does. */
  plainNameFrom(reader: Reader): void {
    this.#makeRoom(NAME_LIMIT)
    const next = this.offset + reader.nameInto(this.#buffer, this.offset)
    if (next > this.#limit) throw tooLong(this.#limit)
    this.offset = next
  }

  patchU16(at: number, n: number): void {
    if (at < 0 || at + 2 > this.offset) throw new RangeError(`${at} is not within the ${this.offset} octets written`)
    this.#buffer[at] = n >>> 8
    this.#buffer[at + 1] = n
  }

  /** Takes back everything from `to` on, and the compression targets there. */
  rewind(to: number): void {
    if (to < 0 || to > this.offset) throw new RangeError(`${to} is not within the ${this.offset} octets written`)
    this.offset = to
    this.#targets.forget(to)
    if (this.#lastNameAt >= to) {
      this.#lastName = undefined
      this.#lastNameAt = -1
    }
  }

  finish(): Uint8Array {
    return this.#end(this.#buffer.slice(0, this.offset))
  }

  /** As `finish`, in memory shared with other messages: for what is sent and forgotten. */
  finishPooled(): Uint8Array {
    if (this.offset <= IN_HEAP) return this.finish()
    const out = pooled(this.offset)
    out.set(this.#buffer.subarray(0, this.offset))
    return this.#end(out)
  }

  #end(out: Uint8Array): Uint8Array {
    if (this.#capacity > 0) spare = this.#buffer
    this.#capacity = 0
    this.#buffer = out
    return out
  }

  #take(length: number): number {
    const at = this.offset
    if (at + length > this.#capacity) this.#grow(at + length)
    this.offset = at + length
    return at
  }

  /** Makes room for up to `length` octets without asking that they be within the limit. */
  #makeRoom(length: number): void {
    if (this.offset + length > this.#buffer.length) this.#resize(this.offset + length)
  }

  #grow(needed: number): void {
    if (needed > this.#limit) throw tooLong(this.#limit)
    this.#resize(needed)
  }

  #resize(needed: number): void {
    if (this.#capacity === 0 && this.#limit > 0) throw new Error('the writer is finished')
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2))
      larger.set(this.#buffer.subarray(0, this.offset))
      this.#buffer = larger
    }
    this.#capacity = Math.min(this.#buffer.length, this.#limit)
  }
}

function tooLong(limit: number): WireError {
  return new WireError(`more than ${limit} octets`)
}
