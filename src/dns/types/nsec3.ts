import { defineType } from '../define.ts'
import { base32, salt } from '../fields/binary.ts'
import { u8, u16 } from '../fields/integers.ts'
import { recordTypes } from '../fields/types.ts'

/** Next secure by hash: the next hashed name of the signed zone, and the types at this one. */
export const NSEC3 = defineType({
  type: 'NSEC3',
  code: 50,
  rfc: 5155,
  fields: { hashAlgorithm: u8, flags: u8, iterations: u16, salt, next: base32, types: recordTypes },
  examples: ['1 1 12 AABBCCDD 2VPTU5TIMAMQTTGL4LUU9KG21E0AOR3S A RRSIG', '1 0 0 - 0P9MHAVEQVM6T7VBL5LOP2U3T2RP3TOM'],
  also: { '1 1 12 aabbccdd 2vptu5timamqttgl4luu9kg21e0aor3s': '1 1 12 AABBCCDD 2VPTU5TIMAMQTTGL4LUU9KG21E0AOR3S' },
  rejects: [
    '1 1 12 aabbccdd',
    '1 1 12 abc 2VPTU5TI',
    '1 1 12 - 2VPTU5TZ',
    '1 1 65536 - 2VPTU5TI',
    '1 1 12 - 2VPTU5T',
    '1 1 12 - 2V NOPE',
  ],
})
