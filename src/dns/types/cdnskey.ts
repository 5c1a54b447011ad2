import { defineType } from '../define.ts'
import { algorithm, protocol } from '../fields/algorithms.ts'
import { base64 } from '../fields/binary.ts'
import { u16 } from '../fields/integers.ts'

/** Child DNSKEY: the key the zone below asks the zone above to make DS records of; `0 3 0 AA==` asks for none. */
export const CDNSKEY = defineType({
  type: 'CDNSKEY',
  code: 60,
  rfc: 7344,
  fields: { flags: u16, protocol, algorithm, publicKey: base64 },
  examples: ['257 3 13 AQIDBA==', '0 3 0 AA=='],
  also: { '256 DNSSEC RSASHA256 ( AQID BA== )': '256 3 8 AQIDBA==' },
  rejects: ['257 3', '65536 3 8 AQID', '257 3 RSA AQID', '257 3 8 AQI', '257 3 8 A-_D', '257 256 8 AQID', '257 3 8'],
})
