import { WireError } from './errors.ts'
import { headerBits, type Message, writeRecord } from './message.ts'
import type { ResourceRecord } from './record.ts'
import { Writer } from './wire.ts'

const MOST = 65535
// All of a message within reach of compression pointers makes the smallest transfers.
const PACKED = 0x4000

/** A message with the two octets of length that go before it on a stream (RFC 1035 4.2.2). */
export function frame(message: Uint8Array): Uint8Array {
  if (message.length > MOST) throw new WireError(`a message has at most ${MOST} octets, not ${message.length}`)
  const out = new Uint8Array(2 + message.length)
  out[0] = message.length >>> 8
  out[1] = message.length
  out.set(message, 2)
  return out
}

/** Takes messages out of a stream as its chunks arrive. It holds at most one unfinished message, and room only for octets that came. */
export class FrameDecoder {
  #lengthOctets = 0
  #length = 0
  #held = new Uint8Array(0)
  #used = 0

  /** Whether the stream may end here: no message has begun. */
  get idle(): boolean {
    return this.#lengthOctets === 0
  }

  /** The messages that end in this chunk, as views of it where they lie in it whole. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
    let at = 0
    while (at < chunk.length) {
      if (this.#lengthOctets < 2) {
        this.#length = (this.#length << 8) | chunk[at++]!
        this.#lengthOctets++
        if (this.#lengthOctets < 2 || this.#length > 0) continue
      }
      const take = Math.min(this.#length - this.#used, chunk.length - at)
      const part = new Uint8Array(chunk.buffer, chunk.byteOffset + at, take)
      at += take
      if (take === this.#length) {
        this.#reset()
        yield part
        continue
      }
      this.#hold(part)
      if (this.#used < this.#length) return
      const message = this.#held.subarray(0, this.#used)
      this.#reset()
      yield message
    }
  }

  #hold(part: Uint8Array): void {
    const needed = this.#used + part.length
    if (needed > this.#held.length) {
      const larger = new Uint8Array(Math.min(this.#length, Math.max(needed, this.#held.length * 2)))
      larger.set(this.#held.subarray(0, this.#used))
      this.#held = larger
    }
    this.#held.set(part, this.#used)
    this.#used = needed
  }

  #reset(): void {
    this.#lengthOctets = 0
    this.#length = 0
    this.#used = 0
    this.#held = new Uint8Array(0)
  }
}

/** The header and question of every message of a transfer; the question stands in the first only (RFC 5936 2.2.1). */
export type TransferHeader = Pick<Message, 'id' | 'opcode' | 'rcode' | 'flags' | 'question'>

/** Packs the records of a transfer into messages, in order. `room` octets are left free in each, for its TSIG. */
export class MessagePacker {
  readonly #header: TransferHeader
  readonly #most: number
  readonly #mostForOne: number
  #writer: Writer
  #count = 0

  constructor(header: TransferHeader, { limit = PACKED, room = 0 }: { limit?: number; room?: number } = {}) {
    this.#header = header
    this.#most = Math.min(limit, MOST) - room
    this.#mostForOne = MOST - room
    this.#writer = this.#begin(header.question)
  }

  /** Adds a record; returns the message before it when that is full. */
  add(record: ResourceRecord): Uint8Array | undefined {
    const before = this.#writer.offset
    writeRecord(this.#writer, record)
    if (this.#writer.offset <= (this.#count === 0 ? this.#mostForOne : this.#most)) {
      this.#count++
      return undefined
    }
    if (this.#count === 0) throw new WireError(`a record of ${record.rdata.length} octets does not fit into a message`)
    this.#writer.rewind(before)
    const full = this.finish()
    this.add(record)
    return full
  }

  /** The message in the making, which may be without records. */
  finish(): Uint8Array {
    this.#writer.patchU16(6, this.#count)
    const message = this.#writer.finish()
    this.#writer = this.#begin([])
    this.#count = 0
    return message
  }

  #begin(question: Message['question']): Writer {
    const writer = new Writer(PACKED, 4 * MOST)
    writer.u16(this.#header.id)
    writer.u16(headerBits(this.#header))
    writer.u16(question.length)
    writer.u32(0)
    writer.u16(0)
    for (const { name, type, class: klass } of question) {
      writer.name(name)
      writer.u16(type)
      writer.u16(klass)
    }
    return writer
  }
}

/** The messages of a transfer of these records. */
export function* packRecords(
  header: TransferHeader,
  records: Iterable<ResourceRecord>,
  options: { limit?: number; room?: number } = {},
): Generator<Uint8Array, void, undefined> {
  const packer = new MessagePacker(header, options)
  for (const record of records) {
    const full = packer.add(record)
    if (full !== undefined) yield full
  }
  yield packer.finish()
}
