import { getRandomValues } from 'node:crypto'
import { ANSWER, firstOwner, kindOf, skipNameAt } from './reply-kind.ts'

/** How many replies a network gets; for each kind of reply and name apart. */
export type RateSettings = {
  /** Replies per second of one kind about one name: zone for denials, cut for referrals, the name itself for answers. */
  readonly perSecond: number
  /** Replies per second of all kinds together; 0 for no limit. */
  readonly allPerSecond: number
  /** For how many seconds a flood is held against the network after it ends, at most. */
  readonly window: number
  /** Every so many held-back replies is sent as a hint to use TCP; 0 for none. */
  readonly slip: number
  readonly ipv4Prefix: number
  readonly ipv6Prefix: number
  /** Networks that are never limited. */
  readonly exempt: readonly Network[]
}

/** An address of 4 or 16 octets and how many of its bits count. */
export type Network = { readonly address: Uint8Array; readonly prefix: number }

export const PASS = 0
export const DROP = 1
export const SLIP = 2

const SEED_WORDS = 4
const WORDS = 4
const WAYS = 4
const SETS = 16384
const [TAG, TIME, BALANCE, HELD] = [0, 1, 2, 3] as const
const COST = 1000
const LARGEST = 0x7fffffff

/**
 * Response rate limiting in fixed memory, shared by the threads. A bucket gains its rate and loses one with every reply; below
 * zero replies are held back. Threads may overwrite each other's counts now and then, which only blurs the rate a little.
 */
export class RateLimiter {
  readonly memory: SharedArrayBuffer
  readonly settings: RateSettings
  readonly #words: Int32Array
  #hash = 0
  #tag = 0

  constructor(settings: RateSettings, memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer((SEED_WORDS + SETS * WAYS * WORDS) * 4)
    this.settings = settings
    this.#words = new Int32Array(this.memory)
    // Whoever can foresee which names share a bucket can have others held back.
    if (memory === undefined) this.#words.set(getRandomValues(new Int32Array(SEED_WORDS)))
  }

  /** Whether the reply at start..end may go to the client whose address stands at `at`. Allocates nothing. */
  check(
    client: Uint8Array,
    at: number,
    length: number,
    reply: Uint8Array,
    start: number,
    end: number,
    now: number,
  ): number {
    if (this.#isExempt(client, at, length)) return PASS
    // What is cut already is no larger than its request.
    if ((reply[start + 2]! & 2) !== 0) return PASS
    const { perSecond, allPerSecond, ipv4Prefix, ipv6Prefix } = this.settings
    const time = (now % LARGEST) | 0
    this.#begin(length)
    this.#mixNetwork(client, at, length === 4 ? ipv4Prefix : ipv6Prefix)
    if (allPerSecond > 0) {
      const verdict = this.#spend(allPerSecond, time)
      if (verdict !== PASS) return verdict
    }
    this.#mixReply(reply, start, end)
    return this.#spend(perSecond, time)
  }

  #isExempt(client: Uint8Array, at: number, length: number): boolean {
    const { exempt } = this.settings
    for (let i = 0; i < exempt.length; i++) {
      const network = exempt[i]!
      if (network.address.length === length && isWithin(client, at, network)) return true
    }
    return false
  }

