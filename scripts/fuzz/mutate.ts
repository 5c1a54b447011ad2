/** A number of 0..below-1. */
export type Random = (below: number) => number

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let n = Math.imul(state ^ (state >>> 15), state | 1)
    n ^= n + Math.imul(n ^ (n >>> 7), n | 61)
    return Math.floor((((n ^ (n >>> 14)) >>> 0) / 0x100000000) * below)
  }
}

const telling = [0, 1, 0x0c, 0x29, 0x3f, 0x40, 0x7f, 0x80, 0xc0, 0xfa, 0xff]
const LONGEST = 4096

/** An input made from others: a few octets changed, moved, doubled, left out, or taken from elsewhere. */
export function mutate(inputs: readonly Uint8Array[], words: readonly Uint8Array[], random: Random): Uint8Array {
  let input = inputs[random(inputs.length)]!
  for (let times = 1 + random(4); times > 0; times--) input = step(input, inputs, words, random)
  return input.length > LONGEST ? input.subarray(0, LONGEST) : input
}

function step(
  input: Uint8Array,
  inputs: readonly Uint8Array[],
  words: readonly Uint8Array[],
  random: Random,
): Uint8Array {
  const at = random(input.length + 1)
  const length = random(Math.min(16, input.length - at) + 1)
  switch (random(8)) {
    case 0:
      return changed(input, at, (octet) => octet ^ (1 << random(8)))
    case 1:
      return changed(input, at, () => random(256))
    case 2:
      return changed(input, at, () => telling[random(telling.length)]!)
    case 3:
      return spliced(input, at, length, new Uint8Array(0))
    case 4:
      return spliced(input, random(input.length + 1), 0, input.subarray(at, at + length))
    case 5:
      return spliced(input, at, random(2) * length, words[random(words.length)]!)
    case 6: {
      const other = inputs[random(inputs.length)]!
      return spliced(input, at, input.length - at, other.subarray(random(other.length + 1)))
    }
    default:
      return spliced(
        input,
        at,
        0,
        Uint8Array.from({ length: 1 + random(4) }, () => random(256)),
      )
  }
}

function changed(input: Uint8Array, at: number, change: (octet: number) => number): Uint8Array {
  const out = input.slice()
  if (at < out.length) out[at] = change(out[at]!)
  return out
}

function spliced(input: Uint8Array, at: number, drop: number, insert: Uint8Array): Uint8Array {
  const out = new Uint8Array(input.length - drop + insert.length)
  out.set(input.subarray(0, at))
  out.set(insert, at)
  out.set(input.subarray(at + drop), at + insert.length)
  return out
}
