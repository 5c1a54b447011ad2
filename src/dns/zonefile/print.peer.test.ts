import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { comparable, readWith, tools } from '../../../test/support/zone-tools.ts'
import { rdataFromText } from '../rdata.ts'
import type { ResourceRecord } from '../record.ts'
import { types } from '../types/index.ts'
import { type PrintOptions, printZoneFile } from './print.ts'
import { parseZoneFile } from './zonefile.ts'

const ORIGIN = 'zone.invalid.'
const head = parseZoneFile('@ SOA ns.example. h.example. 1 7200 3600 1209600 300\n@ NS ns.example.\n', {
  origin: ORIGIN,
  ttl: 60,
})

// What a tool does not read in any form, or does not write so that it can be compared.
const unreadable: readonly {
  readonly tool?: string
  readonly type: string
  readonly text?: string
  readonly why: string
}[] = [
  { tool: 'named-checkzone', type: 'CDS', why: 'wants the zone to be signed' },
  { tool: 'named-checkzone', type: 'CDNSKEY', why: 'wants the zone to be signed' },
  { tool: 'named-checkzone', type: 'IPSECKEY', text: '10 0 0 .', why: 'wants a key, in octets too' },
  { tool: 'ldns-read-zone', type: 'IPSECKEY', text: '10 0 0 .', why: 'leaves it out' },
  { tool: 'nsd-checkzone', type: 'KEY', text: '49152 3 5', why: 'writes the key that is not there as 0' },
  { type: 'SIG', text: '21060207062815', why: 'times are written as seen from today, 2106 as 1969' },
  { type: 'RRSIG', text: '21060207062815', why: 'times are written as seen from today, 2106 as 1969' },
]

const examples: { readonly type: string; readonly text: string; readonly record: ResourceRecord }[] = types
  .filter(({ type, meta }) => !meta && type !== 'SOA')
  .flatMap(({ type, code, examples }) =>
    examples.map((text, i) => {
      const label = type === 'NSEC3' ? `0p9mhaveqvm6t7vbl5lop2u3t2rp3to${'0123456789'[i]}` : `${type}-${i}`
      return {
        type,
        text,
        record: { name: `${label}.${ORIGIN}`, type: code, class: 1, ttl: 60, rdata: rdataFromText(code, text) },
      }
    }),
  )

const layouts: readonly PrintOptions[] = [{}, { layout: 'aligned', origin: ORIGIN, ttl: 60 }]

for (const tool of tools.filter((tool) => tool !== 'dnspython')) {
  for (const options of layouts) {
    test(`[F30] ${tool} reads every type as it is printed with ${JSON.stringify(options)}`, () => {
      const given = [
        ...head.records,
        ...examples.filter(({ type, text }) => readable(tool, type, text)).map(({ record }) => record),
      ]
      const { refused, records } = readWith(tool, printZoneFile(given, options), ORIGIN)
      equal(refused, undefined)
      if (records !== undefined) deepEqual(records, comparable(given))
    })
  }
}

function readable(tool: string, type: string, text: string): boolean {
  return !unreadable.some((not) => (not.tool ?? tool) === tool && not.type === type && text.includes(not.text ?? ''))
}
