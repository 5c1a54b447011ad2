import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { blank } from '../../test/support/message-corpus.ts'
import { ask, from, query } from '../../test/support/nameserver.ts'
import { RCODE } from '../dns/codes.ts'
import { encodeMessage, type Message } from '../dns/message.ts'

// RFC 8906 8: each query of its list, what it is asked with, and what must come back.
type Given = Parameters<typeof query>[2]
type Expected = {
  readonly rcode?: number
  readonly soa?: boolean
  readonly edns?: boolean
  readonly dnssecOk?: boolean
  readonly aa?: boolean
}

const unknown = { option: 'unknown', code: 100, data: new Uint8Array() } as const
const flag = (given: Partial<Message['flags']>): Given => ({ flags: { ...blank.flags, ...given } })

const list: readonly (readonly [section: string, what: string, type: string, given: Given, expected: Expected])[] = [
  ['8.1.1', 'a server for a zone answers', 'SOA', {}, { soa: true }],
  ['8.1.2', 'a type nobody has defined', 'TYPE1000', {}, { soa: false }],
  ['8.1.3.1', 'CD set', 'SOA', flag({ cd: true }), { soa: true }],
  ['8.1.3.1', 'AD set', 'SOA', flag({ ad: true }), { soa: true }],
  ['8.1.3.3', 'RD set', 'SOA', flag({ rd: true }), { soa: true }],
  ['8.1.4', 'an opcode nobody has defined', 'SOA', { opcode: 15 }, { rcode: RCODE.NOTIMP, soa: false, aa: false }],
  ['8.2.1', 'EDNS', 'SOA', { edns: { udpSize: 4096 } }, { soa: true, edns: true }],
  [
    '8.2.2',
    'EDNS version 1',
    'SOA',
    { edns: { version: 1 } },
    { rcode: RCODE.BADVERS, soa: false, edns: true, aa: false },
  ],
  ['8.2.3', 'an option nobody has defined', 'SOA', { edns: { options: [unknown] } }, { soa: true, edns: true }],
  [
    '8.2.5',
    'EDNS version 1 with an option',
    'SOA',
    { edns: { version: 1, options: [unknown] } },
    { rcode: RCODE.BADVERS, soa: false, edns: true, aa: false },
  ],
  ['8.2.6', 'DO set', 'SOA', { edns: { dnssecOk: true } }, { soa: true, edns: true, dnssecOk: true }],
  [
    '8.2.7',
    'EDNS version 1 with DO',
    'SOA',
    { edns: { version: 1, dnssecOk: true } },
    { rcode: RCODE.BADVERS, soa: false, edns: true, aa: false },
  ],
  [
    '8.2.8',
    'several options that are defined',
    'SOA',
    {
      edns: {
        options: [
          { option: 'nsid', id: new Uint8Array() },
          { option: 'cookie', client: new Uint8Array(8) },
          { option: 'client-subnet', family: 1, sourcePrefix: 0, scopePrefix: 0, address: new Uint8Array() },
          { option: 'expire' },
        ],
      },
    },
    { soa: true, edns: true },
  ],
]

for (const transport of ['udp', 'tcp'] as const) {
  for (const [section, what, type, given, expected] of list) {
    test(`[S11] RFC 8906 ${section} over ${transport}: ${what}`, () => {
      const code = type === 'TYPE1000' ? 1000 : 6
      const bytes = query('example.', 'SOA', { ...given, question: [{ name: 'example.', type: code, class: 1 }] })
      const reply = ask(bytes, undefined, from(transport))
      const { rcode = 0, soa, edns = false, dnssecOk = false, aa = true } = expected
      equal(reply.rcode, rcode)
      equal(
        reply.answer.some((record) => record.type === 6),
        soa,
      )
      equal(reply.flags.aa, aa)
      deepEqual([reply.flags.ad, reply.flags.cd, reply.flags.ra], [false, false, false])
      equal(reply.edns !== undefined, edns)
      if (reply.edns)
        deepEqual([reply.edns.version, reply.edns.options.some((o) => o.option === 'unknown')], [0, false])
      if (reply.edns && rcode === 0) equal(reply.edns.dnssecOk, dnssecOk)
    })
  }
}

test('[S10] RFC 8906 8.1.3.2: the reserved header bit set is ignored and not sent back', () => {
  const bytes = query('example.', 'SOA')
  bytes[3]! |= 0x40
  equal(ask(bytes).answer.length, 1)
})

test('[S12] RFC 8906 8.2.4: an EDNS flag nobody has defined is ignored and not sent back', () => {
  const bytes = encodeMessage({ ...blank, question: [{ name: 'example.', type: 6, class: 1 }], edns: plainEdns })
  bytes[bytes.length - 3] = 0x40
  const reply = ask(bytes)
  deepEqual([reply.answer.length, reply.edns], [1, { ...plainEdns, udpSize: 1232 }])
})

test('[S15] RFC 8906 8.2.9: an answer larger than 512 octets is cut to that where EDNS says 512', () => {
  const reply = ask(query('large.example.', 'A', { edns: { udpSize: 512 } }))
  ok(reply.flags.tc && reply.edns)
})

const plainEdns = { udpSize: 4096, version: 0, dnssecOk: false, options: [] }
