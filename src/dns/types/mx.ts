import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'

/** Mail exchange: a host that takes mail for the owner name; the lowest preference is tried first. */
export const MX = defineType({
  type: 'MX',
  code: 15,
  rfc: 1035,
  fields: { preference: u16, exchange: domainName },
  check: ({ preference, exchange }) =>
    exchange === '.' && preference !== 0 ? 'a null MX (RFC 7505) has preference 0' : undefined,
  examples: ['10 mail.example.com.', '0 .', '65535 a.'],
  also: { '10   mail.example.com.': '10 mail.example.com.', '( 010\n\tmail.example.com. )': '10 mail.example.com.' },
  rejects: [
    'mail.example.com.',
    '10',
    '65536 mail.example.com.',
    '-1 mail.example.com.',
    'x mail.example.com.',
    '10 mail.example.com',
    '10 mail.example.com. extra',
    '10 .',
    '(10 mail.example.com.',
    '10 mail.example.com.)',
  ],
})
