import { getHeapStatistics } from 'node:v8'
import { encodeMessage } from '../../src/dns/message.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { ArenaReader } from '../../src/nameserver/arena/reader.ts'
import { servedFrom } from '../../src/nameserver/arena/served.ts'
import { ArenaWriter } from '../../src/nameserver/arena/writer.ts'

/**
 * What the name server's shared memory costs: processor time per answer by the fast path and by the general path, garbage made by ten
 * million answers, octets per record and per zone, and how fast zones are taken in. Run: node bench/nameserver/arena.ts
 */
const quick = process.argv.includes('--quick')
const scale = quick ? 0.1 : 1
const out = new Uint8Array(4096)

const record = (name: string, type: number, text: string): ResourceRecord => ({
  name,
  type,
  class: 1,
  ttl: 300,
  rdata: rdataFromText(type, text, name),
})
const soa = (origin: string) => [
  record(origin, 6, `ns1.${origin} hostmaster.${origin} 1 3600 600 86400 300`),
  record(origin, 2, `ns1.${origin}`),
]

function flagged(name: string, type: number, edns: boolean): Uint8Array {
  const flags = { qr: false, aa: false, tc: false, rd: false, ra: false, ad: false, cd: false }
  const sections = { answer: [], authority: [], additional: [] }
  const question = [{ name, type, class: 1 }]
  const opt = { edns: { udpSize: 1232, version: 0, dnssecOk: false, options: [] } }
  return encodeMessage({ id: 7, opcode: 0, rcode: 0, flags, question, ...sections, ...(edns && opt) })
}

/** Processor time, which other programs on the machine disturb least. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function time(what: string, count: number, work: (i: number) => void): void {
  for (let i = 0; i < 50_000; i++) work(i)
  const began = cpuSeconds()
  for (let i = 0; i < count; i++) work(i)
  const nanoseconds = ((cpuSeconds() - began) * 1e9) / count
  console.log(`${what.padEnd(44)} ${nanoseconds.toFixed(0).padStart(7)} ns`)
}

function answers(): void {
  const origin = 'bench.test.'
  const names = Array.from({ length: 10_000 }, (_, i) => `host${i}.${origin}`)
  const records = names.flatMap((name, i) => [
    record(name, 1, `10.0.${i >> 8}.${i & 255}`),
    ...(i % 5 === 0 ? [record(name, 28, `2001:db8::${i.toString(16)}`)] : []),
  ])
  const more = [
    record(origin, 15, `10 host1.${origin}`),
    record(`alias.${origin}`, 5, `host7.${origin}`),
    record(`*.wild.${origin}`, 1, '192.0.2.1'),
    record(`sub.${origin}`, 2, `ns1.sub.${origin}`),
    record(`sub.${origin}`, 2, `ns2.sub.${origin}`),
    record(`ns1.sub.${origin}`, 1, '192.0.2.2'),
    record(`ns2.sub.${origin}`, 1, '192.0.2.3'),
  ]
  const writer = new ArenaWriter()
  writer.putZone({ id: '1', name: origin, serial: 1 }, [...soa(origin), ...records, ...more])
  const reader = new ArenaReader(writer.handles, () => writer.handles)
  const asked = (type: number, edns: boolean) => names.map((name) => flagged(name, type, edns))
  const fast = (what: string, queries: readonly Uint8Array[]) =>
    time(`fast path: ${what}`, 2_000_000 * scale, (i) => {
      const query = queries[i % queries.length]!
      if (reader.answer(query, 0, query.length, out, 0, 1232) < 0) throw new Error(`${what} is not fast`)
    })
  const plain = asked(1, false)
  fast('A, 10,000 names', plain)
  fast('A, 10,000 names, EDNS', asked(1, true))
  fast(
    'AAAA, 2,000 names',
    plain.filter((_, i) => i % 5 === 0).map((_, i) => flagged(names[i * 5]!, 28, false)),
  )
  fast('NODATA', asked(16, false))
  fast(
    'NXDOMAIN',
    names.map((name) => flagged(`no${name}`, 1, false)),
  )
  fast('CNAME and its target', [flagged(`alias.${origin}`, 1, false)])
  fast(
    'wildcard',
    names.map((_, i) => flagged(`w${i}.wild.${origin}`, 1, false)),
  )
  fast('delegation, two servers with glue', [flagged(`www.sub.${origin}`, 1, false)])
  fast('MX with its address', [flagged(origin, 15, false)])
  const served = servedFrom(reader)
  time('general path, lookup only: A', 300_000 * scale, (i) => served.answer({ name: names[i % 10_000]!, type: 1 }))

  const [before, count] = [getHeapStatistics(), 10_000_000 * scale]
  for (let i = 0; i < count; i++) {
    const query = plain[i % 10_000]!
    reader.answer(query, 0, query.length, out, 0, 1232)
  }
  const grown = getHeapStatistics().total_allocated_bytes - before.total_allocated_bytes
  console.log(`${'heap allocated by one answer'.padEnd(44)} ${(grown / count).toFixed(3).padStart(7)} octets`)
}

function memory(): void {
  const report = (what: string, writer: ArenaWriter, seconds: number) => {
    const { zones, records, bytes, garbageBytes } = writer.stats
    console.log(
      `${what.padEnd(32)} ${zones} zones, ${records} records: ${(bytes / records).toFixed(1)} octets a record, ` +
        `${(bytes / zones).toFixed(0)} a zone, ${((100 * garbageBytes) / bytes).toFixed(1)} % of it free; ` +
        `${(records / seconds / 1e6).toFixed(2)} M records/s`,
    )
  }
  const big = new ArenaWriter()
  const origin = 'bench.test.'
  const content = [...soa(origin)]
  for (let i = 0; i < 1_000_000 * scale; i++) content.push(record(`host${i}.${origin}`, 1, '192.0.2.1'))
  const began = cpuSeconds()
  big.putZone({ id: '1', name: origin, serial: 1 }, content)
  report('one zone of one record a name', big, cpuSeconds() - began)

  const small = new ArenaWriter()
  let seconds = 0
  for (let from = 0; from < 200_000 * scale; from += 5000) {
    const zones = Array.from({ length: 5000 }, (_, i) => smallZone(`zone${from + i}.example.`))
    const began = cpuSeconds()
    for (const { name, records } of zones) small.putZone({ id: name, name, serial: 1 }, records)
    seconds += cpuSeconds() - began
  }
  report('zones of eight records', small, seconds)
}

function smallZone(name: string): { name: string; records: ResourceRecord[] } {
  const records = [
    ...soa(name),
    record(name, 2, `ns2.${name}`),
    record(name, 1, '192.0.2.1'),
    record(name, 15, `10 mail.${name}`),
    record(`mail.${name}`, 1, '192.0.2.2'),
    record(`www.${name}`, 5, name),
    record(`_dmarc.${name}`, 16, '"v=DMARC1; p=reject"'),
  ]
  return { name, records }
}

answers()
memory()
