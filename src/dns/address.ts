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
  const out = new Uint8Array(16)
  const end = text.length
  let used = 0
  let gap = text.startsWith('::') ? 0 : -1
  let at = gap === 0 ? 2 : 0
  while (at < end) {
    let group = 0
    let next = at
    for (
      let digit = hexDigit(text.charCodeAt(next));
      digit >= 0 && next < at + 5;
      digit = hexDigit(text.charCodeAt(++next))
    ) {
      group = (group << 4) | digit
    }
    if (text.charCodeAt(next) === 0x2e && used <= 12) {
      out.set(parseIpv4(text.slice(at)), used)
      used += 4
      break
    }
    if (next === at || next > at + 4 || used === 16) throw notIpv6(text)
    out[used++] = group >> 8
    out[used++] = group
    if (next === end) break
    if (text.charCodeAt(next) !== 0x3a || next + 1 === end) throw notIpv6(text)
    at = next + 1
    if (text.charCodeAt(at) !== 0x3a) continue
    if (gap >= 0) throw notIpv6(text)
    gap = used
    at++
  }
  if (gap < 0 ? used !== 16 : used > 14) throw notIpv6(text)
  if (gap >= 0) {
    out.copyWithin(16 - used + gap, gap, used)
    out.fill(0, gap, 16 - used + gap)
  }
  return out
}

/** The text of an address of 4 or 16 octets; IPv6 as RFC 5952 4 recommends. */
export function printAddress(address: Uint8Array): string {
  if (address.length === 4) return dotted(address, 0)
  if (address.length !== 16) throw new WireError(`an address has 4 or 16 octets, not ${address.length}`)
  const { start, length } = longestZeroRun(address)
  // RFC 5952 5: the mapped prefix is well known, so its tail is written with dots.
  if (start === 0 && length === 5 && word(address, 5) === 0xffff) return `::ffff:${dotted(address, 12)}`
  const [from, to] = length < 2 ? [8, 8] : [start, start + length]
  let text = ''
  for (let i = 0; i < from; i++) text += i === 0 ? hex(address, i) : `:${hex(address, i)}`
  if (from === 8) return text
  text += '::'
  for (let i = to; i < 8; i++) text += i === to ? hex(address, i) : `:${hex(address, i)}`
  return text
}

const word = (address: Uint8Array, i: number): number => (address[2 * i]! << 8) | address[2 * i + 1]!
const hex = (address: Uint8Array, i: number): string => word(address, i).toString(16)
const dotted = (address: Uint8Array, at: number): string =>
  `${address[at]}.${address[at + 1]}.${address[at + 2]}.${address[at + 3]}`

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function notIpv6(text: string): TextError {
  return new TextError(`address must be an IPv6 address, as in 2001:db8::1, not ${text.slice(0, 60)}`)
}

/** The first of the longest runs of words that are zero. */
function longestZeroRun(address: Uint8Array): { readonly start: number; readonly length: number } {
  let start = 0
  let length = 0
  let run = 0
  for (let i = 0; i < 8; i++) {
    run = word(address, i) === 0 ? run + 1 : 0
    if (run <= length) continue
    length = run
    start = i + 1 - run
  }
  return { start, length }
}
