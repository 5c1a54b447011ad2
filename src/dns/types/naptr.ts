import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { text } from '../fields/strings.ts'
import { show } from '../text.ts'

/** Naming authority pointer: a rule that rewrites a string into a name or a URI. */
export const NAPTR = defineType({
  type: 'NAPTR',
  code: 35,
  rfc: 3403,
  fields: { order: u16, preference: u16, flags: text, service: text, regexp: text, replacement: domainName },
  check: ({ flags, regexp }) =>
    (/^[0-9A-Za-z]*$/.test(flags) ? undefined : `flags must be letters and digits, not ${show(flags)}`) ??
    regexpFault(regexp),
  examples: [
    '100 10 "S" "SIP+D2U" "" _sip._udp.example.com.',
    '100 50 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .',
    '0 0 "" "" "/urn:cid:.+@([^\\\\.]+\\\\.)(.*)$/\\\\2/i" .',
  ],
  also: { '100 10 S SIP+D2U "" a.': '100 10 "S" "SIP+D2U" "" a.' },
  rejects: [
    'x',
    '100 10 S SIP+D2U',
    '100 10 "S" "SIP+D2U" "" a',
    '99999 10 S SIP "" a.',
    '1 1 "-" "" "" a.',
    '1 1 "u" "E2U+sip" "!^.*$!sip:info@example.com" .',
    '1 1 "u" "E2U+sip" "1x1y1" .',
  ],
})

// RFC 3402 3.2: pattern and replacement between three delimiters, then perhaps an i.
function regexpFault(regexp: string): string | undefined {
  if (regexp === '') return undefined
  const plain = regexp.replaceAll('\\\\', '\\').replaceAll('\\"', '"')
  const delimiter = plain[0]!
  const parts = plain.replace(/\\./g, '').split(delimiter)
  const right = !/[1-9i\\]/.test(delimiter) && parts.length === 4 && /^i?$/.test(parts[3]!)
  return right ? undefined : `regexp must be as in !pattern!replacement! or empty, not ${show(regexp)}`
}
