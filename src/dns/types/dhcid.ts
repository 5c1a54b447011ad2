import { defineType } from '../define.ts'
import { base64 } from '../fields/binary.ts'

/** DHCP identifier: which DHCP client owns the name. */
export const DHCID = defineType({
  type: 'DHCID',
  code: 49,
  rfc: 4701,
  fields: { digest: base64 },
  examples: ['AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA='],
  also: { 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69 lOjxfNuVAA2kjEA=': 'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=' },
  rejects: ['', 'AAIBY2', '!!!!', 'AAE=AAE='],
})
