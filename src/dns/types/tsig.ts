import { defineType } from '../define.ts'
import { counted64 } from '../fields/binary.ts'
import { printedByName, u16, u48 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Transaction signature: a secret-key signature over one message. */
export const TSIG = defineType({
  type: 'TSIG',
  code: 250,
  rfc: 8945,
  meta: true,
  fields: {
    algorithm: domainName,
    timeSigned: u48,
    fudge: u16,
    mac: counted64,
    originalId: u16,
    error: printedByName(u16, { NOERROR: 0, BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 }),
    other: counted64,
  },
  examples: ['hmac-sha256. 1767225600 300 AQIDBA== 54321 NOERROR -', 'hmac-sha1. 0 300 - 1 BADTIME AAAAAAAA'],
  rejects: ['hmac-sha256. 1 300 AQID 1 NOERROR', 'hmac-sha256 1 300 AQID 1 NOERROR -', 'a. 281474976710656 1 - 1 0 -'],
})
