import { defineType } from '../define.ts'

/** Question for the changes of a zone since a serial. */
export const IXFR = defineType({
  type: 'IXFR',
  code: 251,
  rfc: 1995,
  meta: true,
  fields: {},
  examples: [],
  rejects: ['x'],
})
