import { defineType } from '../define.ts'
import { u64 } from '../fields/integers.ts'

/** Node number of a Bundle Protocol node (ipn scheme). */
export const IPN = defineType({
  type: 'IPN',
  code: 264,
  rfc: 'draft-johnson-dns-ipn-cla',
  fields: { node: u64 },
  examples: ['0', '4194967296', '18446744073709551615'],
  also: { '007': '7' },
  rejects: ['', '-1', '18446744073709551616', 'ipn:1', '1 2'],
})
