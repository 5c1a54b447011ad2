import { TextError } from '../errors.ts'
import { show } from '../text.ts'
import type { Reader, Writer } from '../wire.ts'
import type { Field } from './field.ts'

/** 0..255 in one octet. */
export const u8 = integer(
  0xff,
  1,
  (reader) => reader.u8(),
  (writer, n) => writer.u8(n),
)

/** 0..65535 in two octets. */
export const u16 = integer(
  0xffff,
  2,
  (reader) => reader.u16(),
  (writer, n) => writer.u16(n),
)

/** 0..4294967295 in four octets. */
export const u32 = integer(
  0xffffffff,
  4,
  (reader) => reader.u32(),
  (writer, n) => writer.u32(n),
)

/** 0..2^48-1 in six octets. */
export const u48 = integer(
  0xffffffffffff,
  6,
  (reader) => reader.u48(),
  (writer, n) => writer.u48(n),
)

/** 0..2^64-1 in eight octets; the value is its decimal text, since a number does not hold it. */
export const u64: Field<string> = {
  shape: { kind: 'big integer' },
  octets: 8,
  parse(tokens, label) {
    const text = tokens.next(label)
    if (!/^\d{1,20}$/.test(text) || BigInt(text) > 0xffffffffffffffffn) {
      throw new TextError(`${label} must be 0..18446744073709551615, not ${show(text)}`)
    }
    return String(BigInt(text))
  },
  print: (value) => value,
  read: (reader) => String((BigInt(reader.u32()) << 32n) | BigInt(reader.u32())),
  write(writer, value) {
    const n = BigInt(value)
    writer.u32(Number(n >> 32n))
    writer.u32(Number(n & 0xffffffffn))
  },
}

/** A number that may also be given by a name from a registry; it is printed as the number. */
export function named(field: Field<number>, names: Readonly<Record<string, number>>): Field<number> {
  const max = (field.shape as { max: number }).max
  const listed = [...new Map(Object.entries(names).map(([name, n]) => [n, name])).values()].join(' ')
  return {
    ...field,
    shape: { kind: 'integer', max, names },
    parse(tokens, label) {
      const text = tokens.next(label)
      const n = decimal(text, max)
      if (n >= 0) return n
      const name = text.toUpperCase()
      if (Object.hasOwn(names, name)) return names[name]!
      throw new TextError(`${label} must be 0..${max} or one of ${listed}, not ${show(text)}`)
    },
  }
}

/** The same, printed by its name where it has one. */
export function printedByName(field: Field<number>, names: Readonly<Record<string, number>>): Field<number> {
  const texts = new Map(Object.entries(names).map(([name, n]) => [n, name]))
  return { ...named(field, names), print: (n) => texts.get(n) ?? String(n) }
}

function integer(
  max: number,
  octets: number,
  read: (reader: Reader) => number,
  write: (w: Writer, n: number) => void,
): Field<number> {
  return {
    shape: { kind: 'integer', max },
    octets,
    parse(tokens, label) {
      const text = tokens.next(label)
      const n = decimal(text, max)
      if (n < 0) throw new TextError(`${label} must be 0..${max}, not ${show(text)}`)
      return n
    },
    print: String,
    read,
    write,
  }
}

/** The number decimal digits stand for, or -1 when they are not digits or it is over `max`. */
export function decimal(text: string, max: number): number {
  const length = text.length
  if (length === 0 || length > 15) return -1
  let n = 0
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return -1
    n = n * 10 + digit
  }
  return n <= max ? n : -1
}
