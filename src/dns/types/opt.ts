import { defineType } from '../define.ts'
import { options } from '../fields/options.ts'

/** EDNS options: what the two ends of a message agree on. */
export const OPT = defineType({
  type: 'OPT',
  code: 41,
  rfc: 6891,
  meta: true,
  fields: { options },
  examples: ['3:6E7331 15:0012'],
  rejects: ['3', 'x:00', '3:0', '65536:00'],
})
