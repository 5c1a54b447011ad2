import { timingSafeEqual } from 'node:crypto'
import { sipHash } from './siphash.ts'

// RFC 9018 4.3: a cookie is good for an hour, and for 5 minutes before its time; past half an hour a new one is made.
const OLDEST = 3600
const NEWEST = 300
const FRESH = 1800
const VERSION = 1
const LENGTH = 16

/** What a request's cookie is worth: `good` proves that the client has the address it says. */
export type CookieCheck = { readonly good: boolean; readonly server: Uint8Array }

/** Checks the server part of a cookie and gives the one to answer with, by the rules all servers share (RFC 9018 4). */
export function checkCookie(
  cookie: { readonly client: Uint8Array; readonly server?: Uint8Array },
  address: Uint8Array,
  secrets: readonly Uint8Array[],
  now: Date,
): CookieCheck {
  const time = Math.floor(now.getTime() / 1000)
  const { client, server } = cookie
  if (server?.length === LENGTH && server[0] === VERSION) {
    const made = new DataView(server.buffer, server.byteOffset).getUint32(4)
    const age = (time - made) | 0 // RFC 1982 arithmetic, as RFC 9018 4.3 asks
    const signed = secrets.findIndex((secret) =>
      timingSafeEqual(serverCookie(client, address, secret, made, server), server),
    )
    if (age <= OLDEST && age >= -NEWEST && signed >= 0) {
      const keep = age <= FRESH && signed === 0
      return { good: true, server: keep ? server : serverCookie(client, address, secrets[0]!, time) }
    }
  }
  return { good: false, server: serverCookie(client, address, secrets[0]!, time) }
}

function serverCookie(
  client: Uint8Array,
  address: Uint8Array,
  secret: Uint8Array,
  time: number,
  like?: Uint8Array,
): Uint8Array {
  const input = new Uint8Array(16 + address.length)
  input.set(client)
  input[8] = VERSION
  // RFC 9018 4.2: the reserved octets are zero when made, and signed as they are when checked.
  if (like) input.set(like.subarray(1, 4), 9)
  new DataView(input.buffer).setUint32(12, time)
  input.set(address, 16)
  const cookie = new Uint8Array(LENGTH)
  cookie.set(input.subarray(8, 16))
  sipHash(secret, input, 0, input.length, cookie, 8)
  return cookie
}
