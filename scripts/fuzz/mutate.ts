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
  // The newest inputs stand where code was last found.
  const among = random(2) === 0 ? inputs : inputs.slice(-16)
  let input = among[random(among.length)]!
  for (let times = 1 + (random(2) && random(4)); times > 0; times--) {
    input = random(2) === 0 ? changed(input, random) : moved(input, inputs, words, random)
  }
  return input.length > LONGEST ? input.subarray(0, LONGEST) : input
}

/** One octet changed: half the time one of the first, which steer the rest. */
function changed(input: Uint8Array, random: Random): Uint8Array {
  const out = input.slice()
  const at = random(random(2) === 0 ? out.length : Math.min(12, out.length))
  if (at >= out.length) return out
  const kind = random(3)
  if (kind === 0) out[at]! ^= 1 << random(8)
  else out[at] = kind === 1 ? random(256) : telling[random(telling.length)]!
  return out
}

function moved(
  input: Uint8Array,
  inputs: readonly Uint8Array[],
  words: readonly Uint8Array[],
  random: Random,
): Uint8Array {
  const at = random(input.length + 1)
  const length = random(Math.min(16, input.length - at) + 1)
  switch (random(5)) {
    case 0:
      return spliced(input, at, length, new Uint8Array(0))
    case 1:
      return spliced(input, random(input.length + 1), 0, input.subarray(at, at + length))
    case 2:
      return spliced(input, at, random(2) * length, words[random(words.length)]!)
    case 3: {
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

function spliced(input: Uint8Array, at: number, drop: number, insert: Uint8Array): Uint8Array {
  const out = new Uint8Array(input.length - drop + insert.length)
  out.set(input.subarray(0, at))
  out.set(insert, at)
  out.set(input.subarray(at + drop), at + insert.length)
  return out
}
