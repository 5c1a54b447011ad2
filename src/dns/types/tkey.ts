import { defineType } from '../define.ts'
import { counted64 } from '../fields/binary.ts'
import { u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { time } from '../fields/times.ts'

/** Transaction key: how two servers agree on a secret key. */
export const TKEY = defineType({
  type: 'TKEY',
  code: 249,
  rfc: 2930,
  meta: true,
  fields: {
    algorithm: domainName,
    inception: time,
    expiration: time,
    mode: u16,
    error: u16,
    key: counted64,
    other: counted64,
  },
  examples: ['gss-tsig. 20260101000000 20260102000000 3 0 AQID -'],
  rejects: ['gss-tsig. 20260101000000 20260102000000 3 0 AQID', 'gss-tsig. x 20260102000000 3 0 AQID -'],
})
