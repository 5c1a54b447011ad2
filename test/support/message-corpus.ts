import type { Edns } from '../../src/dns/edns.ts'
import type { Message } from '../../src/dns/message.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'

/** A message with nothing set, to spread others from. */
export const blank: Message = {
  id: 0x1234,
  opcode: 0,
  rcode: 0,
  flags: { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false },
  question: [],
  answer: [],
  authority: [],
  additional: [],
}

/** A record written as in a zone file: `name ttl type rdata`, class IN. */
export function record(text: string): ResourceRecord {
  const [name, ttl, type, ...rest] = text.split(' ')
  const code = typeCode(type!)!
  return { name: name!, type: code, class: 1, ttl: Number(ttl), rdata: rdataFromText(code, rest.join(' ')) }
}

/** A question of class IN. */
export function question(name: string, type: string): Message['question'][number] {
  return { name, type: typeCode(type)!, class: 1 }
}

const response = { ...blank.flags, qr: true, aa: true }
const opt: Edns = { udpSize: 1232, version: 0, dnssecOk: true, options: [] }

/** Messages as servers really exchange them, for mutating. */
export const corpus: Readonly<Record<string, Message>> = {
  query: { ...blank, flags: { ...blank.flags, rd: true }, question: [question('www.example.org.', 'A')] },
  'query with options': {
    ...blank,
    question: [question('WWW.example.org.', 'HTTPS')],
    edns: {
      ...opt,
      options: [
        { option: 'nsid', id: new Uint8Array(0) },
        { option: 'cookie', client: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
        { option: 'client-subnet', family: 1, sourcePrefix: 20, scopePrefix: 0, address: Uint8Array.of(192, 0, 0x20) },
        { option: 'zone-version' },
        { option: 'tcp-keepalive' },
        { option: 'padding', length: 5 },
      ],
    },
  },
  answer: {
    ...blank,
    flags: response,
    question: [question('www.example.org.', 'A')],
    answer: [
      record('www.example.org. 300 CNAME web.example.org.'),
      record('web.example.org. 300 A 192.0.2.1'),
      record('web.example.org. 300 A 192.0.2.2'),
    ],
    authority: [record('example.org. 3600 NS ns1.example.org.'), record('example.org. 3600 NS ns2.example.net.')],
    additional: [record('ns1.example.org. 3600 A 192.0.2.53'), record('ns1.example.org. 3600 AAAA 2001:db8::53')],
    edns: opt,
  },
  'mail and service': {
    ...blank,
    flags: response,
    question: [question('example.org.', 'ANY')],
    answer: [
      record('example.org. 300 MX 10 mail.example.org.'),
      record('example.org. 300 TXT "v=spf1 -all" "more"'),
      record('_sip._tcp.example.org. 300 SRV 1 2 5060 sip.example.org.'),
      record('example.org. 300 HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1'),
      record('example.org. 300 CAA 0 issue "ca.example.net"'),
      record('example.org. 300 TYPE65280 \\# 4 0A000001'),
    ],
  },
  'no such name': {
    ...blank,
    rcode: 3,
    flags: response,
    question: [question('gone.example.org.', 'A')],
    authority: [record('example.org. 300 SOA ns1.example.org. host.example.org. 2026010101 7200 900 1209600 300')],
    edns: {
      ...opt,
      options: [
        { option: 'extended-error', code: 22, text: 'no reachable authority' },
        { option: 'expire', seconds: 86400 },
      ],
    },
  },
  'bad version': {
    ...blank,
    rcode: 16,
    flags: response,
    edns: { ...opt, options: [{ option: 'report-channel', agent: 'agent.example.' }] },
  },
  update: {
    ...blank,
    opcode: 5,
    question: [question('example.org.', 'SOA')],
    answer: [{ name: 'www.example.org.', type: 255, class: 255, ttl: 0, rdata: new Uint8Array(0) }],
    authority: [
      { name: 'www.example.org.', type: 1, class: 255, ttl: 0, rdata: new Uint8Array(0) },
      { ...record('www.example.org. 0 A 192.0.2.1'), class: 254 },
      record('www.example.org. 300 A 192.0.2.9'),
    ],
    tsig: {
      name: 'key.example.',
      algorithm: 'hmac-sha256.',
      time: 1_790_000_000,
      fudge: 300,
      mac: new Uint8Array(32).fill(7),
      originalId: 0x1234,
      error: 18,
      other: Uint8Array.of(0, 0, 1, 2, 3, 4),
    },
  },
}
