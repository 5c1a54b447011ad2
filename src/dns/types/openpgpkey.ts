import { defineType } from '../define.ts'
import { base64 } from '../fields/binary.ts'

/** OpenPGP public key of a mail address. */
export const OPENPGPKEY = defineType({
  type: 'OPENPGPKEY',
  code: 61,
  rfc: 7929,
  fields: { key: base64 },
  examples: ['mQENBFVHm5sBCACo'],
  rejects: ['', 'mQENBFVHm5sBCAC', 'm*==', 'AB=='],
})
