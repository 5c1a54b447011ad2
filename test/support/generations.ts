import type { Message } from '../../src/dns/message.ts'
import { nameToWire } from '../../src/dns/name.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import type { Change } from '../../src/zonedata/change.ts'
import { A, CNAME, MX, SOA, TXT } from '../../src/zonedata/type-codes.ts'
import { soaNumber } from '../../src/zonedata/zone.ts'

/** A zone whose every answer tells of which generation it is, so that one drawn from two of them shows. */
export function generation(origin: string, g: number): ResourceRecord[] {
  const numbers = Buffer.alloc(20)
  numbers.writeUInt32BE(g)
  numbers.writeUInt32BE(60, 16)
  const record = (name: string, type: number, rdata: Uint8Array) => ({ name, type, class: 1, ttl: 60 + (g % 7), rdata })
  const text = (i: number) => Buffer.from(`\x0c${String(g).padStart(8, '0')} ${i % 10}${'x'.repeat(2)}`)
  const many = Array.from({ length: 1 + (g % 5) }, (_, i) => record(`many.${origin}`, TXT, text(i)))
  const target = `t${g}.deep.${origin}`
  return [
    record(origin, SOA, Buffer.concat([nameToWire(`ns.${origin}`), nameToWire(`host.${origin}`), numbers])),
    ...many,
    record(`alias.${origin}`, CNAME, nameToWire(target)),
    record(target, TXT, text(0)),
    record(`mail.${origin}`, MX, Buffer.concat([Buffer.of(0, 1), nameToWire(`m${g}.${origin}`)])),
    record(`m${g}.${origin}`, A, Buffer.of(10, g >> 16, g >> 8, g)),
  ]
}

/** The step to the next generation. */
export function nextGeneration(origin: string, g: number): Change {
  return { from: g, to: g + 1, removed: generation(origin, g), added: generation(origin, g + 1) }
}

export const asked = [
  { label: 'many', type: TXT },
  { label: 'alias', type: TXT },
  { label: 'mail', type: MX },
  { label: 'nothing', type: A },
  { label: 'deep', type: A },
] as const

/** The generation an answer is of; a text that tells what is wrong where it is of none. */
export function generationOf(label: string, reply: Message): number | string {
  const found = new Set<number>()
  for (const { type, rdata } of reply.answer)
    if (type === TXT) found.add(Number(Buffer.from(rdata).toString('latin1', 1, 9)))
  for (const { type, rdata } of reply.authority) if (type === SOA) found.add(soaNumber(rdata, 0))
  for (const { rdata } of reply.additional) found.add((rdata[1]! << 16) | (rdata[2]! << 8) | rdata[3]!)
  for (const { type, rdata } of reply.answer) if (type === CNAME) found.add(numberAfter(rdata, 0))
  for (const { type, rdata } of reply.answer) if (type === MX) found.add(numberAfter(rdata, 2))
  const [g] = found
  if (found.size !== 1 || g === undefined) return `${label} is of generations ${[...found]}`
  for (const { ttl, type } of [...reply.answer, ...reply.additional])
    if (type !== SOA && ttl !== 60 + (g % 7)) return `${label} has TTL ${ttl} in generation ${g}`
  const counts = [reply.answer.length, reply.authority.length, reply.additional.length]
  const expected = { many: [1 + (g % 5), 0, 0], alias: [2, 0, 0], mail: [1, 0, 1], nothing: [0, 1, 0], deep: [0, 1, 0] }
  if (`${counts}` !== `${expected[label as keyof typeof expected]}`) return `${label} has ${counts} records`
  if (reply.rcode !== (label === 'nothing' ? 3 : 0)) return `${label} has rcode ${reply.rcode}`
  return g
}

function numberAfter(rdata: Uint8Array, at: number): number {
  return Number(Buffer.from(rdata).toString('latin1', at + 2, at + 1 + rdata[at]!))
}
