import { defineType } from '../define.ts'

/** Question for any types there are at a name. */
export const ANY = defineType({
  type: 'ANY',
  code: 255,
  rfc: 8482,
  meta: true,
  fields: {},
  examples: [],
  rejects: ['x'],
})
