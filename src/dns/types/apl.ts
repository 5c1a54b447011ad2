import { defineType } from '../define.ts'
import { prefixes } from '../fields/prefixes.ts'

/** Address prefix list: ranges of addresses. */
export const APL = defineType({
  type: 'APL',
  code: 42,
  rfc: 3123,
  fields: { prefixes },
  inexact: true,
  examples: ['1:192.168.32.0/21 !1:192.168.38.0/28', '2:ff00::/8', '1:0.0.0.0/0', '\\# 0'],
  also: { '': '\\# 0', '2:FF00:0::/8': '2:ff00::/8' },
  rejects: [
    '1:192.0.2.0',
    '1:192.0.2.0/33',
    '2:ff00::/129',
    '3:00/8',
    '1:ff00::/8',
    '192.0.2.0/24',
    '!!1:192.0.2.0/24',
  ],
})
