import { defineType } from '../define.ts'
import { u32 } from '../fields/integers.ts'
import { domainName } from '../fields/names.ts'
import { seconds } from '../fields/times.ts'

/** Start of authority: who runs the zone, its version, and how secondaries keep up with it. */
export const SOA = defineType({
  type: 'SOA',
  code: 6,
  rfc: 1035,
  fields: {
    mname: domainName,
    rname: domainName,
    serial: u32,
    refresh: seconds,
    retry: seconds,
    expire: seconds,
    minimum: seconds,
  },
  examples: ['ns1.example.com. hostmaster.example.com. 2026010101 3600 600 86400 300', '. . 0 0 0 0 0'],
  also: {
    'ns. a\\.b.example. ( 1 1h 10m 1w2d 300 )': 'ns. a\\.b.example. 1 3600 600 777600 300',
  },
  rejects: [
    'ns. host.',
    'ns. host. 1 2 3 4',
    'ns. host. 4294967296 2 3 4 5',
    'ns. host. 1 2 3 4 5 6',
    'ns. host. -1 2 3 4 5',
    'ns. host. 1 1x 3 4 5',
    'ns host. 1 2 3 4 5',
  ],
})
