import { defineType } from '../define.ts'
import { digestFault } from '../fields/algorithms.ts'
import { hex } from '../fields/binary.ts'
import { u8 } from '../fields/integers.ts'

/** Secure shell fingerprint: digest of a host key. */
export const SSHFP = defineType({
  type: 'SSHFP',
  code: 44,
  rfc: 4255,
  fields: { algorithm: u8, fingerprintType: u8, fingerprint: hex },
  check: ({ fingerprintType, fingerprint }) =>
    digestFault('fingerprint', fingerprintType, fingerprint, { 1: 20, 2: 32 }),
  examples: ['2 1 123456789ABCDEF67890123456789ABCDEF67890', `4 2 ${'0A'.repeat(32)}`, '9 9 00'],
  also: { '2 1 123456789abcdef67890 123456789abcdef67890': '2 1 123456789ABCDEF67890123456789ABCDEF67890' },
  rejects: ['1 1', '1 1 zz', '1 1 abc', '1 1 abcd', '256 1 00', `1 2 ${'0A'.repeat(20)}`],
})
