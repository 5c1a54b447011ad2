import { TextError } from './errors.ts'
import { show } from './text.ts'

// A character-string is kept as the text between its quotes, in one form: `"` and `\` after a backslash, octets outside
// 0x20..0x7e as \DDD, all else as itself.
const ROUGH = /[^ !#-[\]-~]/
const BACKSLASH = 0x5c

const forms = Array.from({ length: 256 }, (_, octet) => {
  if (octet === 0x22 || octet === BACKSLASH) return `\\${String.fromCharCode(octet)}`
  return octet >= 0x20 && octet <= 0x7e ? String.fromCharCode(octet) : `\\${String(octet).padStart(3, '0')}`
})

// One character-string at a time: making one string of many octets is quicker than joining as many strings.
const chars = Buffer.alloc(255) as Buffer & { latin1Slice(start: number, end: number): string }

/** Whether text stands for its own characters, nothing in it being or needing an escape. */
export function isPlain(text: string): boolean {
  return !ROUGH.test(text)
}

/** The text of octets, in the one form it has here. */
export function charactersOf(octets: Uint8Array): string {
  const { length } = octets
  if (length > chars.length) return escapedCharacters(octets)
  for (let i = 0; i < length; i++) {
    const octet = octets[i]!
    if (forms[octet]!.length > 1) return escapedCharacters(octets)
    chars[i] = octet
  }
  return chars.latin1Slice(0, length)
}

function escapedCharacters(octets: Uint8Array): string {
  let text = ''
  for (const octet of octets) text += forms[octet]
  return text
}

/** The octets that text stands for: `\DDD` and `\X` escapes, UTF-8 for what is not ASCII. */
export function octetsOf(text: string, label: string): Uint8Array {
  if (!ROUGH.test(text)) return ascii(text)
  if (!text.isWellFormed()) throw new TextError(`${label} must be Unicode text without lone surrogates`)
  if (!text.includes('\\')) return encoder.encode(text)
  const given = encoder.encode(text)
  let used = 0
  for (let at = 0; at < given.length; at++) {
    let octet = given[at]!
    if (octet === BACKSLASH) {
      octet = given[++at] ?? -1
      if (octet < 0) throw new TextError(`${label} must not end in a lone \\, as ${show(text)} does`)
      if (octet >= 0x30 && octet <= 0x39) {
        const digits = String.fromCharCode(...given.subarray(at, at + 3))
        octet = /^\d{3}$/.test(digits) ? Number(digits) : 256
        if (octet > 255) throw new TextError(`\\DDD in ${label} must be \\000..\\255, not \\${digits}`)
        at += 2
      }
    }
    given[used++] = octet
  }
  return given.subarray(0, used)
}

/** Text in the one form that `charactersOf` gives. */
export function normalCharacters(text: string, label: string): string {
  return ROUGH.test(text) ? charactersOf(octetsOf(text, label)) : text
}

/** How many octets text in its one form stands for. */
export function characterCount(text: string): number {
  if (!text.includes('\\')) return text.length
  return text.replace(/\\(?:\d{3}|.)/g, '.').length
}

const encoder = new TextEncoder()

function ascii(text: string): Uint8Array {
  const octets = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) octets[i] = text.charCodeAt(i)
  return octets
}
