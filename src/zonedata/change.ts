import { DnsError } from '../dns/errors.ts'
import { sameRdata } from '../dns/rdata.ts'
import type { ResourceRecord, RRset } from '../dns/record.ts'
import { orderKey } from './name-order.ts'
import { get, type OrderedMap, remove, set } from './ordered-map.ts'
import { SOA } from './type-codes.ts'
import { FEW, keyInZone, type NameNode, rdataKey, serialOf, type Zone } from './zone.ts'

/** The step from one serial of a zone to another, as IXFR sends it (RFC 1995 4): in each list the SOA comes first. */
export type Change = {
  readonly from: number
  readonly to: number
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
}

/** The zone after a change. The cost is the change's, not the zone's. Throws, and changes nothing, where the change does not fit the zone. */
export function apply(zone: Zone, change: Change): Zone {
  const serial = serialOf(zone) ?? 0
  if (serial !== change.from)
    throw new DnsError(`a change from serial ${change.from} needs a zone with it, not ${serial}`)
  let { names, recordCount } = zone
  for (const [key, edit] of editsByName(zone, change)) names = edited(names, key, edit)
  recordCount += change.added.length - change.removed.length
  const next: Zone = { ...zone, names, recordCount }
  const reached = serialOf(next) ?? 0
  if (reached !== change.to)
    throw new DnsError(`a change to serial ${change.to} must add an SOA with it, not ${reached}`)
  return next
}

/** The change that undoes a change. */
export function invert({ from, to, removed, added }: Change): Change {
  return { from: to, to: from, removed: added, added: removed }
}

/** One change with the effect of several in turn; what is added and later removed, or the reverse, is left out. */
export function condense(changes: readonly Change[]): Change {
  const first = changes[0]
  if (first === undefined) throw new DnsError('at least one change is needed')
  const fates = new Map<string, Fate>()
  let serial = first.from
  for (const change of changes) {
    if (change.from !== serial)
      throw new DnsError(`a change from serial ${serial} must follow, not from ${change.from}`)
    serial = change.to
    for (const record of change.removed) end(fates, record)
    for (const record of change.added) begin(fates, record)
  }
  const removed: ResourceRecord[] = []
  const added: ResourceRecord[] = []
  for (const { before, after } of fates.values()) {
    if (before && after && identical(before, after)) continue
    if (before) removed.push(before)
    if (after) added.push(after)
  }
  return { from: first.from, to: serial, removed: soaFirst(removed), added: soaFirst(added) }
}

/** Records with the SOA moved to the front. */
export function soaFirst(records: readonly ResourceRecord[]): ResourceRecord[] {
  return [...records.filter(({ type }) => type === SOA), ...records.filter(({ type }) => type !== SOA)]
}

type Edit = { readonly removed: ResourceRecord[]; readonly added: ResourceRecord[] }

function editsByName(zone: Zone, change: Change): Map<string, Edit> {
  const edits = new Map<string, Edit>()
  const editAt = (record: ResourceRecord): Edit => {
    const key = keyInZone(zone, record)
    let edit = edits.get(key)
    if (edit === undefined) {
      edit = { removed: [], added: [] }
      edits.set(key, edit)
    }
    return edit
  }
  for (const record of change.removed) editAt(record).removed.push(record)
  for (const record of change.added) editAt(record).added.push(record)
  return edits
}

function edited(names: OrderedMap<NameNode>, key: string, edit: Edit): OrderedMap<NameNode> {
  const node = get(names, key)
  const byType = new Map<number, RRset>(node?.rrsets.map((rrset) => [rrset.type, rrset]))
  const types = new Set([...edit.removed, ...edit.added].map(({ type }) => type))
  for (const type of types) {
    const removed = edit.removed.filter((record) => record.type === type)
    const added = edit.added.filter((record) => record.type === type)
    const rrset = editedSet(byType.get(type), removed, added)
    if (rrset) byType.set(type, rrset)
    else byType.delete(type)
  }
  if (byType.size === 0) return remove(names, key)
  // The case in which a name is written is that of the newest record, for the whole name.
  const name = edit.added[0]?.name ?? node!.name
  const rrsets = [...byType.values()].sort((a, b) => a.type - b.type)
  return set(names, key, { name, rrsets: rrsets.map((rrset) => (rrset.name === name ? rrset : { ...rrset, name })) })
}

