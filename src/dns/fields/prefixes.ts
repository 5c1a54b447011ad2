import { parseIpv4, parseIpv6, printAddress } from '../address.ts'
import { DnsError, TextError, WireError } from '../errors.ts'
import { show } from '../text.ts'
import { toHex } from './binary.ts'
import type { Field } from './field.ts'

/** One address range; the address is in hexadecimal without the zero octets at its end. */
export type Prefix = {
  readonly negated: boolean
  readonly family: number
  readonly prefix: number
  readonly address: string
}

const octetsIn: Readonly<Record<number, number>> = { 1: 4, 2: 16 }

/** Address ranges (RFC 3123): `1:192.0.2.0/24 !2:2001:db8::/32`. */
export const prefixes: Field<readonly Prefix[]> = {
  shape: { kind: 'prefixes' },
  parse: (tokens, label) => tokens.rest().map((token) => parsePrefix(token, label)),
  print: (list) => list.map(printPrefix).join(' '),
  read(reader) {
    const list: Prefix[] = []
    while (reader.remaining > 0) {
      const [family, prefix, length] = [reader.u16(), reader.u8(), reader.u8()]
      const octets = octetsIn[family] ?? 127
      if ((length & 0x7f) > octets || (octetsIn[family] !== undefined && prefix > 8 * octets)) {
        throw new WireError(`an address range of family ${family} has at most ${octets} octets`)
      }
      list.push({ negated: length > 127, family, prefix, address: toHex(reader.bytes(length & 0x7f)) })
    }
    return list
  },
  write(writer, list) {
    for (const { negated, family, prefix, address } of list) {
      writer.u16(family)
      writer.u8(prefix)
      writer.u8((address.length / 2) | (negated ? 0x80 : 0))
      writer.bytes(Buffer.from(address, 'hex'))
    }
  },
}

function parsePrefix(token: string, label: string): Prefix {
  const [, not, family, address, length] = /^(!?)([12]):([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(token) ?? []
  const octets = address === undefined ? undefined : addressOctets(family!, address)
  if (octets === undefined || Number(length) > 8 * octets.length) {
    throw new TextError(`${label} must be as in 1:192.0.2.0/24 or !2:2001:db8::/32, not ${show(token)}`)
  }
  const trimmed = toHex(octets).replace(/(?:00)+$/, (zeros, at: number) => (at % 2 === 0 ? '' : zeros.slice(0, 1)))
  return { negated: not === '!', family: Number(family), prefix: Number(length), address: trimmed }
}

function addressOctets(family: string, address: string): Uint8Array | undefined {
  try {
    return family === '1' ? parseIpv4(address) : parseIpv6(address)
  } catch (error) {
    if (error instanceof DnsError) return undefined
    throw error
  }
}

function printPrefix({ negated, family, prefix, address }: Prefix): string {
  const octets = octetsIn[family]
  const text = octets === undefined ? address : printAddress(Buffer.from(address.padEnd(octets * 2, '0'), 'hex'))
  return `${negated ? '!' : ''}${family}:${text}/${prefix}`
}
