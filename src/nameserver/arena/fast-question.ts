import { IN } from '../../zonedata/type-codes.ts'
import type { FastAnswer } from './fast-answer.ts'
import type { WireName } from './wire-name.ts'

export const OPT_OCTETS = 11

const HEADER = 12
const OPT = 41
const LEAST_UDP = 512
const RESPONSE = 0x80
const AUTHORITATIVE = 0x04

/** A question of the common kind: one, class IN, an ordinary type, with or without an OPT record that has no options. */
export class FastQuestion {
  readonly name: WireName
  type = 0
  hasEdns = false
  #udpSize = 0
  #dnssecOk = 0
  #query: Uint8Array = new Uint8Array(0)
  #start = 0

  constructor(name: WireName) {
    this.name = name
  }

  /** Reads a message; false where it is of another kind. */
  read(query: Uint8Array, start: number, length: number): boolean {
    const end = start + length
    if (length < HEADER + 5 || end > query.length) return false
    // One question, no answers, no authority, at most one additional record.
    if ((query[start + 2]! & 0xf8) !== 0 || query[start + 4] !== 0 || query[start + 5] !== 1) return false
    if ((query[start + 6]! | query[start + 7]! | query[start + 8]! | query[start + 9]! | query[start + 10]!) !== 0)
      return false
    const { name } = this
    if (!name.read(query, start + HEADER, end)) return false
    const at = start + HEADER + name.length
    const additional = query[start + 11]!
    if (additional > 1 || at + 4 + additional * OPT_OCTETS !== end) return false
    const type = (query[at]! << 8) | query[at + 1]!
    if (query[at + 2] !== 0 || query[at + 3] !== IN || !isOrdinary(type)) return false
    this.type = type
    this.hasEdns = additional === 1
    this.#query = query
    this.#start = start
    return additional === 0 || this.#readOpt(query, at + 4)
  }

  /** How many octets a datagram in reply may have (RFC 6891 6.2.5), of which the server is willing to send `limit`. */
  room(limit: number): number {
    return this.hasEdns ? Math.min(Math.max(this.#udpSize, LEAST_UDP), limit) : LEAST_UDP
  }

  /** Writes header and OPT record around an answer that ends at `end`; returns the length of the whole. */
  finish(answer: FastAnswer, out: Uint8Array, base: number, end: number, limit: number): number {
    const query = this.#query
    const start = this.#start
    out[base] = query[start]!
    out[base + 1] = query[start + 1]!
    out[base + 2] = RESPONSE | (answer.isAuthoritative ? AUTHORITATIVE : 0) | (query[start + 2]! & 1)
    out[base + 3] = answer.rcode
    out[base + 4] = 0
    out[base + 5] = 1
    out[base + 6] = answer.answers >>> 8
    out[base + 7] = answer.answers
    out[base + 8] = answer.authorities >>> 8
    out[base + 9] = answer.authorities
    const additionals = answer.additionals + (this.hasEdns ? 1 : 0)
    out[base + 10] = additionals >>> 8
    out[base + 11] = additionals
    if (!this.hasEdns) return end - base
    out[end] = 0
    out[end + 1] = 0
    out[end + 2] = OPT
    out[end + 3] = limit >>> 8
    out[end + 4] = limit
    out[end + 5] = 0
    out[end + 6] = 0
    out[end + 7] = this.#dnssecOk
    out[end + 8] = 0
    out[end + 9] = 0
    out[end + 10] = 0
    return end + OPT_OCTETS - base
  }

  #readOpt(query: Uint8Array, at: number): boolean {
    if ((query[at]! | query[at + 1]!) !== 0 || query[at + 2] !== OPT) return false
    // Version 0, no options.
    if ((query[at + 6]! | query[at + 9]! | query[at + 10]!) !== 0) return false
    this.#udpSize = (query[at + 3]! << 8) | query[at + 4]!
    this.#dnssecOk = query[at + 7]! & 0x80
    return true
  }
}

/** Whether a type is one that records have; OPT and the types of questions and transfers are not. */
function isOrdinary(type: number): boolean {
  return type !== OPT && (type < 128 || type > 255)
}
