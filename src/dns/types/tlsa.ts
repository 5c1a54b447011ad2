import { defineType } from '../define.ts'
import { digestFault } from '../fields/algorithms.ts'
import { hex } from '../fields/binary.ts'
import { named, u8 } from '../fields/integers.ts'

/** TLS association: what certificate or key a TLS server must show. */
export const TLSA = association('TLSA', 52, 6698)

/** A type that binds a name to certificates, as TLSA does. */
export function association(type: string, code: number, rfc: number) {
  return defineType({
    type,
    code,
    rfc,
    fields: {
      usage: named(u8, { 'PKIX-TA': 0, 'PKIX-EE': 1, 'DANE-TA': 2, 'DANE-EE': 3, PRIVCERT: 255 }),
      selector: named(u8, { CERT: 0, SPKI: 1, PRIVSEL: 255 }),
      matchingType: named(u8, { FULL: 0, 'SHA2-256': 1, 'SHA2-512': 2, PRIVMATCH: 255 }),
      data: hex,
    },
    check: ({ matchingType, data }) => digestFault('data', matchingType, data, { 1: 32, 2: 64 }),
    examples: [`3 1 1 ${'0A'.repeat(32)}`, `2 0 2 ${'FF'.repeat(64)}`, '0 0 0 308201'],
    also: {
      [`DANE-EE SPKI SHA2-256 ${'0a'.repeat(32)}`]: `3 1 1 ${'0A'.repeat(32)}`,
      [`3 1 1 ( ${'0a'.repeat(16)}\n\t${'0a'.repeat(16)} )`]: `3 1 1 ${'0A'.repeat(32)}`,
    },
    rejects: ['3 1 1', '3 1 1 00', '3 1 0 0', '256 1 0 00', `3 1 2 ${'0A'.repeat(32)}`, '3 1 0 xx', '3 1'],
  })
}
