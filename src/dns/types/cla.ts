import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Convergence layer adapter of a Bundle Protocol node: strings as in TXT. */
export const CLA = defineType({
  type: 'CLA',
  code: 263,
  rfc: 'draft-johnson-dns-ipn-cla',
  fields: { adapter: texts },
  examples: ['"TCP-V4-V6"', '"TCP-V4" "LTP-V4"'],
  also: { 'TCP-V4': '"TCP-V4"' },
  rejects: ['"TCP'],
})
