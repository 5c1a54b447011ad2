import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { rdataFromText } from '../../dns/rdata.ts'
import { soaRecord, soaText } from './managed.ts'

test('the SOA of a zone has the very octets that its text stands for', () => {
  for (const [primary_ns, contact] of [
    ['ns1.example.org.', 'hostmaster.example.org.'],
    ['NS.Example.', 'first\\.last.example.'],
    [`${'a'.repeat(63)}.example.`, '\\000\\255\\@.example.'],
  ] as const) {
    const numbers = { refresh: 3600, retry: 600, expire: 2_147_483_647, minimum: 0 }
    const zone = { name: 'example.', ttl: 60, primary_ns, contact, ...numbers }
    for (const serial of [0, 1, 0xffffffff]) {
      const { rdata } = soaRecord(zone, serial)
      deepEqual(Buffer.from(rdata), Buffer.from(rdataFromText(6, soaText(zone, serial))))
    }
  }
})
