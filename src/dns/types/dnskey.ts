import { defineType } from '../define.ts'
import { algorithm, protocol } from '../fields/algorithms.ts'
import { base64 } from '../fields/binary.ts'
import { u16 } from '../fields/integers.ts'

/** Zone key: a public key that signs the zone. */
export const DNSKEY = defineType({
  type: 'DNSKEY',
  code: 48,
  rfc: 4034,
  fields: { flags: u16, protocol, algorithm, publicKey: base64 },
  examples: ['257 3 13 AQIDBA=='],
  also: { '256 DNSSEC RSASHA256 ( AQID BA== )': '256 3 8 AQIDBA==' },
  rejects: ['257 3', '65536 3 8 AQID', '257 3 RSA AQID', '257 3 8 AQI', '257 3 8 A-_D', '257 256 8 AQID', '256 3 8'],
})
