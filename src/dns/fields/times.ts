import { TextError } from '../errors.ts'
import { show } from '../text.ts'
import type { Field } from './field.ts'
import { decimal } from './integers.ts'

const U32 = 0xffffffff
const unitSeconds: Readonly<Record<string, number>> = { w: 604800, d: 86400, h: 3600, m: 60, s: 1 }

/** A time span: seconds, or numbers with the units w d h m s as in 1h30m. */
export const seconds: Field<number> = {
  shape: { kind: 'seconds' },
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
  parse(tokens, label) {
    const text = tokens.next(label)
    const n = text.length === 14 ? fromDigits(text) : decimal(text, U32)
    if (n < 0)
      throw new TextError(`${label} must be YYYYMMDDHHmmSS up to 21060207062815, or 0..${U32}, not ${show(text)}`)
    return n
  },
  print: (n) => new Date(n * 1000).toISOString().replace(/\.\d+Z$|\D/g, ''),
  read: (reader) => reader.u32(),
  write: (writer, n) => writer.u32(n),
}

function fromDigits(text: string): number {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z')
  if (iso === text) return -1
  const n = Date.parse(iso) / 1000
  // Date.parse takes 24:00:00 as the next day's midnight, so ask for the same text back.
  return n >= 0 && n <= U32 && time.print(n) === text ? n : -1
}

function spanFault(text: string, label: string, max: number): TextError {
  return new TextError(`${label} must be 0..${max} seconds, or have units as in 1w2d3h4m5s, not ${show(text)}`)
}
