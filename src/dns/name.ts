import { TextError, WireError } from './errors.ts'

// How an octet of a label is written: as it is, after a backslash, or as \DDD.
const LITERAL = 0
const BACKSLASHED = 1
const DECIMAL = 2
const form = new Uint8Array(256).fill(DECIMAL)
for (let octet = 0x21; octet <= 0x7e; octet++) form[octet] = LITERAL
for (const special of '.\\"();@$') form[special.charCodeAt(0)] = BACKSLASHED

const PLAIN_NAME = /^(?:[!#%&'*+,\-/0-9:<=>?A-Z[\]^_`a-z{|}~]{1,63}\.)+$/
const MOST_OCTETS = 255
/** How often a name may jump: as many times as it can have labels. */
export const MOST_JUMPS = 127
const DOT = 0x2e
// The types leave out the method that `toString` ends in; calling it straight saves a third of the time.
const chars = Buffer.alloc(MOST_OCTETS * 4) as Buffer & { latin1Slice(start: number, end: number): string }
const wire = new Uint8Array(MOST_OCTETS)

// The texts of names seen lately, found by their characters: names come in again and again, and making a string costs more
// than all else there is to reading a name.
const KEPT = 2048
const KEPT_LENGTH = 64
const keptLengths = new Uint8Array(KEPT)
const keptChars = new Uint8Array(KEPT * KEPT_LENGTH)
const keptTexts: string[] = new Array(KEPT).fill('')

/** The name a person or a file wrote, in the one text it has here; `@` and names without a final dot are taken from `origin`. */
export function parseName(text: string, origin?: string): string {
  if (PLAIN_NAME.test(text) && text.length < MOST_OCTETS) return text
  if (text === '.') return text
  if (text === '@' || (text !== '' && !isAbsolute(text))) {
    if (origin === undefined)
      throw new TextError(`name must end in a dot, as in ${show(`${text}.`)}, not ${show(text)}`)
    if (text === '@') return origin
    text = origin === '.' ? `${text}.` : `${text}.${origin}`
    if (PLAIN_NAME.test(text) && text.length < MOST_OCTETS) return text
  }
  return octetsToText(wire, appendName(text, wire, 0) - 1)
}

/** The uncompressed octets of a name, root label included. */
export function nameToWire(name: string): Uint8Array {
  return wire.slice(0, appendName(name, wire, 0))
}

/** The name whose uncompressed octets start at `offset`. */
export function wireToName(bytes: Uint8Array, offset = 0): string {
  let at = offset
  for (;;) {
    const length = bytes[at]
    if (length === undefined) throw new WireError('a name is cut short')
    if (length > 63) throw new WireError('a name is compressed where that is not allowed')
    if (at + 1 - offset > MOST_OCTETS) throw new WireError('a name is longer than 255 octets')
    if (length === 0) return octetsToText(offset === 0 ? bytes : bytes.subarray(offset), at - offset)
    at += 1 + length
  }
}

/** Lower-cased text: two names are the same exactly when their keys are. */
export function nameKey(name: string): string {
  return name.toLowerCase()
}

/** Whether two names are the same, ASCII letter case aside (RFC 4343). */
export function sameName(a: string, b: string): boolean {
  return a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase())
}

/** Whether `name` is `ancestor` or lies in its tree. */
export function isAtOrBelow(name: string, ancestor: string): boolean {
  return sameName(name, ancestor) || isBelow(name, ancestor)
}

/** Whether `name` lies in the tree of `ancestor` without being it. */
export function isBelow(name: string, ancestor: string): boolean {
  if (ancestor === '.') return name !== '.'
  const cut = name.length - ancestor.length
  if (cut < 2 || name.charCodeAt(cut - 1) !== DOT || isEscaped(name, cut - 1)) return false
  return name.endsWith(ancestor) || name.slice(cut).toLowerCase() === ancestor.toLowerCase()
}

/** Canonical order (RFC 4034 6.1): labels compared from the right as lower-cased octets; negative, 0 or positive. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0
  if (a.includes('\\') || b.includes('\\')) return compareEscaped(labelsOf(a), labelsOf(b))
  let endA = a.length - 1
  let endB = b.length - 1
  while (endA > 0 && endB > 0) {
    const startA = a.lastIndexOf('.', endA - 1) + 1
    const startB = b.lastIndexOf('.', endB - 1) + 1
    const lengthA = endA - startA
    const lengthB = endB - startB
    for (let i = 0; i < lengthA && i < lengthB; i++) {
      const difference = lowerCase(a.charCodeAt(startA + i)) - lowerCase(b.charCodeAt(startB + i))
      if (difference !== 0) return difference
    }
    if (lengthA !== lengthB) return lengthA - lengthB
    endA = startA - 1
    endB = startB - 1
  }
  return Math.max(endA, 0) - Math.max(endB, 0)
}

/** The name without its first label; the root has none. */
export function parentName(name: string): string | undefined {
  if (name === '.') return undefined
  const dot = labelEnd(name, 0)
  return dot + 1 >= name.length ? '.' : name.slice(dot + 1)
}

/** The labels from left to right, as text; the root label is left out. */
export function labelsOf(name: string): string[] {
  if (name === '.') return []
  if (!name.includes('\\')) return name.slice(0, -1).split('.')
  const labels: string[] = []
  for (let at = 0; at < name.length; ) {
    const end = labelEnd(name, at)
    labels.push(name.slice(at, end))
    at = end + 1
  }
  return labels
}

/** How many labels a name has, the root label not counted. */
export function labelCount(name: string): number {
  if (name === '.') return 0
  let count = 0
  for (let at = 0; at < name.length; at = labelEnd(name, at) + 1) count++
  return count
}

/** Whether the first label is `*` alone (RFC 4592 2.1.1). */
export function isWildcard(name: string): boolean {
  return name.startsWith('*.')
}

/** The wildcard directly below a name. */
export function wildcardBelow(name: string): string {
  return name === '.' ? '*.' : `*.${name}`
}

/** Writes the octets of a name into `out`, which has 255 free at `at`, and returns how many they are. */
export function appendName(name: string, out: Uint8Array, at: number): number {
  const start = at
  const end = name.length
  if (name === '.') {
    out[at] = 0
    return 1
  }
  const most = start + MOST_OCTETS
  let lengthAt = at++
  for (let i = 0; i < end; ) {
    let octet = name.charCodeAt(i++)
    if (octet === DOT) {
      const length = at - lengthAt - 1
      if (length === 0) throw new TextError(`name must not have an empty label, as ${show(name)} has`)
      if (length > 63) throw new TextError(`label must have 1..63 octets, not ${length}, in ${show(name)}`)
      out[lengthAt] = length
      lengthAt = at
    } else if (octet === 0x5c) {
      octet = escaped(name, i)
      i += octet < 256 ? 1 : 3
    } else if (octet <= 0x20 || octet >= 0x7f) {
      throw new TextError(unprintable(name, octet))
    }
    if (at >= most) throw new TextError(`name must have at most 255 octets: ${show(name)}`)
    out[at++] = octet
  }
  if (at - lengthAt !== 1 || at - start < 2) throw new TextError(`name must end in a dot, not be ${show(name)}`)
  out[lengthAt] = 0
  return at - start
}

/** Where the name that `plainText` read last ends. */
export let plainTextEnd = 0

/**
 * The text of the name at an offset, in one pass, where it is whole before `end`, needs no escapes, and is compressed only where
 * it may be; undefined where it is not so.
 */
export function plainText(octets: Uint8Array, at: number, end: number, mayJump: boolean): string | undefined {
  let hash = 0
  let used = 0
  let lowest = at
  let jumps = 0
  let after = 0
  for (;;) {
    if (at >= end) return undefined
    const length = octets[at++]!
    if (length === 0) break
    if (length >= 0xc0 && mayJump && at < end) {
      const target = ((length & 0x3f) << 8) | octets[at]!
      if (target >= lowest || ++jumps > MOST_JUMPS) return undefined
      if (after === 0) {
        after = at + 1
        end = octets.length
      }
      at = lowest = target
      continue
    }
    const next = at + length
    if (length > 63 || next > end || used + length > MOST_OCTETS - 2) return undefined
    for (; at < next; at++) {
      const octet = octets[at]!
      if (form[octet] !== LITERAL) return undefined
      hash = Math.imul(hash ^ octet, 0x01000193)
      chars[used++] = octet
    }
    hash = Math.imul(hash ^ DOT, 0x01000193)
    chars[used++] = DOT
  }
  plainTextEnd = after === 0 ? at : after
  return used === 0 ? '.' : textOf(hash, used)
}

/** The text of a name given as labels with their length octets, without the root label. */
export function octetsToText(octets: Uint8Array, length: number): string {
  if (length === 0) return '.'
  let hash = 0
  let used = 0
  for (let at = 0; at < length; ) {
    for (const end = at + octets[at++]!; at <= end; at++) {
      const octet = octets[at]!
      if (form[octet] !== LITERAL) return escapedText(octets, length)
      hash = Math.imul(hash ^ octet, 0x01000193)
      chars[used++] = octet
    }
    hash = Math.imul(hash ^ DOT, 0x01000193)
    chars[used++] = DOT
  }
  return textOf(hash, used)
}

function textOf(hash: number, length: number): string {
  return length > KEPT_LENGTH ? chars.latin1Slice(0, length) : keptText((hash ^ (hash >>> 15)) & (KEPT - 1), length)
}

/** The string of the first `length` characters in `chars`, one made before if it is still there. */
function keptText(slot: number, length: number): string {
  const base = slot * KEPT_LENGTH
  if (keptLengths[slot] === length) {
    let i = 0
    while (i < length && keptChars[base + i] === chars[i]) i++
    if (i === length) return keptTexts[slot]!
  }
  const text = chars.latin1Slice(0, length)
  keptLengths[slot] = length
  for (let i = 0; i < length; i++) keptChars[base + i] = chars[i]!
  keptTexts[slot] = text
  return text
}

function escapedText(octets: Uint8Array, length: number): string {
  let used = 0
  for (let at = 0; at < length; ) {
    for (const end = at + octets[at++]!; at <= end; at++) {
      const octet = octets[at]!
      const how = form[octet]
      if (how !== LITERAL) chars[used++] = 0x5c
      if (how === DECIMAL) {
        chars[used++] = 0x30 + Math.floor(octet / 100)
        chars[used++] = 0x30 + (Math.floor(octet / 10) % 10)
        chars[used++] = 0x30 + (octet % 10)
      } else {
        chars[used++] = octet
      }
    }
    chars[used++] = DOT
  }
  return chars.latin1Slice(0, used)
}

function compareEscaped(a: readonly string[], b: readonly string[]): number {
  for (let i = 1; i <= a.length && i <= b.length; i++) {
    const order = Buffer.compare(
      nameToWire(`${a.at(-i)}.`.toLowerCase()).subarray(1),
      nameToWire(`${b.at(-i)}.`.toLowerCase()).subarray(1),
    )
    if (order !== 0) return order
  }
  return a.length - b.length
}

function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}

