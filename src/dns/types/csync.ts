import { defineType } from '../define.ts'
import { u16, u32 } from '../fields/integers.ts'
import { recordTypes } from '../fields/types.ts'

/** Child synchronization: which records of the zone below the zone above should copy. */
export const CSYNC = defineType({
  type: 'CSYNC',
  code: 62,
  rfc: 7477,
  fields: { serial: u32, flags: u16, types: recordTypes },
  examples: ['66 3 A NS AAAA', '0 0'],
  rejects: ['66', '66 3 NOPE', '66 65536 A', '4294967296 3 A'],
})
