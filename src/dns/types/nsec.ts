import { defineType } from '../define.ts'
import { domainName } from '../fields/names.ts'
import { someRecordTypes } from '../fields/types.ts'

/** Next secure: the next name of the signed zone, and the types at this one. */
export const NSEC = defineType({
  type: 'NSEC',
  code: 47,
  rfc: 4034,
  fields: { next: domainName, types: someRecordTypes },
  examples: ['host.example.com. A MX RRSIG NSEC TYPE1234', '\\000.example.com. RRSIG NSEC NXNAME', '. CAA TYPE65535'],
  also: { 'a. ( mx type1 A )': 'a. A MX' },
  rejects: ['host.example.com.', 'a. NOPE', 'a. TYPE65536', 'a A', '', 'a. "A"'],
})