function isAbsolute(text: string): boolean {
  return text.endsWith('.') && !isEscaped(text, text.length - 1)
}

function labelEnd(name: string, from: number): number {
  let dot = name.indexOf('.', from)
  while (dot > 0 && isEscaped(name, dot)) dot = name.indexOf('.', dot + 1)
  return dot < 0 ? name.length : dot
}

/** The octet after a backslash; 256 is added where it was written with three digits. */
function escaped(name: string, at: number): number {
  const first = name.charCodeAt(at)
  if (!(first >= 0x30 && first <= 0x39)) {
    if (!(first > 0x20 && first < 0x7f))
      throw new TextError(`\\ must be followed by a printable character or three digits in ${show(name)}`)
    return first
  }
  const digits = name.slice(at, at + 3)
  if (!/^\d{3}$/.test(digits) || Number(digits) > 255) {
    throw new TextError(`\\DDD must be \\000..\\255, not \\${digits}, in ${show(name)}`)
  }
  return 256 + Number(digits)
}

function unprintable(name: string, code: number): string {
  if (code > 0x7e + 1) return `name must be ASCII (other octets are written \\DDD), not ${show(name)}`
  return `name must have \\${String(code).padStart(3, '0')} written so, with three digits, in ${show(name)}`
}

function show(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}
