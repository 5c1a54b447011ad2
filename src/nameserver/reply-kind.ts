/** Kinds of replies that are limited apart. */
export const ERROR = 1
export const NXDOMAIN = 2
export const NODATA = 3
export const REFERRAL = 4
export const ANSWER = 5

/** What kind of reply starts at `start`. */
export function kindOf(reply: Uint8Array, start: number): number {
  const rcode = reply[start + 3]! & 0xf
  if (rcode === 3) return NXDOMAIN
  if (rcode !== 0) return ERROR
  if (reply[start + 6] !== 0 || reply[start + 7] !== 0) return ANSWER
  return (reply[start + 2]! & 4) !== 0 ? NODATA : REFERRAL
}

/** Where the owner of the first authority record stands in a reply without answers: the zone of a denial, the cut of a referral; 0 if nowhere. */
export function firstOwner(reply: Uint8Array, start: number, end: number, kind: number): number {
  if (kind === ERROR || reply[start + 5] !== 1) return 0
  if (reply[start + 6] !== 0 || reply[start + 7] !== 0) return 0
  if (reply[start + 8] === 0 && reply[start + 9] === 0) return 0
  return skipNameAt(reply, start + 12, end) + 4
}

/** Where the name at `at` ends. */
export function skipNameAt(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const length = bytes[at]!
    if (length >= 0xc0) return at + 2
    at += 1 + length
    if (length === 0) break
  }
  return at
}
