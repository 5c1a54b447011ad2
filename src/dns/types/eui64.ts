import { defineType } from '../define.ts'
import { eui64 } from '../fields/groups.ts'

/** EUI-64 address of an interface. */
export const EUI64 = defineType({
  type: 'EUI64',
  code: 109,
  rfc: 7043,
  fields: { address: eui64 },
  examples: ['00-00-5e-ef-10-00-00-2a'],
  rejects: ['00-00-5e-00-53-2a', '00:00:5e:ef:10:00:00:2a', '00-00-5e-ef-10-00-00-2g'],
})
