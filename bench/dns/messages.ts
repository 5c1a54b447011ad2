import dnsPacket from 'dns-packet'
import { decodeMessage, encodeMessage, type Message } from '../../src/dns/message.ts'
import { rdataFromText, rdataToText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { race } from '../support/race.ts'
import type { BenchOptions, BenchRow } from '../support/report.ts'

// Each of as many zones has its own names, so that no one gains by having just seen the very same message.
const ZONES = 500

/** Messages read and built per second beside dns-packet, given the same bytes to read and the same records to write. */
export async function messageRows({ quick }: BenchOptions): Promise<BenchRow[]> {
  const seconds = quick ? 0.4 : 3
  const rows: BenchRow[] = []
  for (const [name, messageOf] of Object.entries(messages)) {
    const all = Array.from({ length: ZONES }, (_, i) => messageOf(`zone${i}.example.org.`))
    const bytes = all.map((message) => Buffer.from(encodeMessage(message)))
    const theirs = bytes.map((message) => dnsPacket.decode(message))
    const read = race({ ours: each(bytes, decodeMessage), theirs: each(bytes, dnsPacket.decode) }, seconds)
    rows.push(row(`read ${name}`, read))
    const text = race({ ours: each(bytes, readTexts), theirs: each(bytes, dnsPacket.decode) }, seconds)
    if (name !== 'a query') rows.push(row(`read ${name}, rdata as text`, text))
    const built = race({ ours: each(all, encodeMessage), theirs: each(theirs, dnsPacket.encode) }, seconds)
    rows.push(row(`build ${name}`, built))
  }
  return rows
}

function each<T>(inputs: readonly T[], run: (input: T) => unknown): () => void {
  let at = 0
  return () => {
    run(inputs[at]!)
    at = at + 1 === inputs.length ? 0 : at + 1
  }
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
const question = (name: string) => [{ name, type: 1, class: 1 }]

const messages: Record<string, (zone: string) => Message> = {
  'a query': (zone) => ({ ...base, flags: { ...flags, qr: false, aa: false }, question: question(`www.${zone}`) }),
  'an answer of 7 records': (zone) => ({
    ...base,
    question: question(`www.${zone}`),
    answer: [
      record(`www.${zone} 300 CNAME web.${zone}`),
      record(`web.${zone} 300 A 192.0.2.1`),
      record(`web.${zone} 300 A 192.0.2.2`),
    ],
    authority: [record(`${zone} 3600 NS ns1.${zone}`), record(`${zone} 3600 NS ns2.${zone}`)],
    additional: [record(`ns1.${zone} 3600 A 192.0.2.53`), record(`ns2.${zone} 3600 AAAA 2001:db8::53`)],
  }),
  'an NXDOMAIN': (zone) => ({
    ...base,
    rcode: 3,
    question: question(`www.${zone}`),
    authority: [record(`${zone} 300 SOA ns1.${zone} hostmaster.${zone} 2026010101 7200 900 1209600 300`)],
  }),
  'a transfer of 200 records': (zone) => ({
    ...base,
    question: [{ name: zone, type: 252, class: 1 }],
    answer: Array.from({ length: 50 }, (_, i) => [
      record(`host${i}.${zone} 300 A 192.0.2.${i}`),
      record(`host${i}.${zone} 300 MX 10 mail${i}.${zone}`),
      record(`host${i}.${zone} 300 TXT "v=spf1 include:spf${i}.example.net -all"`),
      record(`_sip._tcp.host${i}.${zone} 300 SRV 1 2 5060 sip${i}.${zone}`),
    ]).flat(),
  }),
}
