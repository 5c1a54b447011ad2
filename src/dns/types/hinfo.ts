import { defineType } from '../define.ts'
import { text } from '../fields/strings.ts'

/** Host information: machine and system; also the answer to ANY (RFC 8482). */
export const HINFO = defineType({
  type: 'HINFO',
  code: 13,
  rfc: 1035,
  fields: { cpu: text, os: text },
  examples: ['"ARM64" "Linux 6"', '"RFC8482" ""'],
  also: { 'PC NT': '"PC" "NT"' },
  rejects: ['', '"PC"', 'PC Windows NT', `"${'a'.repeat(256)}" "b"`],
})
