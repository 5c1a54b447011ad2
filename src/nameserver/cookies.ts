import { sipHash } from './siphash.ts'

// RFC 9018 4.3: a cookie is good for an hour, and for 5 minutes before its time; past half an hour a new one is made.
const OLDEST = 3600
const NEWEST = 300
const FRESH = 1800
const VERSION = 1
const LENGTH = 16
const HASH = 8

/** What a request's cookie is worth: `good` proves that the client has the address it says. */
export type CookieCheck = { readonly good: boolean; readonly server: Uint8Array }

/** Checks the server part of a cookie and gives the one to answer with, by the rules all servers share (RFC 9018 4). */
export function checkCookie(
  cookie: { readonly client: Uint8Array; readonly server?: Uint8Array },
  address: Uint8Array,
  secrets: readonly Uint8Array[],
  now: number,
): CookieCheck {
  const time = Math.floor(now / 1000)
  const { client, server } = cookie
  if (server?.length === LENGTH && server[0] === VERSION) {
    const made = ((server[4]! << 24) | (server[5]! << 16) | (server[6]! << 8) | server[7]!) >>> 0
    const age = (time - made) | 0 // RFC 1982 arithmetic, as RFC 9018 4.3 asks
    const by = age <= OLDEST && age >= -NEWEST ? signedBy(server, client, address, secrets) : -1
    if (by === 0 && age <= FRESH) return { good: true, server }
    if (by >= 0) return { good: true, server: serverCookie(client, address, secrets[0]!, time) }
  }
  return { good: false, server: serverCookie(client, address, secrets[0]!, time) }
}

const input = new Uint8Array(16 + 16)
const expected = new Uint8Array(HASH)

function serverCookie(client: Uint8Array, address: Uint8Array, secret: Uint8Array, time: number): Uint8Array {
  const cookie = new Uint8Array(LENGTH)
  cookie[0] = VERSION
  for (let i = 0; i < 4; i++) cookie[4 + i] = time >>> (24 - 8 * i)
  sign(cookie, client, address, secret, cookie, HASH)
  return cookie
}

/** Which of the secrets has signed a server cookie; -1 for none. */
function signedBy(server: Uint8Array, client: Uint8Array, address: Uint8Array, secrets: readonly Uint8Array[]): number {
  for (let i = 0; i < secrets.length; i++) {
    sign(server, client, address, secrets[i]!, expected, 0)
    // As long for any difference, so that time tells nothing.
    let different = 0
    for (let at = 0; at < HASH; at++) different |= expected[at]! ^ server[HASH + at]!
    if (different === 0) return i
  }
  return -1
}

/** Puts the hash over client part, first half of the server part (its reserved octets as they are) and address into `out`. */
function sign(
  server: Uint8Array,
  client: Uint8Array,
  address: Uint8Array,
  secret: Uint8Array,
  out: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < 8; i++) {
    input[i] = client[i]!
    input[8 + i] = server[i]!
  }
  for (let i = 0; i < address.length; i++) input[16 + i] = address[i]!
  sipHash(secret, input, 0, 16 + address.length, out, at)
}
