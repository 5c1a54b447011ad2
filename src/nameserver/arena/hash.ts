/**
 * The hash of a lower-cased label under a secret key: who may create names must not be able to choose them so that they fall
 * into one place of the table. The rounds are HalfSipHash's, one for each four octets and one at the end, where that has three:
 * hashes are never seen from outside, and what follows scrambles them further.
 */
export function labelHash(key0: number, key1: number, bytes: Uint8Array, at: number, length: number): number {
  let v0 = key0
  let v1 = key1 ^ length
  let v2 = key0 ^ 0x6c796765
  let v3 = key1 ^ 0x74656462
  for (let left = length; ; left -= 4) {
    let word = 0
    if (left >= 4) {
      word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
      at += 4
    } else if (left > 0) {
      word = bytes[at]!
      if (left > 1) word |= bytes[at + 1]! << 8
      if (left > 2) word |= bytes[at + 2]! << 16
    } else {
      v2 ^= 0xff
    }
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
    if (left <= 0) return v1 ^ v3
  }
}

/** The hash of a name from that of its parent and that of its first label; the root has 0. */
export function nameHash(parent: number, label: number): number {
  return scramble(Math.imul(parent, 0x01000193) ^ label)
}

/** The hash of a node: its place in the table follows from its parent's reference and its label. */
export function nodeHash(parent: number, label: number): number {
  return scramble(Math.imul(parent, 0x9e3779b1) ^ label)
}

// The end of MurmurHash3: every bit comes to matter for every other.
function scramble(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
