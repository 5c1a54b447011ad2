import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Route through: a host that relays to one without its own connection. */
export const RT = defineType({
  type: 'RT',
  code: 21,
  rfc: 1183,
  fields: { preference: u16, host: domainName },
  examples: ['10 host.example.com.', '0 .'],
  rejects: ['host.example.com.', '10', '65536 host.example.com.', '10 host.example.com', '10 host. x'],
})
