import { defineType } from '../define.ts'
import { digestFault } from '../fields/algorithms.ts'
import { hex } from '../fields/binary.ts'
import { u8, u32 } from '../fields/integers.ts'

/** Zone message digest: a digest over the whole zone. */
export const ZONEMD = defineType({
  type: 'ZONEMD',
  code: 63,
  rfc: 8976,
  fields: { serial: u32, scheme: u8, hashAlgorithm: u8, digest: hex },
  check: ({ hashAlgorithm, digest }) =>
    digest.length < 24
      ? `digest must have at least 12 octets, not ${digest.length / 2}`
      : digestFault('digest', hashAlgorithm, digest, { 1: 48, 2: 64 }),
  examples: [`2018031500 1 1 ${'0A'.repeat(48)}`, `1 1 2 ${'FF'.repeat(64)}`, `1 240 250 ${'00'.repeat(12)}`],
  rejects: ['1 1 1 00', `1 1 1 ${'0A'.repeat(47)}`, `1 1 250 ${'00'.repeat(11)}`, '1 1 1', `1 1 1 ${'0A'.repeat(47)}0`],
})
