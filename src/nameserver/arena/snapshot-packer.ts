import { WireError } from '../../dns/errors.ts'
import { SOA } from '../../zonedata/type-codes.ts'
import { NODE, OFFSET_BITS, OFFSET_MASK, RRSET } from './layout.ts'
import type { Snapshot } from './snapshot.ts'
import type { Space } from './space.ts'

const MOST = 65535
// All of a message within reach of compression pointers makes the smallest transfers.
const REACH = 0x4000
const HEADER = 12
const MOST_NAME = 255

/**
 * The messages of a transfer of a whole zone (RFC 5936), from memory to message octet by octet: the SOA, everything else, the
 * SOA again. `head` starts the first message, its header and question; the others have the header alone.
 */
export function* packSnapshot(snapshot: Snapshot, head: Uint8Array, room: number): Generator<Uint8Array> {
  const packer = new Packer(snapshot, head, room)
  while (!packer.fill()) yield packer.finish()
  yield packer.finish()
}

class Packer {
  readonly #space: Space
  readonly #refs: Int32Array
  readonly #soa: number
  readonly #head: Uint8Array
  readonly #most: number
  readonly #mostForOne: number
  readonly #apex: number
  // Which RRset is next, counted with the SOA before and after all others, and how much of it is written.
  #next = 0
  #written = 0
  #offset = 0
  #out = new Uint8Array(REACH + MOST_NAME)
  #at: number
  #count = 0
  #apexAt = 0
  #lastNode = 0
  #lastAt = 0
  readonly #parents = new Map<number, number>()

  constructor({ space, refs }: Snapshot, head: Uint8Array, room: number) {
    this.#space = space
    this.#refs = refs
    this.#soa = this.#findSoa()
    this.#head = head
    this.#most = REACH - room
    this.#mostForOne = MOST - room
    this.#apex = refs[0]!
    this.#out.set(head)
    this.#at = head.length
  }

  /** Writes records into the message at hand until it is full; whether there are no more. */
  fill(): boolean {
    const refs = this.#refs
    const last = refs.length / 2 + 1
    for (; this.#next <= last; this.#next++) {
      const isSoa = this.#next === 0 || this.#next === last
      const at = isSoa ? this.#soa : (this.#next - 1) * 2
      if (!isSoa && at === this.#soa) continue
      if (!this.#add(refs[at]!, refs[at + 1]!)) return false
    }
    return true
  }

  #findSoa(): number {
    const refs = this.#refs
    for (let i = 0; i < refs.length && refs[i] === refs[0]; i += 2) {
      const rrset = refs[i + 1]!
      const type = (this.#space.byte(rrset, RRSET.TYPE) << 8) | this.#space.byte(rrset, RRSET.TYPE + 1)
      if (type === SOA) return i
    }
    throw new WireError('a zone without SOA cannot be transferred')
  }

  /** Writes the records of an RRset that are not written yet; false where the message is full before that. */
  #add(node: number, rrset: number): boolean {
    const space = this.#space
    const bytes = space.bytes[rrset >>> OFFSET_BITS]!
    const ttl = space.word(rrset, RRSET.TTL)
    const type = ((rrset & OFFSET_MASK) << 3) + RRSET.TYPE
    const count = space.word(rrset, RRSET.COUNT)
    for (; this.#written < count; this.#written++) {
      const from = type + 2 + this.#offset
      const length = 2 + ((bytes[from]! << 8) | bytes[from + 1]!)
      if (!this.#write(node, ttl, bytes, type, from, length)) {
        if (this.#count === 0) throw new WireError(`a record of ${length - 2} octets does not fit into a message`)
        return false
      }
      this.#offset += length
    }
    this.#written = 0
    this.#offset = 0
    return true
  }

  finish(): Uint8Array {
    this.#out[6] = this.#count >>> 8
    this.#out[7] = this.#count
    const message = this.#out.slice(0, this.#at)
    this.#out.set(this.#head.subarray(0, HEADER))
    this.#out[4] = 0
    this.#out[5] = 0
    this.#at = HEADER
    this.#count = 0
    this.#apexAt = 0
    this.#lastNode = 0
    this.#parents.clear()
    return message
  }

  /** Writes one record, its length and data being `length` octets at `from`; false where the message is full. */
  #write(node: number, ttl: number, bytes: Uint8Array, type: number, from: number, length: number): boolean {
    const start = this.#at
    if (start + MOST_NAME + 8 > this.#out.length) this.#grow(start + MOST_NAME + 8)
    this.#owner(node)
    const end = this.#at + 8 + length
    if (end > (this.#count === 0 ? this.#mostForOne : this.#most)) {
      this.#at = start
      return false
    }
    if (end > this.#out.length) this.#grow(end)
    const out = this.#out
    let at = this.#at
    out[at] = bytes[type]!
    out[at + 1] = bytes[type + 1]!
    out[at + 2] = 0
    out[at + 3] = 1
    out[at + 4] = ttl >>> 24
    out[at + 5] = ttl >>> 16
    out[at + 6] = ttl >>> 8
    out[at + 7] = ttl
    at += 8
    if (length > 64) out.set(bytes.subarray(from, from + length), at)
    else for (let i = 0; i < length; i++) out[at + i] = bytes[from + i]!
    this.#at = at + length
    this.#count++
    return true
  }

  /** Writes the name of a node: labels up to the first name that stands in this message already. */
  #owner(node: number): void {
    const space = this.#space
    const start = this.#at
    if (node === this.#lastNode) {
      this.#pointer(this.#lastAt)
      return
    }
    for (let at = node; ; at = space.word(at, NODE.PARENT)) {
      const known = at === this.#apex ? this.#apexAt : (this.#parents.get(at) ?? 0)
      if (known !== 0) {
        this.#pointer(known)
        break
      }
      const length = space.byte(at, NODE.LABEL_LENGTH)
      if (at === this.#apex) {
        if (length > 1 && this.#at < REACH) this.#apexAt = this.#at
        this.#copy(at, length)
        break
      }
      if (this.#at < REACH && space.word(at, NODE.CHILDREN) > 0) this.#parents.set(at, this.#at)
      this.#out[this.#at++] = length
      this.#copy(at, length)
    }
    if (start < REACH && this.#at - start > 1) {
      this.#lastNode = node
      this.#lastAt = start
    }
  }

  #pointer(to: number): void {
    this.#out[this.#at++] = 0xc0 | (to >>> 8)
    this.#out[this.#at++] = to
  }

  #copy(node: number, length: number): void {
    const bytes = this.#space.bytes[node >>> OFFSET_BITS]!
    const from = ((node & OFFSET_MASK) << 3) + NODE.LABEL
    const out = this.#out
    for (let i = 0; i < length; i++) out[this.#at++] = bytes[from + i]!
  }

  #grow(size: number): void {
    const larger = new Uint8Array(Math.max(size, this.#out.length * 2))
    larger.set(this.#out)
    this.#out = larger
  }
}