/** An RRset without the records to remove and with those to add after the rest; throws where they do not fit it. */
export function editedSet(
  old: RRset | undefined,
  removed: readonly ResourceRecord[],
  added: readonly ResourceRecord[],
): RRset | undefined {
  const count = (old?.rdatas.length ?? 0) + added.length
  const rdatas = (count > FEW ? editedMany : editedFew)(old?.rdatas ?? [], removed, added)
  if (rdatas.length === 0) return undefined
  let ttl = count - removed.length > added.length ? old!.ttl : Number.POSITIVE_INFINITY
  for (const record of added) ttl = Math.min(ttl, record.ttl)
  const { name, type } = added[0] ?? old!
  return { name, type, ttl, rdatas }
}

type Edited = (
  old: readonly Uint8Array[],
  removed: readonly ResourceRecord[],
  added: readonly ResourceRecord[],
) => Uint8Array[]

const editedFew: Edited = (old, removed, added) => {
  const rdatas = [...old]
  for (const record of removed) {
    const at = rdatas.findIndex((rdata) => sameRdata(record.type, rdata, record.rdata))
    if (at < 0) throw notThere(record)
    rdatas.splice(at, 1)
  }
  for (const record of added) {
    if (rdatas.some((rdata) => sameRdata(record.type, rdata, record.rdata))) throw thereAlready(record)
    rdatas.push(record.rdata)
  }
  return rdatas
}

const editedMany: Edited = (old, removed, added) => {
  const { type } = (added[0] ?? removed[0])!
  const rdatas = new Map(old.map((rdata) => [rdataKey(type, rdata), rdata]))
  for (const record of removed) if (!rdatas.delete(rdataKey(type, record.rdata))) throw notThere(record)
  for (const record of added) {
    const key = rdataKey(type, record.rdata)
    if (rdatas.has(key)) throw thereAlready(record)
    rdatas.set(key, record.rdata)
  }
  return [...rdatas.values()]
}

function notThere({ name, type }: ResourceRecord): DnsError {
  return new DnsError(`a record of type ${type} to remove from ${name} must be there`)
}

function thereAlready({ name, type }: ResourceRecord): DnsError {
  return new DnsError(`a record of type ${type} to add to ${name} must not be there already`)
}

/** A record as the first change found it and as the last one left it. */
type Fate = { before: ResourceRecord | undefined; after: ResourceRecord | undefined }

function end(fates: Map<string, Fate>, record: ResourceRecord): void {
  const key = identity(record)
  const fate = fates.get(key)
  if (fate === undefined) fates.set(key, { before: record, after: undefined })
  else if (fate.after === undefined) throw new DnsError(`a record of ${record.name} is removed twice`)
  else if (fate.before === undefined) fates.delete(key)
  else fate.after = undefined
}

function begin(fates: Map<string, Fate>, record: ResourceRecord): void {
  const key = identity(record)
  const fate = fates.get(key)
  if (fate === undefined) fates.set(key, { before: undefined, after: record })
  else if (fate.after !== undefined) throw new DnsError(`a record of ${record.name} is added twice`)
  else fate.after = record
}

function identity({ name, type, rdata }: ResourceRecord): string {
  return `${orderKey(name)}\0${type}\0${rdataKey(type, rdata)}`
}

function identical(a: ResourceRecord, b: ResourceRecord): boolean {
  return a.name === b.name && a.ttl === b.ttl && Buffer.compare(a.rdata, b.rdata) === 0
}
