import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Service: host and port of a service; the lowest priority is tried first, weight shares load within one. */
export const SRV = defineType({
  type: 'SRV',
  code: 33,
  rfc: 2782,
  fields: { priority: u16, weight: u16, port: u16, target: domainName },
  examples: ['10 5 5060 sip.example.com.', '0 0 0 .', '65535 65535 65535 a.'],
  also: { '10  5\t5060 sip.example.com.': '10 5 5060 sip.example.com.' },
  rejects: [
    '10 5 sip.example.com.',
    '10 5 5060 sip.example.com',
    '10 5 99999 sip.example.com.',
    'x 5 5060 sip.example.com.',
    '-1 0 1 a.',
    '10 5 5060 sip.example.com. x',
  ],
})
