import { defineType } from '../define.ts'
import { salt } from '../fields/binary.ts'
import { u8, u16 } from '../fields/integers.ts'

/** Parameters with which a zone hashes its names for NSEC3. */
export const NSEC3PARAM = defineType({
  type: 'NSEC3PARAM',
  code: 51,
  rfc: 5155,
  fields: { hashAlgorithm: u8, flags: u8, iterations: u16, salt },
  examples: ['1 0 12 AABBCCDD', '1 0 0 -'],
  rejects: ['1 0 12', '1 0 12 abc', '1 0 70000 -', '1 0 0 - -', `1 0 0 ${'00'.repeat(256)}`],
})
