import { defineType } from '../define.ts'
import { optionalText, text } from '../fields/strings.ts'

/** ISDN address: a telephone number, and a subaddress where there is one. */
export const ISDN = defineType({
  type: 'ISDN',
  code: 20,
  rfc: 1183,
  fields: { address: text, subaddress: optionalText },
  examples: ['"150862028003217"', '"150862028003217" "004"', '"1" ""'],
  also: { '150862028003217 004': '"150862028003217" "004"' },
  rejects: ['', '"1" "2" "3"'],
})
