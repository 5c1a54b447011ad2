const HALF = 0x80000000

/** Adds to a serial, wrapping at 32 bits; RFC 1982 3.1 allows steps of 0..2^31-1. */
export function addSerial(serial: number, step: number): number {
  if (!Number.isInteger(step) || step < 0 || step >= HALF)
    throw new RangeError(`step must be 0..2147483647, not ${step}`)
  return (serial + step) >>> 0
}

/** Orders two serials (RFC 1982 3.2): -1, 0 or 1, and undefined for the pairs exactly half the circle apart, which have no order. */
export function compareSerials(a: number, b: number): -1 | 0 | 1 | undefined {
  const distance = (b - a) >>> 0
  if (distance === 0) return 0
  if (distance === HALF) return undefined
  return distance < HALF ? -1 : 1
}

/** Whether `a` comes after `b`, so that a secondary holding `b` should fetch `a`. */
export function isNewerSerial(a: number, b: number): boolean {
  return compareSerials(a, b) === 1
}
