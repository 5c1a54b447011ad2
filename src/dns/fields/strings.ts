import { characterCount, charactersOf, normalCharacters, octetsOf } from '../characters.ts'
import { TextError, WireError } from '../errors.ts'
import { show, type Token, type Tokens } from '../text.ts'
import { Reader, type Writer } from '../wire.ts'
import type { Field } from './field.ts'

const MOST = 255

/** One character-string of up to 255 octets; printed in quotes. */
export const text: Field<string> = {
  shape: { kind: 'text', max: MOST },
  parse: (tokens, label) => short(unquote(tokens.nextQuoted(label)), label),
  print: quote,
  read: (reader) => charactersOf(reader.copy(reader.u8())),
  write: writeShort,
}

/** A character-string that may be left out at the end of the record. */
export const optionalText: Field<string | null> = {
  shape: { kind: 'optional text' },
  parse: (tokens, label, before) => (tokens.atEnd ? null : text.parse(tokens, label, before)),
  print: (value) => (value === null ? '' : quote(value)),
  read: (reader, before) => (reader.remaining === 0 ? null : text.read(reader, before)),
  write(writer, value) {
    if (value !== null) writeShort(writer, value)
  },
}

/** One or more character-strings. Given without quotes as one record's data, they are one text, cut every 255 octets. */
export const texts: Field<readonly string[]> = {
  shape: { kind: 'texts' },
  parse: (tokens, label, before) => texts.read(new Reader(scanTexts(tokens, label)), before),
  print: (strings) => strings.map(quote).join(' '),
  read(reader) {
    const strings = [charactersOf(reader.copy(reader.u8()))]
    while (reader.remaining > 0) strings.push(charactersOf(reader.copy(reader.u8())))
    return strings
  },
  write(writer, strings) {
    for (const string of strings) writeShort(writer, string)
  },
  scan: scanTexts,
  pass(reader) {
    do reader.skip(reader.u8())
    while (reader.remaining > 0)
  },
}

/** Text to the end of the record, without a length before it. */
export const longText: Field<string> = {
  shape: { kind: 'text', max: 65000 },
  parse(tokens, label) {
    const whole = tokens.unquotedRest()?.trim()
    if (whole === '') throw new TextError(`${label} is missing`)
    return normalCharacters(whole ?? unquote(tokens.nextQuoted(label)), label)
  },
  print: quote,
  read: (reader) => charactersOf(reader.copy(reader.remaining)),
  write: (writer, value) => writer.bytes(octetsOf(value, 'text')),
}

/** A word of letters and digits with its length before it, printed without quotes. */
export const word: Field<string> = {
  shape: { kind: 'word', max: MOST },
  parse(tokens, label) {
    const token = unquote(tokens.nextQuoted(label))
    if (!/^[0-9A-Za-z]{1,255}$/.test(token)) {
      throw new TextError(`${label} must be 1..255 letters and digits, not ${show(token)}`)
    }
    return token
  },
  print: (value) => value,
  read(reader) {
    const value = charactersOf(reader.copy(reader.u8()))
    if (!/^[0-9A-Za-z]+$/.test(value)) throw new WireError(`a word must be letters and digits, not ${show(value)}`)
    return value
  },
  write: writeShort,
}

/** What stands between the quotes, or the token itself. */
export function unquote(token: Token): string {
  return token.charCodeAt(0) === 0x22 ? token.slice(1, -1) : token
}

function quote(value: string): string {
  return `"${value}"`
}

function scanTexts(tokens: Tokens, label: string): Uint8Array {
  const whole = tokens.unquotedRest()
  if (whole !== undefined) return cut(whole, label)
  const first = octetsOf(unquote(tokens.nextQuoted(label)), label)
  if (tokens.atEnd) return counted(first, label)
  const strings = [counted(first, label)]
  while (!tokens.atEnd) strings.push(counted(octetsOf(nextOfSeveral(tokens, label), label), label))
  return Buffer.concat(strings)
}

// A person who writes `"a" b` or `v=spf1 -all` without quotes does not mean two strings joined without the blank.
function nextOfSeveral(tokens: Tokens, label: string): string {
  const token = tokens.nextQuoted(label)
  if (tokens.typed && token.charCodeAt(0) !== 0x22) throw blanks(label, token)
  return unquote(token)
}

function cut(given: string, label: string): Uint8Array {
  if (/[ \t\r\n]/.test(given)) throw blanks(label, given)
  const octets = octetsOf(given, label)
  const strings: Uint8Array[] = []
  for (let at = 0; at === 0 || at < octets.length; at += MOST) {
    strings.push(counted(octets.subarray(at, at + MOST), label))
  }
  return Buffer.concat(strings)
}

function blanks(label: string, given: string): TextError {
  return new TextError(`${label} with blanks must be in double quotes, as in "v=spf1 -all", not ${show(given)}`)
}

function counted(octets: Uint8Array, label: string): Uint8Array {
  if (octets.length > MOST) throw tooLong(label, octets.length, ' in each quoted string: split it as "…" "…"')
  const out = new Uint8Array(1 + octets.length)
  out[0] = octets.length
  out.set(octets, 1)
  return out
}

function short(given: string, label: string): string {
  const value = normalCharacters(given, label)
  const length = value.length <= MOST ? 0 : characterCount(value)
  if (length > MOST) throw tooLong(label, length, '')
  return value
}

function tooLong(label: string, length: number, hint: string): TextError {
  return new TextError(`${label} must have at most 255 octets, not ${length}${hint}`)
}

function writeShort(writer: Writer, value: string): void {
  const octets = octetsOf(value, 'text')
  writer.u8(octets.length)
  writer.bytes(octets)
}
