import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Sender policy, from before it moved to TXT (RFC 7208 3.1). */
export const SPF = defineType({
  type: 'SPF',
  code: 99,
  rfc: 4408,
  fields: { text: texts },
  examples: ['"v=spf1 -all"'],
  also: { 'v=spf1': '"v=spf1"' },
  rejects: ['"unclosed', 'v=spf1 -all'],
})
