import { parseIpv4, parseIpv6, printAddress } from '../address.ts'
import { TextError } from '../errors.ts'
import type { Writer } from '../wire.ts'
import type { Field } from './field.ts'

/** An IPv4 address. */
export const ipv4: Field<string> = {
  shape: { kind: 'ipv4' },
  parse(tokens, label) {
    const text = tokens.next(label)
    if (quad(text) < 0) labelled(parseIpv4, text, label)
    return text
  },
  print: (address) => address,
  read: (reader) => printAddress(reader.bytes(4)),
  write: (writer, address) => writeQuad(writer, address, 'address'),
  scan: (tokens, label, writer) => writeQuad(writer, tokens.next(label), label),
  pass: (reader) => void reader.bytes(4),
}

/** An IPv6 address. */
export const ipv6: Field<string> = {
  shape: { kind: 'ipv6' },
  parse: (tokens, label) => printAddress(labelled(parseIpv6, tokens.next(label), label)),
  print: (address) => address,
  read: (reader) => printAddress(reader.bytes(16)),
  write: (writer, address) => writer.bytes(parseIpv6(address)),
  scan: (tokens, label, writer) => writer.bytes(labelled(parseIpv6, tokens.next(label), label)),
  pass: (reader) => void reader.bytes(16),
}

function writeQuad(writer: Writer, text: string, label: string): void {
  const n = quad(text)
  if (n < 0) writer.bytes(labelled(parseIpv4, text, label))
  else writer.u32(n)
}

/** The 32 bits of an address written with dots, or -1 when it is not one. */
function quad(text: string): number {
  let address = 0
  let octet = -1
  let dots = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit >= 0 && digit <= 9) {
      if (octet === 0) return -1
      octet = octet < 0 ? digit : octet * 10 + digit
      if (octet > 255) return -1
    } else if (digit === -2 && octet >= 0 && dots < 3) {
      address = address * 256 + octet
      octet = -1
      dots++
    } else return -1
  }
  return dots === 3 && octet >= 0 ? address * 256 + octet : -1
}

function labelled(parse: (text: string) => Uint8Array, text: string, label: string): Uint8Array {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TextError) throw new TextError(error.message.replace(/^address/, label))
    throw error
  }
}
