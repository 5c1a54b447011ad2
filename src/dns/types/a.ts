import { defineType } from '../define.ts'
import { ipv4 } from '../fields/addresses.ts'

/** Address: an IPv4 address of the owner name. */
export const A = defineType({
  type: 'A',
  code: 1,
  rfc: 1035,
  fields: { address: ipv4 },
  examples: ['192.0.2.1', '0.0.0.0', '255.255.255.255'],
  also: { ' 192.0.2.1 ': '192.0.2.1', '\\# 4 C0000201': '192.0.2.1' },
  rejects: [
    '',
    'nope',
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4.5',
    '01.02.03.04',
    '2001:db8::1',
    '1.2.3.4 5',
    '"1.2.3.4"',
    '\\# 3 C00002',
  ],
})
