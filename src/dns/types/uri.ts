import { defineType } from '../define.ts'
import { u16 } from '../fields/integers.ts'
import { longText } from '../fields/strings.ts'
import { show } from '../text.ts'

/** Uniform resource identifier of a service. */
export const URI = defineType({
  type: 'URI',
  code: 256,
  rfc: 7553,
  fields: { priority: u16, weight: u16, target: longText },
  check: ({ target }) =>
    /^[A-Za-z][0-9A-Za-z+.-]*:[^ ]+$/.test(target)
      ? undefined
      : `target must be a URI with its scheme, not ${show(target)}`,
  examples: ['10 1 "ftp://ftp1.example.com/public"', '0 0 "https://example.com/?q=\\"x\\""'],
  also: { '10 1 https://example.com/a;b': '10 1 "https://example.com/a;b"' },
  rejects: [
    '10 1',
    '10 1 ""',
    '10 1 "no scheme"',
    '10 1 https://a b',
    '10 "https://example.com/"',
    '10 1 "https://a/" "b"',
  ],
})
