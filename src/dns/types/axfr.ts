import { defineType } from '../define.ts'

/** Question for a whole zone. */
export const AXFR = defineType({
  type: 'AXFR',
  code: 252,
  rfc: 5936,
  meta: true,
  fields: {},
  examples: [],
  rejects: ['x'],
})
