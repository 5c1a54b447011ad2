import { deepEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ResourceRecord } from '../record.ts'
import { printZoneFile } from './print.ts'
import { parseZoneFile } from './zonefile.ts'

const golden = (name: string) => readFileSync(new URL(`../../../test/golden/zonefiles/${name}.zone`, import.meta.url))
const sorted = (records: readonly ResourceRecord[]) => printZoneFile(records).trim().split('\n').sort()

for (const dump of ['named-checkzone-full', 'named-checkzone-relative', 'knotc-zone-flush', 'pdnsutil-list-zone']) {
  test(`[F17] the dump ${dump} has the records of the zone it was made from`, () => {
    const { records, faults } = parseZoneFile(golden(dump))
    deepEqual(faults, [])
    deepEqual(sorted(records), sorted(parseZoneFile(golden('source')).records))
  })
}

test('[F17] the cache dump of BIND is read without its negative answers', () => {
  const { records, faults } = parseZoneFile(golden('rndc-dumpdb-cache'))
  deepEqual(faults, [])
  deepEqual(sorted(records), [
    'c.fwd.test. 298 IN CNAME w.fwd.test.',
    'w.fwd.test. 298 IN A 192.0.2.7',
    'w.fwd.test. 298 IN TXT "a b"',
  ])
})
