import { DnsError } from '../dns/errors.ts'
import { nameToWire, parseName, sameName, wireToName } from '../dns/name.ts'
import type { ResourceRecord, RRset } from '../dns/record.ts'
import type { Change } from './change.ts'
import { orderKey } from './name-order.ts'
import { entriesFrom } from './ordered-map.ts'
import { IN, NS, PTR, SOA, TXT } from './type-codes.ts'
import { recordsOf, rrsetAt, rrsetOf, soaOf, type Zone } from './zone.ts'

/** A zone that a catalog lists (RFC 9432 4): `id` is the label that stays the same for as long as its state should. */
export type Member = {
  readonly id: string
  readonly zone: string
  readonly groups: readonly string[]
  /** The catalog that is to take the zone over without losing its state (`coo`). */
  readonly newCatalog?: string
}

/** What a catalog zone says; a broken one must not be acted on (RFC 9432 5.1), and each fault tells what would be right. */
export type Catalog = { readonly members: readonly Member[]; readonly faults: readonly string[] }

/** Reads a catalog zone. */
export function readCatalog(zone: Zone): Catalog {
  const faults = versionFaults(zone)
  const members: Member[] = []
  const zones = new Map<string, string>()
  const under = orderKey(`zones.${zone.origin === '.' ? '' : zone.origin}`)
  for (const { key, value } of entriesFrom(zone.names, under)) {
    if (!key.startsWith(under)) break
    const ptr = rrsetOf(value, PTR)
    // One label below `zones` stands a member; what lies deeper are its properties.
    if (ptr === undefined || key.indexOf('\0', under.length) !== key.length - 1) continue
    if (ptr.rdatas.length > 1) faults.push(`${value.name} must have one PTR record, not ${ptr.rdatas.length}`)
    const member = readMember(zone, value.name, ptr, faults)
    const twin = zones.get(orderKey(member.zone))
    if (twin !== undefined) faults.push(`${member.zone} must be listed once, not by ${twin} and ${member.id}`)
    zones.set(orderKey(member.zone), member.id)
    members.push(member)
  }
  return { members, faults }
}

/** When a secondary asks for a catalog zone again, and how long it keeps one it cannot refresh, in seconds. */
export type CatalogTimers = { readonly refresh: number; readonly retry: number; readonly expire: number }

/** The records of a catalog zone. */
export function catalogRecords(
  origin: string,
  serial: number,
  members: Iterable<Member>,
  timers: CatalogTimers,
): ResourceRecord[] {
  const invalid = nameToWire('invalid.')
  const numbers = Buffer.alloc(20)
  for (const [index, number] of [serial, timers.refresh, timers.retry, timers.expire, 0].entries()) {
    numbers.writeUInt32BE(number, index * 4)
  }
  const records = [
    record(origin, SOA, Buffer.concat([invalid, invalid, numbers])),
    record(origin, NS, invalid),
    record(parseName('version', origin), TXT, textRdata('2')),
  ]
  for (const member of members) records.push(...memberRecords(origin, member))
  return records
}

/** The change that makes a catalog list `member` under its id, or, given only an id, list nothing under it; the cost does not grow with the catalog. */
export function changeMember(catalog: Zone, member: Member | { readonly id: string }, serial: number): Change {
  const { origin } = catalog
  const oldSoa = soaOf(catalog)
  if (oldSoa === undefined) throw new DnsError(`the catalog ${origin} must have an SOA`)
  const before = memberTypes(memberName(origin, member.id)).flatMap(([name, type]) => {
    const rrset = rrsetAt(catalog, name, type)
    return rrset ? recordsOf(rrset) : []
  })
  const after = 'zone' in member ? memberRecords(origin, member) : []
  const soa = Buffer.from(oldSoa.rdatas[0]!)
  soa.writeUInt32BE(serial, soa.length - 20)
  return {
    from: Buffer.from(oldSoa.rdatas[0]!).readUInt32BE(soa.length - 20),
    to: serial,
    removed: [...recordsOf(oldSoa), ...without(before, after)],
    added: [...recordsOf({ ...oldSoa, rdatas: [soa] }), ...without(after, before)],
  }
}

function versionFaults(zone: Zone): string[] {
  const version = rrsetAt(zone, parseName('version', zone.origin), TXT)
  const values = version?.rdatas.map(textOf) ?? []
  if (values.length === 1 && values[0] === '2') return []
  return [
    `version.${zone.origin} must have one TXT record, "2", not ${values.length === 0 ? 'none' : values.join(', ')}`,
  ]
}

function readMember(zone: Zone, name: string, ptr: RRset, faults: string[]): Member {
  const [, [groupName], [cooName]] = memberTypes(name)
  const groups = rrsetAt(zone, groupName, TXT)?.rdatas.map(textOf) ?? []
  const coo = rrsetAt(zone, cooName, PTR)?.rdatas ?? []
  if (coo.length > 1) faults.push(`${cooName} must have one PTR record, not ${coo.length}`)
  const member = {
    id: name.slice(0, name.length - memberName(zone.origin, '').length),
    zone: wireToName(ptr.rdatas[0]!),
    groups,
  }
  return coo[0] ? { ...member, newCatalog: wireToName(coo[0]) } : member
}

/** The names and types that tell of the member at a name. */
export function memberTypes(name: string): [[string, number], [string, number], [string, number]] {
  return [
    [name, PTR],
    [`group.${name}`, TXT],
    [`coo.${name}`, PTR],
  ]
}

/** The records by which a catalog lists a member. */
export function memberRecords(origin: string, { id, zone, groups, newCatalog }: Member): ResourceRecord[] {
  const [[name], [groupName], [cooName]] = memberTypes(memberName(origin, id))
  return [
    record(name, PTR, nameToWire(zone)),
    ...groups.map((group) => record(groupName, TXT, textRdata(group))),
    ...(newCatalog === undefined ? [] : [record(cooName, PTR, nameToWire(newCatalog))]),
  ]
}

/** Where a catalog lists the member with an id. */
export function memberName(origin: string, id: string): string {
  return `${id}.zones.${origin === '.' ? '' : origin}`
}

function without(records: readonly ResourceRecord[], others: readonly ResourceRecord[]): ResourceRecord[] {
  const isSame = (a: ResourceRecord, b: ResourceRecord) =>
    a.type === b.type && a.ttl === b.ttl && sameName(a.name, b.name) && Buffer.compare(a.rdata, b.rdata) === 0
  return records.filter((one) => !others.some((other) => isSame(one, other)))
}

function record(name: string, type: number, rdata: Uint8Array): ResourceRecord {
  return { name, type, class: IN, ttl: 0, rdata }
}

function textRdata(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  const strings: Uint8Array[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255)
    strings.push(Uint8Array.of(part.length), part)
  }
  return Buffer.concat(strings)
}

function textOf(rdata: Uint8Array): string {
  const strings: Uint8Array[] = []
  for (let at = 0; at < rdata.length; at += 1 + rdata[at]!) strings.push(rdata.subarray(at + 1, at + 1 + rdata[at]!))
  return Buffer.concat(strings).toString()
}
