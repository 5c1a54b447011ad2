import { defineType } from '../define.ts'
import { algorithm, protocol } from '../fields/algorithms.ts'
import { optionalBase64 } from '../fields/binary.ts'
import { u16 } from '../fields/integers.ts'

/** Public key of a host or user; today for SIG(0) (RFC 2931). */
export const KEY = defineType({
  type: 'KEY',
  code: 25,
  rfc: 2535,
  fields: { flags: u16, protocol, algorithm, publicKey: optionalBase64 },
  check: ({ flags, publicKey }) => {
    const none = (flags & 0xc000) === 0xc000
    if (none === (publicKey === '')) return undefined
    return none ? 'public key must not be given with flags 49152 and up (no key)' : 'public key is missing'
  },
  examples: ['257 3 13 AQIDBA==', '49152 3 5'],
  also: { '256 DNSSEC RSASHA256 ( AQID BA== )': '256 3 8 AQIDBA==' },
  rejects: [
    '257 3',
    '65536 3 8 AQID',
    '257 3 RSA AQID',
    '257 3 8 AQI',
    '257 3 8 A-_D',
    '257 256 8 AQID',
    '257 3 8',
    '49152 3 5 AQID',
  ],
})
