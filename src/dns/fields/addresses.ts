import { parseIpv4, parseIpv6, printAddress } from '../address.ts'
import { TextError } from '../errors.ts'
import type { Tokens } from '../text.ts'
import type { Reader } from '../wire.ts'
import type { Field } from './field.ts'

/** An IPv4 address. */
export const ipv4 = address('ipv4', 4, ipv4Octets)

/** An IPv6 address. */
export const ipv6 = address('ipv6', 16, parseIpv6)

function address(kind: 'ipv4' | 'ipv6', octets: number, parse: (text: string) => Uint8Array): Field<string> {
  const scan = (tokens: Tokens, label: string) => {
    const text = tokens.next(label)
    try {
      return parse(text)
    } catch (error) {
      if (error instanceof TextError) throw new TextError(error.message.replace(/^address/, label))
      throw error
    }
  }
  return {
    shape: { kind },
    parse: (tokens, label) => printAddress(scan(tokens, label)),
    print: (text) => text,
    read: kind === 'ipv4' ? readQuad : (reader) => printAddress(reader.copy(octets)),
    write: (writer, text) => writer.bytes(parse(text)),
    scan,
    octets,
  }
}

/** The four octets of an IPv4 address. */
export function ipv4Octets(text: string): Uint8Array {
  return quad(text) ?? parseIpv4(text)
}

function readQuad(reader: Reader): string {
  return `${reader.u8()}.${reader.u8()}.${reader.u8()}.${reader.u8()}`
}

// A quarter of all records are of this type, so it is worth one pass without parts; what is wrong is said elsewhere.
function quad(text: string): Uint8Array | undefined {
  const address = new Uint8Array(4)
  let octet = -1
  let dots = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit >= 0 && digit <= 9) {
      if (octet === 0) return undefined
      octet = octet < 0 ? digit : octet * 10 + digit
      if (octet > 255) return undefined
    } else {
      if (digit !== -2 || octet < 0 || dots === 3) return undefined
      address[dots++] = octet
      octet = -1
    }
  }
  if (dots < 3 || octet < 0) return undefined
  address[3] = octet
  return address
}
