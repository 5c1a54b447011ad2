import { TextError } from '../errors.ts'
import { show } from '../text.ts'
import type { Field } from './field.ts'
import { decimal } from './integers.ts'

const U32 = 0xffffffff
const unitSeconds: Readonly<Record<string, number>> = { w: 604800, d: 86400, h: 3600, m: 60, s: 1 }

/** A time span: seconds, or numbers with the units w d h m s as in 1h30m. */
export const seconds: Field<number> = {
  shape: { kind: 'seconds' },
  octets: 4,
  parse(tokens, label) {
    return parseSeconds(tokens.next(label), label, U32)
  },
  print: String,
  read: (reader) => reader.u32(),
  write: (writer, n) => writer.u32(n),
}

/** The seconds a time span stands for, at most `max`. */
export function parseSeconds(text: string, label: string, max: number): number {
  const plain = decimal(text, max)
  if (plain >= 0) return plain
  if (text.length > 60 || !/^(?:\d+[wdhms])+$/i.test(text)) throw spanFault(text, label, max)
  let total = 0
  for (const [, digits, unit] of text.matchAll(/(\d+)([wdhms])/gi)) {
    total += Number(digits) * unitSeconds[unit!.toLowerCase()]!
  }
  if (total > max) throw spanFault(text, label, max)
  return total
}

/** A moment as RFC 4034 3.2 writes it: YYYYMMDDHHmmSS in UTC, or seconds since 1970. */
export const time: Field<number> = {
  shape: { kind: 'time' },
  octets: 4,
  parse(tokens, label) {
    const text = tokens.next(label)
    const n = text.length === 14 ? fromDigits(text) : decimal(text, U32)
    if (n < 0)
      throw new TextError(`${label} must be YYYYMMDDHHmmSS, at most 21060207062815, or 0..${U32}, not ${show(text)}`)
    return n
  },
  print: printTime,
  read: (reader) => reader.u32(),
  write: (writer, n) => writer.u32(n),
}

function fromDigits(text: string): number {
  const n = decimal(text, 99991231235959)
  if (n < 0) return -1
  const pair = (power: number) => Math.floor(n / power) % 100
  const date = Date.UTC(Math.floor(n / 1e10), pair(1e8) - 1, pair(1e6), pair(1e4), pair(100), n % 100) / 1000
  // Date.UTC takes the 30th of February as a day of March, so ask for the same text back.
  if (date < -(2 ** 31) || date > U32 || printTime(date) !== text) return -1
  // RFC 4034 3.1.5: times are serial numbers, so some programs write those far ahead as before 1970.
  return date >>> 0
}

function printTime(n: number): string {
  const date = new Date(n * 1000)
  const days = date.getUTCFullYear() * 1e4 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
  return String(days * 1e6 + date.getUTCHours() * 1e4 + date.getUTCMinutes() * 100 + date.getUTCSeconds())
}

function spanFault(text: string, label: string, max: number): TextError {
  return new TextError(`${label} must be 0..${max} seconds, or have units as in 1w2d3h4m5s, not ${show(text)}`)
}
