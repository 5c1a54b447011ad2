import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** A set of networks that addresses are looked up in. */
export type Networks = { readonly has: (address: string) => boolean }

/** What keeps text from being an address or a network in CIDR form, or undefined when nothing does. */
export function networkFault(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const most = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : -1
  const right =
    most >= 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  return right ? undefined : `must be an address or a network such as 192.0.2.53 or 2001:db8::/32, not '${text}'`
}

/** The set of these addresses and networks; an IPv4 address counts also where it comes mapped into IPv6. */
export function networks(entries: readonly string[]): Networks {
  // The common case, asked with every request; the list itself takes microseconds to say no.
  if (entries.length === 0) return { has: () => false }
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/', 2)
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return {
    has(address) {
      const mapped = address.replace(/^::ffff:(?=\d+\.)/i, '')
      return isIPv4(mapped) ? list.check(mapped, 'ipv4') : list.check(address, 'ipv6')
    },
  }
}
