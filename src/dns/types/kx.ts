import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Key exchanger: a host that exchanges keys for the owner name. */
export const KX = defineType({
  type: 'KX',
  code: 36,
  rfc: 2230,
  fields: { preference: u16, exchanger: domainName },
  examples: ['10 host.example.com.', '0 .'],
  rejects: ['host.example.com.', '10', '65536 host.example.com.', '10 host.example.com', '10 host. x'],
})
