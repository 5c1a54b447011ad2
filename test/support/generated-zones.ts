import { isBelow, parentName } from '../../src/dns/name.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { check } from '../../src/zonedata/check.ts'
import { entries } from '../../src/zonedata/ordered-map.ts'
import { DNAME, DS } from '../../src/zonedata/type-codes.ts'
import { rrsets, type Zone } from '../../src/zonedata/zone.ts'
import { linesOf, recordsFrom } from './zones.ts'

/** A zone as lines of `name ttl type rdata`. */
export type GeneratedZone = { readonly origin: string; readonly lines: readonly string[] }

/** Zones `z0.test.`, `z1.test.` … with wildcards, cuts with and without glue, aliases and empty non-terminals, the same for the same seed. */
export function generateZones(seed: number, count: number): GeneratedZone[] {
  const pick = picker(seed)
  return Array.from({ length: count }, (_, i) => generateZone(`z${i}.test.`, pick))
}

/** Questions about what a zone has, what is near it, above it and below it. */
export function generateQuestions(zone: Zone, seed: number): { name: string; type: number }[] {
  const pick = picker(seed)
  const owners = [...entries(zone.names)].map(({ value }) => value.name)
  const names = new Set<string>([`nothing.${zone.origin}`, `*.${zone.origin}`, `a.b.c.${zone.origin}`])
  for (const owner of owners) {
    names.add(owner)
    names.add(`${pick(labels)}.${owner}`)
    names.add(`${pick(labels)}.${pick(labels)}.${owner}`)
    if (owner !== zone.origin) {
      names.add(parentName(owner)!)
      names.add(`${pick(labels)}.${parentName(owner)}`)
    }
  }
  for (const { name } of targetsIn(zone)) names.add(name)
  const questions: { name: string; type: number }[] = []
  const present = [...new Set([...rrsets(zone)].map(({ type }) => type))]
  for (const name of names) {
    const types = new Set([1, pick(asked), pick(asked), pick(present)])
    for (const type of types) questions.push({ name, type })
  }
  return questions
}

type Pick = <T>(from: readonly T[]) => T

const labels = ['a', 'b', 'c', 'd', 'www', 'ns', 'sub', '*', '_tcp', 'x-y']
const asked = ['A', 'NS', 'CNAME', 'SOA', 'MX', 'TXT', 'AAAA', 'SRV', 'DNAME', 'DS', 'ANY', 'TYPE65280'].map(
  (name) => typeCode(name)!,
)

// A linear congruential generator (Numerical Recipes): the zones must be the same wherever the test runs.
function picker(seed: number): Pick {
  let state = seed >>> 0
  return (from) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return from[Math.floor((state / 2 ** 32) * from.length)]!
  }
}

function generateZone(origin: string, pick: Pick): GeneratedZone {
  const size = pick([3, 6, 10, 15, 20, 30])
  const owners = Array.from({ length: size }, () => ownerIn(origin, pick))
  const lines = [`${origin} ${pick([60, 3600])} SOA ns.${origin} host.${origin} 1 7200 900 1209600 ${pick([30, 300])}`]
  lines.push(`${origin} 3600 NS ns.${origin}`, `${origin} 3600 NS ns.elsewhere.`, `ns.${origin} 300 A 192.0.2.1`)
  for (const owner of owners) {
    const many = pick([1, 1, 2, 3])
    for (let i = 0; i < many; i++) lines.push(`${owner} 300 ${rdata(origin, owners, pick)}`)
  }
  return { origin, lines: sound(origin, lines) }
}

function ownerIn(origin: string, pick: Pick): string {
  const depth = pick([1, 1, 1, 2, 2, 3, 4])
  return `${Array.from({ length: depth }, () => pick(labels)).join('.')}.${origin}`
}

function rdata(origin: string, owners: readonly string[], pick: Pick): string {
  const near = () => pick([pick(owners), pick(owners), `${pick(labels)}.${pick(owners)}`, ownerIn(origin, pick)])
  const target = () => pick([near(), near(), near(), 'host.elsewhere.'])
  switch (pick(['A', 'AAAA', 'TXT', 'NS', 'NS', 'CNAME', 'CNAME', 'DNAME', 'MX', 'SRV', 'DS'])) {
    case 'A':
      return `A 192.0.2.${pick([1, 2, 3, 4])}`
    case 'AAAA':
      return `AAAA 2001:db8::${pick([1, 2, 3, 4])}`
    case 'TXT':
      return `TXT "${pick(labels)}"`
    case 'NS':
      return `NS ${target()}`
    case 'CNAME':
      return `CNAME ${target()}`
    case 'DNAME':
      return `DNAME ${target()}`
    case 'MX':
      return `MX 10 ${target()}`
    case 'SRV':
      return `SRV 0 0 80 ${target()}`
    default:
      return `DS ${pick([1, 2])} 8 1 0123456789ABCDEF0123456789ABCDEF01234567`
  }
}

/** The lines without those that servers refuse to load; what merely cannot be served stays. */
function sound(origin: string, lines: readonly string[]): string[] {
  let kept = recordsFrom(origin, [...new Set(lines)].join('\n'))
  // A round with a fault removes a record, so this ends.
  for (;;) {
    const faults = check(origin, kept).filter(
      ({ severity, message }) => severity === 'error' && !/an A or AAAA/.test(message),
    )
    if (faults.length === 0) return linesOf(loadable(origin, kept))
    kept = kept.filter(({ name, type }) => !faults.some((fault) => fault.name === name && fault.type === type))
  }
}

/** The records without two harmless things that stop a server: NSD's records below a DNAME that a cut hides, BIND's DS at a server of the zone. */
function loadable(origin: string, records: readonly ResourceRecord[]): ResourceRecord[] {
  const dnames = records.filter(({ type }) => type === DNAME).map(({ name }) => name)
  return records.filter(
    ({ name, type }) => !dnames.some((dname) => isBelow(name, dname)) && !(type === DS && name === `ns.${origin}`),
  )
}

function targetsIn(zone: Zone): { name: string }[] {
  return [...rrsets(zone)]
    .flatMap(({ type, rdatas }) =>
      rdatas.map((rdata) => linesOf([{ name: '.', type, class: 1, ttl: 0, rdata }])[0]!.split(' ')),
    )
    .map((words) => ({ name: words.at(-1)! }))
    .filter(({ name }) => name.endsWith(`.${zone.origin}`))
}