  #begin(length: number): void {
    this.#hash = this.#words[0]! ^ length
    this.#tag = this.#words[1]!
  }

  #mix(octet: number): void {
    this.#hash = Math.imul(this.#hash ^ octet, 0x01000193) ^ this.#words[2]!
    this.#tag = Math.imul((this.#tag << 5) ^ (this.#tag >>> 27) ^ octet, 0x85ebca6b) ^ this.#words[3]!
  }

  #mixNetwork(client: Uint8Array, at: number, prefix: number): void {
    const whole = prefix >> 3
    for (let i = 0; i < whole; i++) this.#mix(client[at + i]!)
    if ((prefix & 7) !== 0) this.#mix(client[at + whole]! & (0xff00 >> (prefix & 7)))
  }

  #mixReply(reply: Uint8Array, start: number, end: number): void {
    const kind = kindOf(reply, start)
    this.#mix(0x100 | kind)
    if (kind === ANSWER) {
      const type = this.#mixName(reply, start, start + 12, end)
      this.#mix(reply[type]!)
      this.#mix(reply[type + 1]!)
    } else {
      const owner = firstOwner(reply, start, end, kind)
      if (owner > 0) this.#mixName(reply, start, owner, end)
    }
  }

  /** Mixes a name in, letter case aside, and returns where it ends if it is not compressed. */
  #mixName(reply: Uint8Array, start: number, from: number, end: number): number {
    let at = from
    for (let octets = 0; at < end && octets < 256; octets++) {
      const length = reply[at]!
      if (length === 0) break
      if (length >= 0xc0) {
        at = start + (((length & 0x3f) << 8) | reply[at + 1]!)
        continue
      }
      for (const next = at + 1 + length; at < next; at++) {
        const octet = reply[at]!
        this.#mix(octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet)
      }
    }
    return at + 1
  }

  #spend(rate: number, time: number): number {
    const words = this.#words
    const bucket = this.#bucket(time, rate)
    const { window, slip } = this.settings
    const least = Math.max(-window * rate * COST, -LARGEST)
    const elapsed = (time - words[bucket + TIME]!) | 0
    // Threads read the clock at slightly different times; what lies far ahead is really long past.
    const gained = elapsed < -60_000 ? LARGEST : Math.max(elapsed, 0) * rate
    const credit = Math.min(words[bucket + BALANCE]! + gained, rate * COST, LARGEST)
    const balance = Math.max(credit - COST, least)
    words[bucket + TIME] = time
    words[bucket + BALANCE] = balance
    if (balance >= 0) return PASS
    const held = (words[bucket + HELD]! + 1) & LARGEST
    words[bucket + HELD] = held
    return slip > 0 && held % slip === 0 ? SLIP : DROP
  }

  /** The bucket of what was mixed, which takes the place of the one longest unused among its neighbours. */
  #bucket(time: number, rate: number): number {
    const words = this.#words
    const tag = this.#tag | 1
    const hash = Math.imul(this.#hash ^ (this.#hash >>> 15), 0x2c1b3c6d)
    const first = SEED_WORDS + ((hash ^ (hash >>> 13)) & (SETS - 1)) * WAYS * WORDS
    let oldest = first
    for (let bucket = first; bucket < first + WAYS * WORDS; bucket += WORDS) {
      if (words[bucket + TAG] === tag) return bucket
      if (((words[bucket + TIME]! - words[oldest + TIME]!) | 0) < 0) oldest = bucket
    }
    words[oldest + TAG] = tag
    words[oldest + TIME] = time
    words[oldest + BALANCE] = Math.min(rate * COST, LARGEST)
    words[oldest + HELD] = 0
    return oldest
  }
}

/** Cuts a reply to header, question and OPT with TC set, in place; returns where it ends then. */
export function truncateReply(bytes: Uint8Array, start: number, end: number): number {
  const count = (at: number) => (bytes[start + at]! << 8) | bytes[start + at + 1]!
  const records = count(6) + count(8) + count(10)
  let at = start + 12
  if (count(4) > 0) at = skipNameAt(bytes, at, end) + 4
  let cut = at
  let options = 0
  for (let i = 0; i < records && at < end; i++) {
    const owner = at
    at = skipNameAt(bytes, at, end)
    const type = (bytes[at]! << 8) | bytes[at + 1]!
    at += 10 + ((bytes[at + 8]! << 8) | bytes[at + 9]!)
    if (type !== 41) continue
    bytes.copyWithin(cut, owner, at)
    cut += at - owner
    options = 1
    break
  }
  bytes[start + 2]! |= 2
  bytes.fill(0, start + 6, start + 12)
  bytes[start + 11] = options
  return cut
}

function isWithin(client: Uint8Array, at: number, { address, prefix }: Network): boolean {
  const whole = prefix >> 3
  for (let i = 0; i < whole; i++) if (client[at + i] !== address[i]) return false
  return (prefix & 7) === 0 || ((client[at + whole]! ^ address[whole]!) & (0xff00 >> (prefix & 7)) & 0xff) === 0
}
