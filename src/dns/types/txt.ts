import { defineType } from '../define.ts'
import { texts } from '../fields/strings.ts'

/** Text: one or more strings; what reads them joins the strings of one record. */
export const TXT = defineType({
  type: 'TXT',
  code: 16,
  rfc: 1035,
  fields: { text: texts },
  examples: ['"v=spf1 -all"', '""', '"a" "b"', '"say \\"hi\\" \\\\ \\228\\000"', '"semi;colon (and) parentheses"'],
  also: {
    '': '""',
    token: '"token"',
    'a"b': '"a\\"b"',
    'v=DMARC1;p=none': '"v=DMARC1;p=none"',
    '(x)': '"(x)"',
    ä: '"\\195\\164"',
    '"a""b"': '"a" "b"',
    '( "a"\n "b" )': '"a" "b"',
    [`k=${'a'.repeat(300)}`]: `"k=${'a'.repeat(253)}" "${'a'.repeat(47)}"`,
  },
  rejects: [
    '"unclosed',
    '"a" b',
    ' lead',
    'v=spf1 -all',
    'a\\',
    '"a\\"',
    '\\256',
    '\\25',
    '"a\nb"',
    `"${'a'.repeat(256)}"`,
    '\ud800',
  ],
})
