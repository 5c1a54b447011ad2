// Words of 64 bits are kept as pairs of 32, the lower first: BigInt would allocate.
const state = new Int32Array(8)
const tail = new Uint8Array(8)

/**
 * SipHash-2-4 of `length` octets at `from` under a key of 16; the 8 octets of the hash are put into `out` at `at`, least
 * significant first.
 */
export function sipHash(
  key: Uint8Array,
  data: Uint8Array,
  from: number,
  length: number,
  out: Uint8Array,
  at: number,
): void {
  state[0] = word(key, 0) ^ 0x70736575
  state[1] = word(key, 4) ^ 0x736f6d65
  state[2] = word(key, 8) ^ 0x6e646f6d
  state[3] = word(key, 12) ^ 0x646f7261
  state[4] = word(key, 0) ^ 0x6e657261
  state[5] = word(key, 4) ^ 0x6c796765
  state[6] = word(key, 8) ^ 0x79746573
  state[7] = word(key, 12) ^ 0x74656462
  const whole = length & ~7
  for (let i = 0; i < whole; i += 8) absorb(word(data, from + i), word(data, from + i + 4))
  tail.fill(0)
  for (let i = whole; i < length; i++) tail[i - whole] = data[from + i]!
  tail[7] = length
  absorb(word(tail, 0), word(tail, 4))
  state[4]! ^= 0xff
  rounds(4)
  putWord(out, at, state[0]! ^ state[2]! ^ state[4]! ^ state[6]!)
  putWord(out, at + 4, state[1]! ^ state[3]! ^ state[5]! ^ state[7]!)
}

function absorb(low: number, high: number): void {
  state[6]! ^= low
  state[7]! ^= high
  rounds(2)
  state[0]! ^= low
  state[1]! ^= high
}

function rounds(count: number): void {
  for (let i = 0; i < count; i++) {
    add(0, 2)
    turn(2, 13, 0)
    swap(0)
    add(4, 6)
    turn(6, 16, 4)
    add(0, 6)
    turn(6, 21, 0)
    add(4, 2)
    turn(2, 17, 4)
    swap(4)
  }
}

/** Adds the word at `b` to that at `a`. */
function add(a: number, b: number): void {
  const low = (state[a]! + state[b]!) | 0
  const carry = low >>> 0 < state[b]! >>> 0 ? 1 : 0
  state[a] = low
  state[a + 1] = state[a + 1]! + state[b + 1]! + carry
}

/** Rotates the word at `a` left by fewer than 32 bits, then mixes in that at `b`. */
function turn(a: number, bits: number, b: number): void {
  const low = state[a]!
  const high = state[a + 1]!
  state[a] = ((low << bits) | (high >>> (32 - bits))) ^ state[b]!
  state[a + 1] = ((high << bits) | (low >>> (32 - bits))) ^ state[b + 1]!
}

/** Rotates the word at `a` by 32 bits. */
function swap(a: number): void {
  const low = state[a]!
  state[a] = state[a + 1]!
  state[a + 1] = low
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function putWord(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}
