import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ORIGIN, writeNastily, zoneFileRecords } from '../../../test/support/arbitrary-zone-files.ts'
import { comparable, readWith, type Tool, tools } from '../../../test/support/zone-tools.ts'
import { isWildcard } from '../name.ts'
import type { ResourceRecord } from '../record.ts'
import { printZoneFile } from './print.ts'
import { parseZoneFile } from './zonefile.ts'

const head = parseZoneFile('@ SOA ns.example. h.example. 1 7200 3600 1209600 300\n@ NS ns.example.\n', {
  origin: ORIGIN,
  ttl: 60,
}).records

// SIG, KEY, IPSECKEY, RRSIG, CDS and CDNSKEY: see what the tools do with these in print.peer.test.ts. BIND refuses NS at a wildcard.
const peculiar = new Set([24, 25, 45, 46, 59, 60])
const choices = fc.array(fc.nat(1000), { minLength: 50, maxLength: 200 })
const samples = fc
  .sample(fc.tuple(zoneFileRecords, choices), { seed: 1, numRuns: 40 })
  .map(([records, choices]) => ({
    records: records.filter(({ name, type }) => !peculiar.has(type) && !(type === 2 && isWildcard(name))),
    choices,
  }))
  .filter(({ records }) => records.length > 5)

test('files written in many ways are read as named-checkzone reads them', () => {
  for (const { records, choices } of samples) {
    // BIND does not know the byte order mark.
    const text = writeNastily([...head, ...records], choices).replace('\ufeff', '')
    const { refused, records: theirs } = readWith('named-checkzone', text, ORIGIN)
    equal(refused, undefined, text)
    deepEqual(comparable(parseZoneFile(text).records), theirs)
  }
})

// ldns writes names with quotes or a dollar sign in front without escapes; dnspython refuses an ISDN with an empty subaddress.
const readable: Record<Tool, (record: ResourceRecord) => boolean> = {
  'named-checkzone': () => true,
  kzonecheck: () => true,
  'nsd-checkzone': () => true,
  'ldns-read-zone': ({ name }) => !/\\[$"]/.test(name),
  dnspython: ({ type }) => type !== 20,
}

for (const tool of tools) {
  test(`[F30] generated records with names of any octets are printed so that ${tool} reads them`, () => {
    for (const sample of samples.slice(0, 15)) {
      const records = [...head, ...sample.records.filter(readable[tool])]
      const text = printZoneFile(records, { origin: ORIGIN, layout: 'aligned' })
      const { refused, records: theirs } = readWith(tool, text, ORIGIN)
      equal(refused, undefined, text)
      if (theirs !== undefined) deepEqual(theirs, comparable(records))
    }
  })
}
