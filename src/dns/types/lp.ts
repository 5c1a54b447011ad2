import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Locator pointer: the name where the L32 and L64 records of an ILNP node are. */
export const LP = defineType({
  type: 'LP',
  code: 107,
  rfc: 6742,
  fields: { preference: u16, target: domainName },
  examples: ['10 host.example.com.', '0 .'],
  rejects: ['host.example.com.', '10', '65536 host.example.com.', '10 host.example.com', '10 host. x'],
})
