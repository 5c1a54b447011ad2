import { defineType } from '../define.ts'
import { locator64 } from '../fields/groups.ts'
import { u16 } from '../fields/integers.ts'

/** Node identifier of an ILNP node. */
export const NID = defineType({
  type: 'NID',
  code: 104,
  rfc: 6742,
  fields: { preference: u16, node: locator64 },
  examples: ['10 0014:4fff:ff20:ee64'],
  also: { '10 14:4FFF:0:ee64': '10 0014:4fff:0000:ee64' },
  rejects: ['10', '10 0014:4fff:ff20', '10 0014:4fff:ff20:ee641', '10 ::1', '65536 0014:4fff:ff20:ee64'],
})
