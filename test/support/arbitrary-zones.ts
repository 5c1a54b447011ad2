import fc from 'fast-check'
import { type Zone, zoneFromRecords } from '../../src/zonedata/zone.ts'
import { recordsFrom } from './zones.ts'

const label = fc.constantFrom('a', 'b', 'c', 'd', '*', 'A', 'a-b', 'ns', '_x')

/** Names of few labels, so that they meet: the apex, names near it, below one another, wildcards among them. */
export const ownerIn = (origin: string) =>
  fc.array(label, { maxLength: 4 }).map((labels) => (labels.length === 0 ? origin : `${labels.join('.')}.${origin}`))

/** Targets inside the zone and, less often, outside it. */
const target = (origin: string) =>
  fc.oneof(
    { weight: 5, arbitrary: ownerIn(origin) },
    { weight: 1, arbitrary: fc.constantFrom('elsewhere.', 'ns.elsewhere.', '.') },
  )

const rdata = (origin: string) =>
  fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((n) => `A 192.0.2.${n}`),
    fc.integer({ min: 1, max: 9 }).map((n) => `AAAA 2001:db8::${n}`),
    fc.constantFrom('x', 'y', 'z').map((text) => `TXT "${text}"`),
    target(origin).map((name) => `NS ${name === '.' ? 'root.' : name}`),
    target(origin).map((name) => `CNAME ${name}`),
    target(origin).map((name) => `DNAME ${name}`),
    target(origin).map((name) => `MX 0 ${name}`),
    target(origin).map((name) => `SRV 0 0 1 ${name}`),
    fc.integer({ min: 1, max: 9 }).map((n) => `DS ${n} 8 1 0123456789ABCDEF0123456789ABCDEF01234567`),
  )

/** Lines of records for a zone, well formed each, not always sound together. */
export const zoneLines = (origin: string) =>
  fc.array(
    fc.tuple(ownerIn(origin), fc.constantFrom(60, 300, 300, 300), rdata(origin)).map((parts) => parts.join(' ')),
    { maxLength: 40 },
  )

/** Zones with an SOA of any small serial. */
export const arbitraryZone = (origin: string): fc.Arbitrary<Zone> =>
  fc.tuple(fc.integer({ min: 1, max: 99 }), zoneLines(origin)).map(([serial, lines]) => {
    const soa = `${origin} 300 SOA ns.${origin} host.${origin} ${serial} 2 3 4 60`
    return zoneFromRecords(origin, recordsFrom(origin, [soa, ...lines].join('\n')))
  })
