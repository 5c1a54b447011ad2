import { defineType } from '../define.ts'

/** Says in the type list of an NSEC that the name does not exist; no record has this type. */
export const NXNAME = defineType({
  type: 'NXNAME',
  code: 128,
  rfc: 9824,
  meta: true,
  fields: {},
  examples: [],
  rejects: ['x'],
})
