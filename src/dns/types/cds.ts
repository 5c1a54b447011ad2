import { defineType } from '../define.ts'
import { algorithm, digestFault, digestLengths, digestType } from '../fields/algorithms.ts'
import { hex } from '../fields/binary.ts'
import { u16 } from '../fields/integers.ts'

/** Child DS: what the zone below asks the zone above to publish as DS; `0 0 0 00` asks for none. */
export const CDS = defineType({
  type: 'CDS',
  code: 59,
  rfc: 7344,
  fields: { keyTag: u16, algorithm, digestType, digest: hex },
  check: ({ digestType, digest }) => digestFault('digest', digestType, digest, digestLengths),
  examples: ['60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118', `1 13 2 ${'0A'.repeat(32)}`, '0 0 0 00'],
  also: { [`1 ECDSAP256SHA256 SHA-256 ${'0a'.repeat(16)} ${'0a'.repeat(16)}`]: `1 13 2 ${'0A'.repeat(32)}` },
  rejects: ['60485 5 1', '60485 5 1 00', '65536 5 250 00', '1 BOGUS 250 00', '1 13 250 0', '1 256 250 00'],
})
