import { timingSafeEqual } from 'node:crypto'
import { RCODE } from './codes.ts'
import { WireError } from './errors.ts'
import { nameKey, sameName } from './name.ts'
import {
  appendTsig,
  beginDigest,
  macLength,
  splitTsig,
  type TsigKey,
  tsigAlgorithms,
  variables,
} from './tsig-digest.ts'
import type { Tsig } from './tsig-record.ts'
import { Reader, Writer } from './wire.ts'

export { type TsigAlgorithm, type TsigKey, tsigAlgorithms, tsigRoom } from './tsig-digest.ts'

/** A signed message and its MAC, which the answer to it is bound to. */
export type Signed = { readonly bytes: Uint8Array; readonly mac: Uint8Array }

/** What a check found. An unsigned message is for the caller to take or refuse. */
export type TsigCheck =
  | { readonly status: 'unsigned' }
  | { readonly status: 'good'; readonly key: TsigKey; readonly mac: Uint8Array }
  | TsigFailure

/** BADKEY, BADSIG, BADTIME or BADTRUNC, found by us in the message, or by the peer in ours and told in the message. */
export type TsigFailure = {
  readonly status: 'bad'
  readonly error: number
  readonly by: 'us' | 'peer'
  readonly tsig: Tsig
  readonly key?: TsigKey
}

/** The TSIG error whose number is BADVERS elsewhere. */
export const BADSIG = 16

const { BADKEY, BADTIME, BADTRUNC } = RCODE
const FUDGE = 300
const NOTHING = new Uint8Array(0)

/** Signs a request. */
export function signRequest(message: Uint8Array, key: TsigKey, now: Date): Signed {
  const tsig = freshTsig(message, key, now)
  return sign(message, tsig, beginDigest(key).update(message).update(variables(tsig)).digest(), key)
}

/** Signs the answer to a request with this MAC. */
export function signResponse(message: Uint8Array, key: TsigKey, requestMac: Uint8Array, now: Date): Signed {
  const tsig = freshTsig(message, key, now)
  return sign(message, tsig, beginDigest(key, requestMac).update(message).update(variables(tsig)).digest(), key)
}

/** Adds to a NOTAUTH answer the TSIG that tells why: unsigned for a bad key or MAC, else signed (RFC 8945 5.3.2). */
export function signFailure(message: Uint8Array, { tsig, error, key }: TsigFailure, now: Date): Uint8Array {
  const base = { ...tsig, mac: NOTHING, originalId: idOf(message), error, other: NOTHING }
  if (key === undefined || error === BADSIG) return appendTsig(message, base)
  // RFC 8945 5.2.3: BADTIME keeps the request's time, so that its sender can verify the answer, and tells ours beside it.
  const answer = error === BADTIME ? { ...base, other: time48(now) } : { ...base, time: secondsOf(now) }
  return sign(message, answer, beginDigest(key, tsig.mac).update(message).update(variables(answer)).digest(), key).bytes
}

/** Checks a request against the keys we hold, which are asked for by lower-cased name. */
export function verifyRequest(bytes: Uint8Array, findKey: (name: string) => TsigKey | undefined, now: Date): TsigCheck {
  const found = splitTsig(bytes)
  if (found === undefined) return { status: 'unsigned' }
  const { message, tsig } = found
  return check(tsig, findKey(nameKey(tsig.name)), now, (key) =>
    beginDigest(key).update(message).update(variables(tsig)).digest(),
  )
}

/** Checks the answer to a request of ours with this MAC. */
export function verifyResponse(bytes: Uint8Array, key: TsigKey, requestMac: Uint8Array, now: Date): TsigCheck {
  const found = splitTsig(bytes)
  if (found === undefined) return { status: 'unsigned' }
  const { message, tsig } = found
  return checkAnswer(tsig, key, now, () =>
    beginDigest(key, requestMac).update(message).update(variables(tsig)).digest(),
  )
}

/** Checks a TSIG that may tell of the peer's objection to our request. */
export function checkAnswer(tsig: Tsig, key: TsigKey, now: Date, digest: () => Uint8Array): TsigCheck {
  const objection: TsigFailure = { status: 'bad', error: tsig.error, by: 'peer', tsig }
  if (tsig.mac.length === 0 && (tsig.error === BADKEY || tsig.error === BADSIG)) return objection
  const result = check(tsig, key, now, digest)
  return result.status === 'good' && tsig.error !== 0 ? objection : result
}

/** Completes a TSIG with the MAC of a digest and puts it after the message. */
export function sign(message: Uint8Array, tsig: Tsig, digest: Uint8Array, key: TsigKey): Signed {
  const mac = new Uint8Array(digest.subarray(0, macLength(key)))
  return { bytes: appendTsig(message, { ...tsig, mac }), mac }
}

/** A TSIG, still without MAC, for a message about to be signed. */
export function freshTsig(message: Uint8Array, key: TsigKey, now: Date): Tsig {
  return {
    name: key.name,
    algorithm: tsigAlgorithms[key.algorithm].name,
    time: secondsOf(now),
    fudge: FUDGE,
    mac: NOTHING,
    originalId: idOf(message),
    error: 0,
    other: NOTHING,
  }
}

/** The checks of RFC 8945 5.2 in its order: key, MAC, time, truncation. */
function check(tsig: Tsig, held: TsigKey | undefined, now: Date, digest: (key: TsigKey) => Uint8Array): TsigCheck {
  const key = held !== undefined && isFor(held, tsig) ? held : undefined
  if (key === undefined) return { status: 'bad', error: BADKEY, by: 'us', tsig }
  const bad = (error: number): TsigFailure => ({ status: 'bad', error, by: 'us', tsig, key })
  const { octets, whole } = tsigAlgorithms[key.algorithm]
  const length = tsig.mac.length
  // RFC 8945 5.2.2.1: longer than the algorithm's MAC, or shorter than 10 octets or half the hash, is malformed.
  if (length > octets || length < Math.max(10, whole / 2)) {
    throw new WireError(`a MAC of ${key.algorithm} does not have ${length} octets`)
  }
  if (!timingSafeEqual(digest(key).subarray(0, length), tsig.mac)) return bad(BADSIG)
  if (Math.abs(secondsOf(now) - tsig.time) > tsig.fudge) return bad(BADTIME)
  if (length < macLength(key)) return bad(BADTRUNC)
  return { status: 'good', key, mac: tsig.mac }
}

function isFor(key: TsigKey, tsig: Tsig): boolean {
  return sameName(key.name, tsig.name) && sameName(tsigAlgorithms[key.algorithm].name, tsig.algorithm)
}

function idOf(message: Uint8Array): number {
  return new Reader(message).u16()
}

function secondsOf(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}

function time48(now: Date): Uint8Array {
  const writer = new Writer()
  writer.u48(secondsOf(now))
  return writer.finish()
}
