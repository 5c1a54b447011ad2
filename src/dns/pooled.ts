/** V8 has arrays of up to so many octets in its own heap; memory of its own for each larger one is slow to get. */
export const IN_HEAP = 64
const POOL = 0x8000
let pool = new ArrayBuffer(POOL)
let poolUsed = 0

/** A copy of the first octets, which may share memory with other short-lived ones. */
export function pooledCopy(octets: Uint8Array, length: number): Uint8Array {
  const out = pooled(length)
  for (let i = 0; i < length; i++) out[i] = octets[i]!
  return out
}

/** Room for octets that may share memory with others. */
export function pooled(length: number): Uint8Array {
  if (length <= IN_HEAP || length > POOL / 8) return new Uint8Array(length)
  if (poolUsed + length > POOL) {
    pool = new ArrayBuffer(POOL)
    poolUsed = 0
  }
  poolUsed += length
  return new Uint8Array(pool, poolUsed - length, length)
}
