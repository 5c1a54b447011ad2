import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** AFS cell database or DCE cell: a host that serves it. */
export const AFSDB = defineType({
  type: 'AFSDB',
  code: 18,
  rfc: 1183,
  fields: { subtype: u16, hostname: domainName },
  examples: ['10 host.example.com.', '0 .'],
  rejects: ['host.example.com.', '10', '65536 host.example.com.', '10 host.example.com', '10 host. x'],
})
