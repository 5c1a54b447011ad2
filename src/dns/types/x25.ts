import { defineType } from '../define.ts'
import { text } from '../fields/strings.ts'
import { show } from '../text.ts'

/** X.25 address: a PSDN address of decimal digits. */
export const X25 = defineType({
  type: 'X25',
  code: 19,
  rfc: 1183,
  fields: { address: text },
  check: ({ address }) =>
    /^\d{4,}$/.test(address) ? undefined : `address must be 4 or more digits, not ${show(address)}`,
  examples: ['"311061700956"'],
  also: { '311061700956': '"311061700956"' },
  rejects: ['', '"311"', '"31106170095x"', '1234 5678'],
})
