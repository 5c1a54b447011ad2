import { defineType } from '../define.ts'
import { ipv6 } from '../fields/addresses.ts'

/** Address: an IPv6 address of the owner name. */
export const AAAA = defineType({
  type: 'AAAA',
  code: 28,
  rfc: 3596,
  fields: { address: ipv6 },
  examples: ['2001:db8::1', '::', '::1', 'fe80::', '::ffff:192.0.2.1', '2001:db8:0:1:1:1:1:1'],
  also: { '2001:DB8:0:0:0:0:0:1': '2001:db8::1', '::FFFF:c000:201': '::ffff:192.0.2.1' },
  rejects: [
    '',
    '192.0.2.1',
    'zz::1',
    '::1::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'fe80::1%eth0',
    '::1 ::2',
    '[::1]',
  ],
})
