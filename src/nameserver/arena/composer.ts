import { CNAME, MX, NS, PTR, SOA } from '../../zonedata/type-codes.ts'
import { OFFSET_BITS, OFFSET_MASK, RRSET } from './layout.ts'
import { FAILED_NAME, NameWriter } from './name-writer.ts'
import type { Space } from './space.ts'
import type { WireName } from './wire-name.ts'

/** An owner that stands nowhere in the message yet: it is the one given to `nameOwner`. */
export const UNWRITTEN = -1
/** The root as owner, which is shorter than a pointer. */
export const ROOT = -2

const HEADER = 12
const SOA_NUMBERS = 20
const MOST_OCTETS = 0xffff

/** Writes RRsets of the arena into a message. `failed` tells that something did not fit or was not what it should be. */
export class Composer {
  readonly #space: Space
  readonly #names = new NameWriter()
  #out: Uint8Array = new Uint8Array(0)
  #base = 0
  #end = 0
  at = 0
  failed = false
  /** The offset in the message at which the owner of the next records stands, or UNWRITTEN or ROOT. */
  owner = ROOT
  #ownerSource: Uint8Array = this.#out
  #ownerAt = 0
  #ownerEnd = 0
  /** The offset at which the first name in the rdata of the last RRset's first record stands. */
  target = ROOT
  records = 0

  constructor(space: Space) {
    this.#space = space
  }

  /** Begins after the question, which is copied; `room` octets are there for all but what follows. */
  begin(out: Uint8Array, base: number, room: number, name: WireName): void {
    this.#out = out
    this.#base = base
    this.#end = base + room
    this.failed = false
    this.#names.begin(out, base, name)
    const length = name.length + 4
    this.at = base + HEADER + length
    if (this.at > this.#end) {
      this.failed = true
      return
    }
    const { source } = name
    for (let i = 0; i < length; i++) out[base + HEADER + i] = source[name.at + i]!
  }

  /** Makes the name at a place in other octets the owner of what follows. */
  nameOwner(source: Uint8Array, at: number, end: number): void {
    this.owner = UNWRITTEN
    this.#ownerSource = source
    this.#ownerAt = at
    this.#ownerEnd = end
  }

  /** Makes the question's name from a label on the owner of what follows. */
  questionOwner(name: WireName, label: number): void {
    this.owner = label === name.labels ? ROOT : HEADER + name.starts[label]!
  }

  /** Writes an RRset; `type` is what it is known to be. Adds to `records`. */
  put(rrset: number, type: number, ttl: number): void {
    const bytes = this.#space.bytes[rrset >>> OFFSET_BITS]!
    const from = ((rrset & OFFSET_MASK) << 3) + RRSET.RECORDS
    const count = this.#space.word(rrset, RRSET.COUNT)
    if (this.owner >= 0 && !isCompressed(type)) this.#putPlain(bytes, from, count, type, ttl)
    else this.#putNamed(bytes, from, count, type, ttl)
  }

  /** The common case: the owner stands in the message already, and the rdata is copied as it is. */
  #putPlain(bytes: Uint8Array, from: number, count: number, type: number, ttl: number): void {
    const { owner } = this
    const out = this.#out
    const end = this.#end
    let at = this.at
    for (let i = 0; i < count; i++) {
      const length = from + 2 > bytes.length ? MOST_OCTETS : (bytes[from]! << 8) | bytes[from + 1]!
      const next = from + 2 + length
      if (at + 12 + length > end || next > bytes.length) {
        this.failed = true
        return
      }
      out[at] = 0xc0 | (owner >> 8)
      out[at + 1] = owner
      putFixed(out, at + 2, type, ttl)
      at += 10
      while (from < next) out[at++] = bytes[from++]!
    }
    this.at = at
    this.records += count
  }

  #putNamed(bytes: Uint8Array, from: number, count: number, type: number, ttl: number): void {
    const out = this.#out
    for (let i = 0; i < count; i++) {
      this.#putOwner()
      if (this.failed || this.at + 10 > this.#end || from + 2 > bytes.length) {
        this.failed = true
        return
      }
      putFixed(out, this.at, type, ttl)
      const at = this.at + 10
      const length = (bytes[from]! << 8) | bytes[from + 1]!
      from += 2
      this.at = at
      this.#putRdata(type, bytes, from, length)
      if (this.failed) return
      if (i === 0) this.target = this.#offsetOf(at)
      const written = this.at - at
      out[at - 2] = written >>> 8
      out[at - 1] = written
      from += length
      this.records++
    }
  }

  #putOwner(): void {
    const { owner } = this
    if (owner === UNWRITTEN) {
      const at = this.at
      this.at = this.#names.write(this.#ownerSource, this.#ownerAt, this.#ownerEnd, at, this.#end)
      if (this.at === FAILED_NAME) this.failed = true
      else this.owner = this.#offsetOf(at)
      return
    }
    const out = this.#out
    if (this.at + 2 > this.#end) {
      this.failed = true
    } else if (owner === ROOT) {
      out[this.at++] = 0
    } else {
      out[this.at++] = 0xc0 | (owner >> 8)
      out[this.at++] = owner
    }
  }

  #putRdata(type: number, bytes: Uint8Array, from: number, length: number): void {
    const end = from + length
    if (end > bytes.length) {
      this.failed = true
      return
    }
    switch (type) {
      case NS:
      case CNAME:
      case PTR:
        this.#putName(bytes, from, end)
        break
      case MX:
        if (length < 3) this.failed = true
        else {
          this.#copy(bytes, from, from + 2)
          this.#putName(bytes, from + 2, end)
        }
        break
      case SOA: {
        const second = this.#nameEnd(bytes, from, end)
        this.#putName(bytes, from, end)
        this.#putName(bytes, second, end)
        if (length < SOA_NUMBERS) this.failed = true
        else this.#copy(bytes, end - SOA_NUMBERS, end)
        break
      }
      default:
        this.#copy(bytes, from, end)
    }
  }

  #copy(bytes: Uint8Array, from: number, to: number): void {
    const at = this.at
    if (this.failed || at + to - from > this.#end) {
      this.failed = true
      return
    }
    const out = this.#out
    for (let i = from; i < to; i++) out[at + i - from] = bytes[i]!
    this.at = at + to - from
  }

  #putName(bytes: Uint8Array, from: number, end: number): void {
    if (this.failed) return
    const at = this.#names.write(bytes, from, end, this.at, this.#end)
    if (at === FAILED_NAME) this.failed = true
    else this.at = at
  }

  #nameEnd(bytes: Uint8Array, at: number, end: number): number {
    while (at < end && bytes[at] !== 0) at += 1 + bytes[at]!
    return at + 1
  }

  /** Where a name that was written at `at` can be pointed to. */
  #offsetOf(at: number): number {
    const first = this.#out[at]!
    if (first === 0) return ROOT
    return first >= 0xc0 ? ((first & 0x3f) << 8) | this.#out[at + 1]! : at - this.#base
  }
}

// Names are compressed in the types of RFC 1035 only (RFC 3597 4).
function isCompressed(type: number): boolean {
  return type === NS || type === CNAME || type === SOA || type === PTR || type === MX
}

function putFixed(out: Uint8Array, at: number, type: number, ttl: number): void {
  out[at] = type >>> 8
  out[at + 1] = type
  out[at + 2] = 0
  out[at + 3] = 1
  out[at + 4] = ttl >>> 24
  out[at + 5] = ttl >>> 16
  out[at + 6] = ttl >>> 8
  out[at + 7] = ttl
}
