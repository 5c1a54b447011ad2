import { parseSeconds } from '../fields/times.ts'

/** The longest TTL there is (RFC 2181 8). */
const MOST_TTL = 0x7fff_ffff

/** Seconds, written as a number or with units as in 1w2d3h4m5s. */
export function parseTtl(text: string): number {
  return parseSeconds(text, 'TTL', MOST_TTL)
}
