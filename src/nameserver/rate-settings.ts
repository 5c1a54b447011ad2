import { addressOctets } from './client-address.ts'
import type { Network, RateSettings } from './rate-limit.ts'

/** Rate limits from what an operator sets; the rest is as most servers have it. */
export const rateSettings = (perSecond: number, slip: number, exempt: readonly string[]): RateSettings => ({
  perSecond,
  // Random names below a wildcard are each a kind of their own; this holds them together.
  allPerSecond: 10 * perSecond,
  window: 15,
  slip,
  ipv4Prefix: 24,
  ipv6Prefix: 56,
  exempt: exempt.map(network),
})

function network(text: string): Network {
  const [host = '', bits] = text.split('/')
  const address = addressOctets(host)
  return { address, prefix: bits === undefined ? address.length * 8 : Number(bits) }
}
