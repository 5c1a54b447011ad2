import { checkCookie } from './cookies.ts'
import { truncateReply } from './rate-limit.ts'
import { skipNameAt } from './reply-kind.ts'
import type { FastPath } from './udp-loop.ts'

const OPT = 41
const OPT_HEADER = 11
const COOKIE = 10
const OPTION_HEADER = 4
const CLIENT = 8
/** How many octets our cookie option takes: header, client part, server part. */
const OPTION = OPTION_HEADER + CLIENT + 16
const LEAST_UDP = 512
const AA_AND_TC = 0x06

/**
 * Where the OPT record of a plain query starts that has a cookie as its only option; 0 for all others. Most resolvers send
 * such queries, so they should not cost more than those without.
 */
export function cookieOnly(query: Uint8Array, start: number, length: number): number {
  // One question, no answer or authority, one additional record.
  for (let at = 4; at < 12; at++) if (query[start + at] !== (at === 5 || at === 11 ? 1 : 0)) return 0
  const end = start + length
  const at = skipNameAt(query, start + 12, end) + 4
  if (at + OPT_HEADER + OPTION_HEADER > end) return 0
  const option = at + OPT_HEADER
  const data = end - option - OPTION_HEADER
  if (data !== CLIENT && (data < 2 * CLIENT || data > 5 * CLIENT)) return 0
  const fits =
    query[at] === 0 &&
    u16(query, at + 1) === OPT &&
    u16(query, at + 9) === end - option &&
    u16(query, option) === COOKIE &&
    u16(query, option + 2) === data
  return fits ? at : 0
}

/**
 * Answers a query by the fast path as if it had no cookie, and adds ours to the reply, which then is that of the general path;
 * 0 or less where it cannot. `isGood` tells of the last query answered whether its cookie was.
 */
export class FastCookies {
  isGood = false
  readonly #fast: FastPath
  readonly #secrets: readonly Uint8Array[]

  constructor(fast: FastPath, secrets: readonly Uint8Array[]) {
    this.#fast = fast
    this.#secrets = secrets
  }

  answer(
    query: Uint8Array,
    start: number,
    length: number,
    { address, now }: { readonly address: Uint8Array; readonly now: number },
    out: Uint8Array,
    outStart: number,
    limit: number,
  ): number {
    const opt = this.#secrets.length === 0 ? 0 : cookieOnly(query, start, length)
    if (opt === 0) return 0
    const options = length - (opt - start) - OPT_HEADER
    query[opt + 9] = 0
    query[opt + 10] = 0
    const written = this.#fast.answer(query, start, opt - start + OPT_HEADER, out, outStart, limit)
    query[opt + 9] = options >> 8
    query[opt + 10] = options
    const room = Math.min(limit, Math.max(u16(query, opt + 3), LEAST_UDP))
    if (written <= 0 || written + OPTION > room || !endsInPlainOpt(out, outStart + written)) return 0
    const client = opt + OPT_HEADER + OPTION_HEADER
    const end = start + length
    const cookie = { client: query.subarray(client, client + CLIENT), server: query.subarray(client + CLIENT, end) }
    const { good, server } = checkCookie(cookie, address, this.#secrets, now)
    this.isGood = good
    this.#append(out, outStart + written, cookie.client, server)
    return written + OPTION
  }

  /** Puts the option behind the OPT record that ends a reply. */
  #append(out: Uint8Array, end: number, client: Uint8Array, server: Uint8Array): void {
    out[end - 1] = OPTION
    out[end] = 0
    out[end + 1] = COOKIE
    out[end + 2] = 0
    out[end + 3] = OPTION - OPTION_HEADER
    out.set(client, end + OPTION_HEADER)
    out.set(server, end + OPTION_HEADER + CLIENT)
  }
}

/** Makes a reply that ends in our cookie BADCOOKIE without data, in place; returns where it ends then. */
export function refuseCookie(bytes: Uint8Array, start: number, end: number): number {
  const cut = truncateReply(bytes, start, end)
  bytes[start + 2]! &= ~AA_AND_TC
  // 23, of which the OPT record has the upper part.
  bytes[start + 3] = (bytes[start + 3]! & 0xf0) | 7
  bytes[skipNameAt(bytes, start + 12, cut) + 4 + 5] = 1
  return cut
}

/** Whether the last record of a reply is OPT without options. */
function endsInPlainOpt(out: Uint8Array, end: number): boolean {
  const at = end - OPT_HEADER
  return out[at] === 0 && u16(out, at + 1) === OPT && u16(out, at + 9) === 0
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}
