// Compression targets of the messages in the making, open addressing: a slot is taken when it has the message's stamp. One
// table serves all, so that a message costs no table; those made at the same time may miss a target, never find a wrong one.
const SLOTS = 0x4000
const MOST_PROBES = 32 // names chosen to collide cost a pointer, not time
const REACH = 0x4000
const stamps = new Float64Array(SLOTS)
const targets = new Int32Array(SLOTS)
const labelStarts = new Int32Array(128)
const suffixHashes = new Int32Array(128)
let lastStamp = 0

/** The names of one message that later names can point to. */
export class CompressionTargets {
  readonly #stamp = ++lastStamp

  /** Makes the longest tail it can of the plain name at `start` a pointer; returns where the name ends then. */
  compress(buffer: Uint8Array, start: number): number {
    let labels = 0
    let end = start
    for (; buffer[end] !== 0; end += 1 + buffer[end]!) labelStarts[labels++] = end
    let hash = 0x9dc5
    for (let i = labels - 1; i >= 0; i--) {
      const from = labelStarts[i]!
      for (let at = from, next = from + 1 + buffer[from]!; at < next; at++) {
        hash = Math.imul(hash ^ buffer[at]!, 0x01000193)
      }
      suffixHashes[i] = hash
    }
    for (let i = 0; i < labels; i++) {
      const at = labelStarts[i]!
      const found = this.#find(buffer, suffixHashes[i]!, at)
      if (found < 0) continue
      buffer[at] = 0xc0 | (found >> 8)
      buffer[at + 1] = found
      return at + 2
    }
    return end + 1
  }

  /** Forgets the names at `offset` and beyond. */
  forget(offset: number): void {
    // Names are found behind earlier ones alone, so that none of those that stay is lost.
    for (let slot = 0; slot < SLOTS; slot++) {
      if (stamps[slot] === this.#stamp && (targets[slot]! & 0x3fff) >= offset) stamps[slot] = 0
    }
  }

  /** The offset of an earlier name equal to the one at `at`, or -1 after noting this one as a target. */
  #find(buffer: Uint8Array, hash: number, at: number): number {
    const tag = (hash >>> 14) << 14
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    for (let probes = 0; stamps[slot] === this.#stamp; slot = (slot + 1) & (SLOTS - 1)) {
      if (++probes > MOST_PROBES) return -1
      const target = targets[slot]!
      if ((target ^ tag) >>> 14 === 0 && isSame(buffer, target & 0x3fff, at)) return target & 0x3fff
    }
    if (at < REACH) {
      stamps[slot] = this.#stamp
      targets[slot] = tag | at
    }
    return -1
  }
}

/** Whether the name at `target`, which may be compressed, is the plain one at `at`, letter case included. */
function isSame(buffer: Uint8Array, target: number, at: number): boolean {
  for (;;) {
    let length = buffer[target]!
    while (length >= 0xc0) {
      target = ((length & 0x3f) << 8) | buffer[target + 1]!
      length = buffer[target]!
    }
    for (const end = target + length; target <= end; ) if (buffer[target++] !== buffer[at++]) return false
    if (length === 0) return true
  }
}
