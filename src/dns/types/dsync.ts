import { defineType } from '../define.ts'
import { printedByName, u8, u16 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { recordType } from '../fields/types.ts'

/** Delegation synchronization: where to send NOTIFY about changes of the zones below. */
export const DSYNC = defineType({
  type: 'DSYNC',
  code: 66,
  rfc: 9859,
  fields: { type: recordType, scheme: printedByName(u8, { NOTIFY: 1 }), port: u16, target: domainName },
  examples: ['CDS NOTIFY 5359 cds-scanner.example.net.', 'CSYNC 255 0 .'],
  also: { 'cds 1 5359 a.': 'CDS NOTIFY 5359 a.' },
  rejects: ['CDS NOTIFY 5359', 'CDS NOTIFY 65536 a.', 'NOPE NOTIFY 1 a.', 'CDS PUSH 1 a.', 'CDS NOTIFY 1 a'],
})
