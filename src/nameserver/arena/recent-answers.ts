import type { ArenaReader } from './reader.ts'

// Each set of two entries has a line of tags: the hashes of both, that of the last question not found, and which goes next.
const SETS = 1 << 14
const [ASKED, NEXT, TAGS] = [2, 3, 4] as const
const ENTRY = 256
const WORDS = ENTRY / 4
// Words of an entry, and where its octets start: those of the query and of the reply, both from behind the message's number.
const [ZONE, VERSION, ZONE_SET, LIMIT, LENGTHS] = [0, 1, 2, 3, 4] as const
const QUERY = 20
const REPLY = 92
const MOST_QUERY = REPLY - QUERY
const MOST_REPLY = ENTRY - REPLY
const NUMBER = 2

/**
 * Common answers of late, octet for octet, in memory of a fixed size. An answer is remembered with the version of its zone and
 * given again while the zone is still in that version and no zone has come since: it is then what the zone says now. Only what
 * is asked for the second time is remembered, so that floods of names that are asked once displace nothing.
 */
export class RecentAnswers {
  readonly #reader: ArenaReader
  readonly #tags = new Int32Array(SETS * TAGS)
  readonly #words = new Int32Array(SETS * 2 * WORDS)
  readonly #entries = new DataView(this.#words.buffer)
  #query: Uint8Array = new Uint8Array(0)
  #queryView = new DataView(this.#query.buffer)
  #out: Uint8Array = this.#query
  #outView = this.#queryView
  /** How many answers were given again. */
  hits = 0

  constructor(reader: ArenaReader) {
    this.#reader = reader
  }

  /** As `ArenaReader.answer`. */
  answer(query: Uint8Array, start: number, length: number, out: Uint8Array, outStart: number, limit: number): number {
    const reader = this.#reader
    const octets = length - NUMBER
    const { zoneSet } = reader
    const isShort = octets > 0 && octets <= MOST_QUERY && start + length <= query.length
    const hasRoom = outStart + NUMBER + MOST_REPLY <= out.length
    if (!isShort || !hasRoom || (zoneSet & 1) !== 0) return reader.answer(query, start, length, out, outStart, limit)
    if (query !== this.#query) {
      this.#query = query
      this.#queryView = new DataView(query.buffer, query.byteOffset, query.byteLength)
    }
    if (out !== this.#out) {
      this.#out = out
      this.#outView = new DataView(out.buffer, out.byteOffset, out.byteLength)
    }
    const hash = this.#hash(start + NUMBER, octets)
    const set = (hash ^ (hash >>> 15)) & (SETS - 1)
    const tags = this.#tags
    for (let way = 0; way < 2; way++) {
      if (tags[set * TAGS + way] !== hash) continue
      const entry = set * 2 + way
      if (!this.#isSame(entry * ENTRY + QUERY, start + NUMBER, octets)) continue
      if (!this.#isCurrent(entry * WORDS, zoneSet, limit, octets)) break
      this.hits++
      const reply = this.#words[entry * WORDS + LENGTHS]! >>> 8
      this.#give(entry * ENTRY + REPLY, outStart + NUMBER, reply)
      out[outStart] = query[start]!
      out[outStart + 1] = query[start + 1]!
      return reply + NUMBER
    }
    const written = reader.answer(query, start, length, out, outStart, limit)
    const reply = written - NUMBER
    if (reply <= 0 || reply > MOST_REPLY) return written
    if (tags[set * TAGS] === hash || tags[set * TAGS + 1] === hash || tags[set * TAGS + ASKED] === hash) {
      const entry = set * 2 + this.#place(set * TAGS, hash)
      this.#note(entry * WORDS, zoneSet, limit, (reply << 8) | octets)
      this.#take(entry * ENTRY, start + NUMBER, octets, outStart + NUMBER, reply)
    } else tags[set * TAGS + ASKED] = hash
    return written
  }

  /** Whether what an entry says, for queries of this length, is what its zone says now. */
  #isCurrent(entry: number, zoneSet: number, limit: number, octets: number): boolean {
    const words = this.#words
    return (
      words[entry + ZONE_SET] === zoneSet &&
      words[entry + LIMIT] === limit &&
      (words[entry + LENGTHS]! & 0xff) === octets &&
      this.#reader.isVersion(words[entry + ZONE]!, words[entry + VERSION]!)
    )
  }

  /** Which of a set's entries to use for a hash: the one that has it, else the other than last time. */
  #place(tags: number, hash: number): number {
    const all = this.#tags
    for (let way = 0; way < 2; way++) if (all[tags + way] === hash) return way
    const way = all[tags + NEXT]!
    all[tags + NEXT] = way ^ 1
    all[tags + way] = hash
    return way
  }

  #note(entry: number, zoneSet: number, limit: number, lengths: number): void {
    const words = this.#words
    words[entry + ZONE] = this.#reader.zone
    words[entry + VERSION] = this.#reader.version
    words[entry + ZONE_SET] = zoneSet
    words[entry + LIMIT] = limit
    words[entry + LENGTHS] = lengths
  }

  #hash(at: number, octets: number): number {
    const view = this.#queryView
    let hash = octets
    let i = 0
    for (; i + 4 <= octets; i += 4) {
      hash = Math.imul(hash ^ view.getInt32(at + i, true), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    for (; i < octets; i++) hash = Math.imul(hash ^ view.getUint8(at + i), 0x85ebca6b)
    return hash ^ (hash >>> 13)
  }

  #isSame(there: number, at: number, octets: number): boolean {
    const entries = this.#entries
    const view = this.#queryView
    let i = 0
    for (; i + 4 <= octets; i += 4) if (entries.getInt32(there + i, true) !== view.getInt32(at + i, true)) return false
    for (; i < octets; i++) if (entries.getUint8(there + i) !== view.getUint8(at + i)) return false
    return true
  }

  #give(from: number, to: number, octets: number): void {
    const entries = this.#entries
    const view = this.#outView
    let i = 0
    for (; i + 4 <= octets; i += 4) view.setInt32(to + i, entries.getInt32(from + i, true), true)
    for (; i < octets; i++) view.setUint8(to + i, entries.getUint8(from + i))
  }

  #take(entry: number, query: number, queryOctets: number, reply: number, replyOctets: number): void {
    const entries = this.#entries
    for (let i = 0; i < queryOctets; i++) entries.setUint8(entry + QUERY + i, this.#queryView.getUint8(query + i))
    for (let i = 0; i < replyOctets; i++) entries.setUint8(entry + REPLY + i, this.#outView.getUint8(reply + i))
  }
}
