import { parseIpv4, parseIpv6 } from '../dns/address.ts'

/** The octets of an address as sockets tell it: without its zone, and IPv4 as such where it comes mapped into IPv6. */
export function addressOctets(text: string): Uint8Array {
  if (!text.includes(':')) return parseIpv4(text)
  const octets = parseIpv6(text.split('%')[0]!)
  return isMapped(octets) ? octets.subarray(12) : octets
}

function isMapped(octets: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (octets[i] !== 0) return false
  return octets[10] === 0xff && octets[11] === 0xff
}
