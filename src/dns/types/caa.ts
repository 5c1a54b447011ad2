import { defineType } from '../define.ts'
import { u8 } from '../fields/integers.ts'
import { longText, word } from '../fields/strings.ts'
import { show } from '../text.ts'

/** Certification authority authorization: which authorities may issue certificates for the name, and whom to tell. */
export const CAA = defineType({
  type: 'CAA',
  code: 257,
  rfc: 8659,
  fields: { flags: u8, tag: word, value: longText },
  check: ({ tag, value }) => faults.get(tag.toLowerCase())?.(value),
  examples: [
    '0 issue "letsencrypt.org"',
    '0 issue ";"',
    '128 issuewild "ca.example.net; validationmethods=dns-01"',
    '0 iodef "mailto:security@example.com"',
    '0 contactemail "admin@example.com"',
    '255 tbs ""',
  ],
  also: {
    '0 issue letsencrypt.org': '0 issue "letsencrypt.org"',
    '0 issue ca.example.net; policy=ev': '0 issue "ca.example.net; policy=ev"',
    '0 issue ;': '0 issue ";"',
    '0 iodef https://example.com/report': '0 iodef "https://example.com/report"',
  },
  rejects: [
    '256 issue x.org',
    '0 issue',
    'issue x.org',
    '0 iodef nope',
    '0 issue "not a domain"',
    '0 issue "x.org" "y.org"',
    '0 is-sue "x.org"',
    '0 issue "unclosed',
  ],
})

const faults = new Map<string, (value: string) => string | undefined>([
  ['issue', issuerFault],
  ['issuewild', issuerFault],
  ['issuemail', issuerFault],
  ['iodef', reportFault],
])

function reportFault(value: string): string | undefined {
  if (/^(?:mailto:[^ ]+|https?:\/\/[^ ]+)$/i.test(value)) return undefined
  return `value of iodef must be a mailto:, http: or https: address, not ${show(value)}`
}

// RFC 8659 4.2: an issuer's domain or none, then parameters after semicolons.
function issuerFault(value: string): string | undefined {
  if (/^[ \t]*(?:[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*)?[ \t]*(?:;|$)/.test(value)) return undefined
  return `value must be the issuer's domain, perhaps with ; and parameters, or ; alone, not ${show(value)}`
}
