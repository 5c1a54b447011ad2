import { defineType } from '../define.ts'
import { eui48 } from '../fields/groups.ts'

/** EUI-48 address of an interface. */
export const EUI48 = defineType({
  type: 'EUI48',
  code: 108,
  rfc: 7043,
  fields: { address: eui48 },
  examples: ['00-00-5e-00-53-2a'],
  also: { '00-00-5E-00-53-2A': '00-00-5e-00-53-2a' },
  rejects: ['00:00:5e:00:53:2a', '00-00-5e-00-53', '0-00-5e-00-53-2a', '00-00-5e-00-53-2a-00', '00005e00532a'],
})
