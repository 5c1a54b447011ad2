import { TextError, WireError } from '../errors.ts'
import { show, type Tokens } from '../text.ts'
import type { Reader, Writer } from '../wire.ts'
import type { Field } from './field.ts'

const ALL = 65535

/** Hexadecimal digits to the end of the record, blanks between them allowed. */
export const hex = rest('hex', 1, (tokens, label) => hexOf(joined(tokens, label), label), toHex)

/** Base64 to the end of the record, blanks within it allowed. */
export const base64 = rest('base64', 1, (tokens, label) => base64Of(joined(tokens, label), label), toBase64)

/** Base64 that may be left out. */
export const optionalBase64 = rest(
  'base64',
  0,
  (tokens, label) => (tokens.atEnd ? new Uint8Array() : base64Of(joined(tokens, label), label)),
  toBase64,
)

/** Base64 to the end of the record, `-` when there is none. */
export const base64OrDash: Field<string> = {
  ...rest('base64', 0, (tokens, label) => orDash(joined(tokens, label), label, base64Of), toBase64),
  print: (value) => value || '-',
}

/** Up to 255 octets in hexadecimal with a length octet before them, `-` when there are none. */
export const salt = counted('hex', { min: 0, max: 255, parse: (text, label) => orDash(text, label, hexOf) }, toHex)

/** 1..255 octets in base32 with extended hex digits (RFC 4648 7) with a length octet before them. */
export const base32 = counted('base32', { min: 1, max: 255, parse: base32Of }, toBase32)

/** Base64 with two length octets before it, `-` when there is none. */
export const counted64 = counted(
  'base64',
  { min: 0, max: 65535, parse: (text, label) => orDash(text, label, base64Of) },
  toBase64,
)

/** The octets hexadecimal digits stand for. */
export function hexOf(text: string, label: string): Uint8Array {
  if (text.length % 2 !== 0 || /[^0-9A-Fa-f]/.test(text)) {
    throw new TextError(`${label} must be an even number of hexadecimal digits, not ${show(text)}`)
  }
  return Buffer.from(text, 'hex')
}

/** The octets base64 stands for; padding is required and spare bits must be zero. */
export function base64Of(text: string, label: string): Uint8Array {
  const octets = Buffer.from(text, 'base64')
  if (octets.toString('base64') !== text)
    throw new TextError(`${label} must be base64 with = padding, not ${show(text)}`)
  return octets
}

export function toHex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('hex').toUpperCase()
}

export function toBase64(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('base64')
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV'

function base32Of(text: string, label: string): Uint8Array {
  const octets: number[] = []
  let bits = 0
  let held = 0
  for (const character of text.toUpperCase()) {
    const digit = DIGITS.indexOf(character)
    if (digit < 0) throw base32Fault(text, label)
    held = ((held << 5) | digit) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      octets.push((held >> bits) & 0xff)
    }
  }
  if (bits >= 5 || (held & ((1 << bits) - 1)) !== 0) throw base32Fault(text, label)
  return Uint8Array.from(octets)
}

function base32Fault(text: string, label: string): TextError {
  return new TextError(`${label} must be base32 of the digits 0..9 A..V without padding, not ${show(text)}`)
}

function toBase32(octets: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const octet of octets) {
    held = ((held << 8) | octet) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(held >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + DIGITS[(held << (5 - bits)) & 31] : text
}

function orDash(text: string, label: string, parse: (text: string, label: string) => Uint8Array): Uint8Array {
  return text === '-' ? new Uint8Array() : parse(text, label)
}

function joined(tokens: Tokens, label: string): string {
  let text = tokens.next(label)
  while (!tokens.atEnd) text += tokens.next(label)
  return text
}

type Kind = 'hex' | 'base64' | 'base32'

/** A field of all octets that are left. */
function rest(
  kind: Kind,
  min: number,
  parse: (tokens: Tokens, label: string) => Uint8Array,
  print: (octets: Uint8Array) => string,
): Field<string> {
  const decode = kind === 'hex' ? hexOf : base64Of
  return {
    shape: { kind, min, max: ALL },
    parse: (tokens, label) => print(parse(tokens, label)),
    print: (value) => value,
    read(reader) {
      if (reader.remaining < min) throw new WireError('the last field is empty')
      return print(reader.bytes(reader.remaining))
    },
    write: (writer, value) => writer.bytes(decode(value, 'value')),
    scan: parse,
    pass(reader) {
      if (reader.remaining < min) throw new WireError('the last field is empty')
      reader.offset = reader.end
    },
  }
}

/** A field of octets that say their number first. */
function counted(
  kind: Kind,
  { min, max, parse }: { min: number; max: number; parse: (text: string, label: string) => Uint8Array },
  print: (octets: Uint8Array) => string,
): Field<string> {
  const readLength = (reader: Reader) => (max > 255 ? reader.u16() : reader.u8())
  const writeLength = (writer: Writer, length: number) => (max > 255 ? writer.u16(length) : writer.u8(length))
  return {
    shape: { kind, min, max },
    parse(tokens, label) {
      const octets = parse(tokens.next(label), label)
      if (octets.length < min || octets.length > max) {
        throw new TextError(`${label} must have ${min}..${max} octets, not ${octets.length}`)
      }
      return print(octets)
    },
    print: (value) => value || '-',
    read(reader) {
      const length = readLength(reader)
      if (length < min) throw new WireError(`a field must have ${min}..${max} octets, not ${length}`)
      return print(reader.bytes(length))
    },
    write(writer, value) {
      const octets = parse(value || '-', 'value')
      writeLength(writer, octets.length)
      writer.bytes(octets)
    },
  }
}
