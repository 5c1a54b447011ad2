import { defineType } from '../define.ts'
import { base64OrDash } from '../fields/binary.ts'
import { u8, u32 } from '../fields/integers.ts'
import { text } from '../fields/strings.ts'

/** Digital object: an object or where it is, by an architecture of numbered enterprises. */
export const DOA = defineType({
  type: 'DOA',
  code: 259,
  rfc: 'draft-durand-doa-over-dns',
  fields: { enterprise: u32, type: u32, location: u8, mediaType: text, data: base64OrDash },
  examples: ['0 1 2 "image/png" AQID', '0 1 1 "" -'],
  also: { '0 1 2 image/png AQ ID': '0 1 2 "image/png" AQID' },
  rejects: ['0 1 2 "image/png"', '0 1 256 "" -', '0 1 2 "" AQI', '4294967296 1 2 "" -'],
})
