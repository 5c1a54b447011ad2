import { defineType } from '../define.ts'
import { ipv4 } from '../fields/addresses.ts'
import { u16 } from '../fields/integers.ts'

/** 32-bit locator of an ILNP node. */
export const L32 = defineType({
  type: 'L32',
  code: 105,
  rfc: 6742,
  fields: { preference: u16, locator: ipv4 },
  examples: ['10 10.1.2.0'],
  rejects: ['10', '10 10.1.2', '65536 10.1.2.0', '10 ::1'],
})
