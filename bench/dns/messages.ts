import dnsPacket from 'dns-packet'
import { decodeMessage, encodeMessage, type Message } from '../../src/dns/message.ts'
import { rdataFromText, rdataToText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { race } from '../support/race.ts'
import type { BenchOptions, BenchRow } from '../support/report.ts'

/** Messages read and built per second beside dns-packet, given the same bytes to read and the same records to write. */
export async function messageRows({ quick }: BenchOptions): Promise<BenchRow[]> {
  const seconds = quick ? 0.4 : 3
  const rows: BenchRow[] = []
  for (const [name, message] of Object.entries(messages)) {
    const bytes = Buffer.from(encodeMessage(message))
    const theirs = dnsPacket.decode(bytes)
    const read = race({ ours: () => decodeMessage(bytes), theirs: () => dnsPacket.decode(bytes) }, seconds)
    rows.push(row(`read ${name}`, read))
    if (message.answer.length > 0) {
      const text = race({ ours: () => readTexts(bytes), theirs: () => dnsPacket.decode(bytes) }, seconds)
      rows.push(row(`read ${name}, rdata as text`, text))
    }
    const built = race({ ours: () => encodeMessage(message), theirs: () => dnsPacket.encode(theirs) }, seconds)
    rows.push(row(`build ${name}`, built))
  }
  return rows
}

function row(name: string, { ours, theirs }: { ours: number; theirs: number }): BenchRow {
  return { case: name, unit: 'messages/s', ours, against: { name: 'dns-packet', value: theirs }, better: 'more' }
}

function readTexts(bytes: Uint8Array): number {
  const message = decodeMessage(bytes)
  let length = 0
  for (const section of [message.answer, message.authority, message.additional]) {
    for (const record of section) length += rdataToText(record.type, record.rdata).length
  }
  return length
}

function record(text: string): ResourceRecord {
  const [name, ttl, type, ...rest] = text.split(' ')
  const code = typeCode(type!)!
  return { name: name!, type: code, class: 1, ttl: Number(ttl), rdata: rdataFromText(code, rest.join(' ')) }
}

const flags = { qr: true, aa: true, tc: false, rd: true, ra: false, ad: false, cd: false }
const edns = { udpSize: 1232, version: 0, dnssecOk: true, options: [] }
const base = { id: 0x1234, opcode: 0, rcode: 0, flags, answer: [], authority: [], additional: [], edns }
const question = [{ name: 'www.example.org.', type: 1, class: 1 }]

const messages: Record<string, Message> = {
  'a query': { ...base, flags: { ...flags, qr: false, aa: false }, question },
  'an answer of 7 records': {
    ...base,
    question,
    answer: [
      record('www.example.org. 300 CNAME web.example.org.'),
      record('web.example.org. 300 A 192.0.2.1'),
      record('web.example.org. 300 A 192.0.2.2'),
    ],
    authority: [record('example.org. 3600 NS ns1.example.org.'), record('example.org. 3600 NS ns2.example.org.')],
    additional: [record('ns1.example.org. 3600 A 192.0.2.53'), record('ns2.example.org. 3600 AAAA 2001:db8::53')],
  },
  'an NXDOMAIN': {
    ...base,
    rcode: 3,
    question,
    authority: [
      record('example.org. 300 SOA ns1.example.org. hostmaster.example.org. 2026010101 7200 900 1209600 300'),
    ],
  },
  'a transfer of 200 records': {
    ...base,
    question: [{ name: 'example.org.', type: 252, class: 1 }],
    answer: Array.from({ length: 50 }, (_, i) => [
      record(`host${i}.example.org. 300 A 192.0.2.${i}`),
      record(`host${i}.example.org. 300 MX 10 mail${i}.example.org.`),
      record(`host${i}.example.org. 300 TXT "v=spf1 include:spf${i}.example.net -all"`),
      record(`_sip._tcp.host${i}.example.org. 300 SRV 1 2 5060 sip${i}.example.org.`),
    ]).flat(),
  },
}
