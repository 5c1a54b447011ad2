import { defineType } from '../define.ts'
import { optionalBase64 } from '../fields/binary.ts'
import { gateway } from '../fields/gateway.ts'
import { u8 } from '../fields/integers.ts'

/** IPsec key: the public key of the owner, and the gateway that speaks IPsec for it. */
export const IPSECKEY = defineType({
  type: 'IPSECKEY',
  code: 45,
  rfc: 4025,
  fields: { precedence: u8, gatewayType: u8, algorithm: u8, gateway, publicKey: optionalBase64 },
  check: ({ algorithm, publicKey }) =>
    publicKey === '' && algorithm !== 0 ? 'public key may be left out only with algorithm 0' : undefined,
  examples: [
    '10 1 2 192.0.2.38 AQNRU3mG7TVTO2BkR47usntb102uFJtugbo6BSGvgqt4AQ==',
    '10 0 2 . AQID',
    '10 2 2 2001:db8:0:8002::2000:1 AQID',
    '10 3 2 mygateway.example.com. AQID',
    '10 0 0 .',
  ],
  rejects: [
    '10 0 2 .',
    '10 1 2',
    '10 1 2 2001:db8::1 AQID',
    '10 4 2 . AQID',
    '10 3 2 gateway AQID',
    '10 0 2 a. AQID',
    '10 1 2 192.0.2.38 AQI',
  ],
})
