import { parseIpv4, parseIpv6, printAddress } from './address.ts'
import { labelsOf } from './name.ts'

/** The name under in-addr.arpa. or ip6.arpa. that holds an address's PTR record (RFC 1035 3.5, RFC 3596 2.5). */
export function reverseName(address: string): string {
  if (!address.includes(':')) return `${Array.from(parseIpv4(address)).reverse().join('.')}.in-addr.arpa.`
  const nibbles = Array.from(parseIpv6(address), (octet) => octet.toString(16).padStart(2, '0')).join('')
  return `${[...nibbles].reverse().join('.')}.ip6.arpa.`
}

/** The address a whole reverse name stands for. */
export function addressOfReverse(name: string): string | undefined {
  const labels = labelsOf(name.toLowerCase())
  const tree = labels.splice(-2).join('.')
  labels.reverse()
  if (tree === 'in-addr.arpa') {
    const isOctet = (label: string) => /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255
    return labels.length === 4 && labels.every(isOctet) ? labels.join('.') : undefined
  }
  if (tree !== 'ip6.arpa' || labels.length !== 32 || !labels.every((label) => /^[0-9a-f]$/.test(label)))
    return undefined
  return printAddress(
    Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(labels[2 * i]! + labels[2 * i + 1]!, 16)),
  )
}
