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
  const nodes = new Map<string, GrowingNode>()
  const large = new Map<GrowingSet, Set<string>>()
  let recordCount = 0
  // Records of one name mostly come together.
  let node: GrowingNode | undefined
  for (const record of records) {
    if (node?.name !== record.name || record.class !== IN)
      node = nodeFor(nodes, keyInZone({ origin, apex }, record), record)
    let rrset = node.rrsets.find((other) => other.type === record.type)
    if (rrset === undefined) {
      rrset = { name: node.name, type: record.type, ttl: record.ttl, rdatas: [] }
      node.rrsets.push(rrset)
    }
    if (grow(rrset, record, large)) recordCount++
  }
  const keys = [...nodes.keys()].sort()
  const sorted = keys.map((key) => nodes.get(key)!)
  for (const { rrsets } of sorted) if (rrsets.length > 1) rrsets.sort((a, b) => a.type - b.type)
  return { origin, apex, names: fromSorted<NameNode>(keys, sorted), recordCount }
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

type GrowingNode = { readonly name: string; readonly rrsets: GrowingSet[] }

/** An RRset in the making. */
export type GrowingSet = { readonly name: string; readonly type: number; ttl: number; readonly rdatas: Uint8Array[] }

function nodeFor(nodes: Map<string, GrowingNode>, key: string, { name }: ResourceRecord): GrowingNode {
  let node = nodes.get(key)
  if (node === undefined) {
    node = { name, rrsets: [] }
    nodes.set(key, node)
  }
  return node
}

/** Up to how many records an RRset is searched one by one. */
export const FEW = 8

/** Puts a record into its RRset and tells whether it was new there; the rdata of `large` RRsets are looked up, not compared one by one. */
export function grow(
  rrset: GrowingSet,
  { type, ttl, rdata }: ResourceRecord,
  large: Map<GrowingSet, Set<string>>,
): boolean {
  rrset.ttl = Math.min(rrset.ttl, ttl)
  if (rrset.rdatas.length < FEW) {
    if (rrset.rdatas.some((other) => sameRdata(type, other, rdata))) return false
  } else {
    let seen = large.get(rrset)
    if (seen === undefined) {
      seen = new Set(rrset.rdatas.map((other) => rdataKey(type, other)))
      large.set(rrset, seen)
    }
    const key = rdataKey(type, rdata)
    if (seen.has(key)) return false
    seen.add(key)
  }
  rrset.rdatas.push(rdata)
  return true
}
