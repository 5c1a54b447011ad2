import { TextError, WireError } from './errors.ts'

/** The four octets of an IPv4 address written with dots; leading zeros are refused, being octal to some. */
export function parseIpv4(text: string): Uint8Array {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    throw new TextError(`address must be four numbers 0..255 with dots, as in 192.0.2.1, not ${text.slice(0, 60)}`)
  }
  return Uint8Array.from(parts, Number)
}

/** The sixteen octets of an IPv6 address in any form of RFC 4291 2.2. */
export function parseIpv6(text: string): Uint8Array {
  const fault = () => new TextError(`address must be an IPv6 address, as in 2001:db8::1, not ${text.slice(0, 60)}`)
  if (text.length > 45) throw fault()
  const halves = text.split('::')
  if (halves.length > 2) throw fault()
  const [head, tail] = halves.map((half) => groups(half, fault))
  const given = head!.length + (tail?.length ?? 0)
  if (tail === undefined ? given !== 16 : given > 14) throw fault()
  const out = new Uint8Array(16)
  out.set(head!)
  if (tail !== undefined) out.set(tail, 16 - tail.length)
  // Dotted quads stand only at the end.
  if (tail !== undefined && halves[0]!.includes('.')) throw fault()
  return out
}

/** The text of an address of 4 or 16 octets; IPv6 as RFC 5952 4 recommends. */
export function printAddress(address: Uint8Array): string {
  if (address.length === 4) return address.join('.')
  if (address.length !== 16) throw new WireError(`an address has 4 or 16 octets, not ${address.length}`)
  const words = Array.from({ length: 8 }, (_, i) => (address[2 * i]! << 8) | address[2 * i + 1]!)
  // RFC 5952 5: the mapped prefix is well known, so its tail is written with dots.
  if (words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff)
    return `::ffff:${address.subarray(12).join('.')}`
  const run = longestZeroRun(words)
  const hex = words.map((word) => word.toString(16))
  if (run.length < 2) return hex.join(':')
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`
}

function groups(half: string, fault: () => TextError): number[] {
  if (half === '') return []
  return half.split(':').flatMap((group, i, all) => {
    if (group.includes('.') && i === all.length - 1) return Array.from(parseIpv4(group))
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) throw fault()
    const word = Number.parseInt(group, 16)
    return [word >> 8, word & 0xff]
  })
}

function longestZeroRun(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < words.length; start++) {
    let length = 0
    while (words[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}
