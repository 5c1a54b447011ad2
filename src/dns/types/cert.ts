import { defineType } from '../define.ts'
import { algorithm } from '../fields/algorithms.ts'
import { base64 } from '../fields/binary.ts'
import { printedByName, u16 } from '../fields/integers.ts'

/** Certificate or a pointer to one. */
export const CERT = defineType({
  type: 'CERT',
  code: 37,
  rfc: 4398,
  fields: {
    type: printedByName(u16, {
      PKIX: 1,
      SPKI: 2,
      PGP: 3,
      IPKIX: 4,
      ISPKI: 5,
      IPGP: 6,
      ACPKIX: 7,
      IACPKIX: 8,
      URI: 253,
      OID: 254,
    }),
    keyTag: u16,
    algorithm,
    certificate: base64,
  },
  examples: ['PKIX 1 8 AQIDBA==', 'OID 65535 0 AA==', '65280 0 255 AA=='],
  also: { '1 1 RSASHA256 AQID BA==': 'PKIX 1 8 AQIDBA==', 'pgp 0 0 AA==': 'PGP 0 0 AA==' },
  rejects: [
    'x',
    'BOGUS 1 RSASHA256 abcd',
    'PKIX 99999 RSASHA256 abcd',
    'PKIX 1 RSASHA256 !!!',
    'PKIX 1 BOGUS abcd',
    'PKIX 1 8',
  ],
})
