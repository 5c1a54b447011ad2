import { DnsError } from '../dns/errors.ts'
import { canonicalRdata, sameRdata } from '../dns/rdata.ts'
import type { ResourceRecord, RRset } from '../dns/record.ts'
import { orderKey } from './name-order.ts'
import { ceiling, entries, fromSorted, get, type OrderedMap } from './ordered-map.ts'
import { IN, SOA } from './type-codes.ts'

/** A zone's content. Never changed in place: `apply` makes the next version, which shares all that stayed the same. */
export type Zone = {
  readonly origin: string
  /** The origin's place in `names`; the key of every name in the zone starts with it. */
  readonly apex: string
  /** Every name that owns records, by `orderKey`: in canonical order, each name directly before the names below it. */
  readonly names: OrderedMap<NameNode>
  readonly recordCount: number
}

/** A name that owns records, and its RRsets in order of their type numbers. */
export type NameNode = { readonly name: string; readonly rrsets: readonly RRset[] }

/** A zone of these records; duplicates count once, and an RRset has the least TTL of its records (RFC 2181 5.2). */
export function zoneFromRecords(origin: string, records: Iterable<ResourceRecord>): Zone {
  const apex = orderKey(origin)
  const building = new Map<string, { name: string; sets: GrowingSet[] }>()
  for (const record of records) {
    const key = keyInZone({ origin, apex }, record)
    let node = building.get(key)
    if (node === undefined) {
      node = { name: record.name, sets: [] }
      building.set(key, node)
    }
    let set = node.sets.find((other) => other.type === record.type)
    if (set === undefined) {
      set = { type: record.type, ttl: record.ttl, rdatas: [], seen: undefined }
      node.sets.push(set)
    }
    grow(set, record)
  }
  let recordCount = 0
  const keys = [...building.keys()].sort(byCodeUnits)
  const nodes = keys.map((key): NameNode => {
    const { name, sets } = building.get(key)!
    sets.sort((a, b) => a.type - b.type)
    const rrsets = sets.map(({ type, ttl, rdatas }): RRset => ({ name, type, ttl, rdatas }))
    for (const set of rrsets) recordCount += set.rdatas.length
    return { name, rrsets }
  })
  return { origin, apex, names: fromSorted(keys, nodes), recordCount }
}

/** The records' name and type as a place in the zone; throws where they do not belong to it. */
export function keyInZone(zone: { readonly origin: string; readonly apex: string }, record: ResourceRecord): string {
  const key = orderKey(record.name)
  if (!key.startsWith(zone.apex)) throw new DnsError(`${record.name} must be ${zone.origin} or a name below it`)
  if (record.class !== IN) throw new DnsError(`${record.name} must have class IN, not ${record.class}`)
  return key
}

/** The records a name owns; undefined for empty non-terminals and names that do not exist. */
export function nodeAt(zone: Zone, name: string): NameNode | undefined {
  return get(zone.names, orderKey(name))
}

/** The RRset of a name and type. */
export function rrsetAt(zone: Zone, name: string, type: number): RRset | undefined {
  const node = nodeAt(zone, name)
  return node && rrsetOf(node, type)
}

/** The RRset of a type among those of one name. */
export function rrsetOf(node: NameNode, type: number): RRset | undefined {
  for (const set of node.rrsets) if (set.type === type) return set
  return undefined
}

/** Whether a name owns records or has names below it that do (RFC 4592 2.2.2). */
export function nameExists(zone: Zone, name: string): boolean {
  const key = orderKey(name)
  return ceiling(zone.names, key)?.key.startsWith(key) ?? false
}

/** The zone's SOA record. */
export function soaOf(zone: Zone): RRset | undefined {
  const node = get(zone.names, zone.apex)
  return node && rrsetOf(node, SOA)
}

/** The serial of the zone's SOA. */
export function serialOf(zone: Zone): number | undefined {
  const soa = soaOf(zone)
  return soa && soaNumber(soa.rdatas[0]!, 0)
}

/** One of the five numbers that end an SOA: 0 the serial, 4 the negative TTL. */
export function soaNumber(rdata: Uint8Array, index: 0 | 1 | 2 | 3 | 4): number {
  if (rdata.length < 22) throw new DnsError(`an SOA has at least 22 octets, not ${rdata.length}`)
  return new DataView(rdata.buffer, rdata.byteOffset + rdata.length - 20).getUint32(index * 4)
}

/** Every RRset, names in canonical order, types in order of their numbers. */
export function* rrsets(zone: Zone): Generator<RRset> {
  for (const { value } of entries(zone.names)) yield* value.rrsets
}

/** Every record, the SOA first as transfers have it, then in canonical order of names and types. */
export function* records(zone: Zone): Generator<ResourceRecord> {
  const soa = soaOf(zone)
  if (soa) yield* recordsOf(soa)
  for (const set of rrsets(zone)) if (set !== soa) yield* recordsOf(set)
}

/** An RRset's records. */
export function recordsOf({ name, type, ttl, rdatas }: RRset): ResourceRecord[] {
  return rdatas.map((rdata) => ({ name, type, class: IN, ttl, rdata }))
}

/** A string that two rdata of a type share exactly when they are the same (RFC 4034 6.2). */
export function rdataKey(type: number, rdata: Uint8Array): string {
  const canonical = canonicalRdata(type, rdata)
  return Buffer.from(canonical.buffer, canonical.byteOffset, canonical.length).toString('latin1')
}

type GrowingSet = { readonly type: number; ttl: number; readonly rdatas: Uint8Array[]; seen: Set<string> | undefined }

const FEW = 8

function grow(set: GrowingSet, { type, ttl, rdata }: ResourceRecord): void {
  set.ttl = Math.min(set.ttl, ttl)
  if (set.seen === undefined) {
    if (set.rdatas.some((other) => sameRdata(type, other, rdata))) return
    set.rdatas.push(rdata)
    if (set.rdatas.length > FEW) set.seen = new Set(set.rdatas.map((other) => rdataKey(type, other)))
    return
  }
  const key = rdataKey(type, rdata)
  if (set.seen.has(key)) return
  set.seen.add(key)
  set.rdatas.push(rdata)
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
