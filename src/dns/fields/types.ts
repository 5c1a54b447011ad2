import { TextError, WireError } from '../errors.ts'
import { show } from '../text.ts'
import { typeCode, typeName } from '../types/mnemonics.ts'
import type { Field } from './field.ts'
import { decimal } from './integers.ts'

/** A record type, by name. */
export const recordType: Field<string> = {
  shape: { kind: 'type' },
  parse(tokens, label) {
    const text = tokens.next(label)
    // RFC 2535 7.2 has bare numbers, and named still prints SIG so.
    const code = decimal(text, 65535)
    return typeName(code < 0 ? codeOf(text, label) : code)
  },
  print: (type) => type,
  read: (reader) => typeName(reader.u16()),
  write: (writer, type) => writer.u16(codeOf(type, 'type')),
}

/** The types that exist at a name (RFC 4034 4.1.2), in order of their numbers. */
export const recordTypes = typeList(0)

/** The same, at least one. */
export const someRecordTypes = typeList(1)

function typeList(min: number): Field<readonly string[]> {
  return {
    shape: { kind: 'types' },
    parse(tokens, label) {
      const codes = tokens.rest().map((token) => codeOf(token, label))
      if (codes.length < min) throw new TextError(`${label} must name at least one type`)
      return [...new Set(codes)].sort((a, b) => a - b).map(typeName)
    },
    print: (types) => types.join(' '),
    read(reader) {
      const types: string[] = []
      for (let last = -1; reader.remaining > 0; ) {
        const window = reader.u8()
        if (window <= last) throw new WireError(`type window ${window} does not follow ${last}`)
        last = window
        types.push(...typesOf(window, reader.bytes(reader.u8())))
      }
      if (types.length < min) throw new WireError('the list of types is empty')
      return types
    },
    write(writer, types) {
      for (const [window, bits] of windowsOf(types.map((type) => codeOf(type, 'type')))) {
        writer.u8(window)
        writer.u8(bits.length)
        writer.bytes(bits)
      }
    },
  }
}

function typesOf(window: number, bits: Uint8Array): string[] {
  if (bits.length < 1 || bits.length > 32) throw new WireError(`a type window has 1..32 octets, not ${bits.length}`)
  if (bits[bits.length - 1] === 0) throw new WireError('a type window ends in an octet without a type')
  const types: string[] = []
  for (let bit = 0; bit < bits.length * 8; bit++) {
    if (bits[bit >> 3]! & (0x80 >> (bit & 7))) types.push(typeName((window << 8) | bit))
  }
  return types
}

function windowsOf(codes: readonly number[]): Map<number, Uint8Array> {
  const windows = new Map<number, Uint8Array>()
  for (const code of codes.toSorted((a, b) => a - b)) {
    const octet = (code & 0xff) >> 3
    const before = windows.get(code >> 8) ?? new Uint8Array()
    const bits = octet < before.length ? before : Uint8Array.from({ length: octet + 1 }, (_, i) => before[i] ?? 0)
    bits[octet]! |= 0x80 >> (code & 7)
    windows.set(code >> 8, bits)
  }
  return windows
}

function codeOf(name: string, label: string): number {
  const code = typeCode(name)
  if (code === undefined) throw new TextError(`${label} must be record types such as A or TYPE65280, not ${show(name)}`)
  return code
}
