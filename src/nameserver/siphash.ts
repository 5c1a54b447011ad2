/**
 * SipHash-2-4 of `length` octets at `from` under a key of 16; the 8 octets of the hash are put into `out` at `at`, least
 * significant first. Words of 64 bits are kept as pairs of 32: BigInt would allocate.
 */
export function sipHash(key: Uint8Array, data: Uint8Array, from: number, length: number, out: Uint8Array, at: number) {
  const [k0l, k0h, k1l, k1h] = [word(key, 0), word(key, 4), word(key, 8), word(key, 12)]
  let v0l = k0l ^ 0x70736575
  let v0h = k0h ^ 0x736f6d65
  let v1l = k1l ^ 0x6e646f6d
  let v1h = k1h ^ 0x646f7261
  let v2l = k0l ^ 0x6e657261
  let v2h = k0h ^ 0x6c796765
  let v3l = k1l ^ 0x79746573
  let v3h = k1h ^ 0x74656462

  const rounds = (count: number) => {
    for (let i = 0; i < count; i++) {
      let l = (v0l >>> 0) + (v1l >>> 0)
      v0h = (v0h + v1h + (l > 0xffffffff ? 1 : 0)) | 0
      v0l = l | 0
      let [tl, th] = [v1l, v1h]
      v1l = ((tl << 13) | (th >>> 19)) ^ v0l
      v1h = ((th << 13) | (tl >>> 19)) ^ v0h
      ;[v0l, v0h] = [v0h, v0l]

      l = (v2l >>> 0) + (v3l >>> 0)
      v2h = (v2h + v3h + (l > 0xffffffff ? 1 : 0)) | 0
      v2l = l | 0
      ;[tl, th] = [v3l, v3h]
      v3l = ((tl << 16) | (th >>> 16)) ^ v2l
      v3h = ((th << 16) | (tl >>> 16)) ^ v2h

      l = (v0l >>> 0) + (v3l >>> 0)
      v0h = (v0h + v3h + (l > 0xffffffff ? 1 : 0)) | 0
      v0l = l | 0
      ;[tl, th] = [v3l, v3h]
      v3l = ((tl << 21) | (th >>> 11)) ^ v0l
      v3h = ((th << 21) | (tl >>> 11)) ^ v0h

      l = (v2l >>> 0) + (v1l >>> 0)
      v2h = (v2h + v1h + (l > 0xffffffff ? 1 : 0)) | 0
      v2l = l | 0
      ;[tl, th] = [v1l, v1h]
      v1l = ((tl << 17) | (th >>> 15)) ^ v2l
      v1h = ((th << 17) | (tl >>> 15)) ^ v2h
      ;[v2l, v2h] = [v2h, v2l]
    }
  }
  const absorb = (low: number, high: number) => {
    v3l ^= low
    v3h ^= high
    rounds(2)
    v0l ^= low
    v0h ^= high
  }

  const whole = length & ~7
  for (let i = 0; i < whole; i += 8) absorb(word(data, from + i), word(data, from + i + 4))
  const tail = new Uint8Array(8)
  tail.set(data.subarray(from + whole, from + length))
  tail[7] = length
  absorb(word(tail, 0), word(tail, 4))
  v2l ^= 0xff
  rounds(4)
  putWord(out, at, v0l ^ v1l ^ v2l ^ v3l)
  putWord(out, at + 4, v0h ^ v1h ^ v2h ^ v3h)
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function putWord(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}
