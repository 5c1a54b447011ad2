import { isAtOrBelow, isWildcard } from '../dns/name.ts'
import type { ResourceRecord, RRset } from '../dns/record.ts'
import { typeName } from '../dns/types/index.ts'
import { error, type Fault, warning } from './fault.ts'
import { orderKey } from './name-order.ts'
import { occlusionFaults } from './occlusion.ts'
import { entries } from './ordered-map.ts'
import { targetFaults } from './targets.ts'
import { CNAME, DNAME, DS, IN, NS, NSEC, RRSIG, SOA } from './type-codes.ts'
import { type NameNode, nodeAt, rdataKey, rrsetOf, type Zone, zoneFromRecords } from './zone.ts'

/** Everything wrong with records that are to be a zone. */
export function check(origin: string, records: Iterable<ResourceRecord>): Fault[] {
  const kept: ResourceRecord[] = []
  const faults = recordFaults(origin, records, kept)
  return [...faults, ...checkZone(zoneFromRecords(origin, kept))]
}

/** Everything wrong with a zone as it is. */
export function checkZone(zone: Zone): Fault[] {
  const faults = apexFaults(zone)
  for (const { key, value } of entries(zone.names)) faults.push(...nodeFaults(value, key === zone.apex))
  return [...faults, ...occlusionFaults(zone), ...targetFaults(zone)]
}

/** What only the list can show, since a zone holds each record once and an RRset has one TTL; the sound records go to `kept`. */
function recordFaults(origin: string, records: Iterable<ResourceRecord>, kept: ResourceRecord[]): Fault[] {
  const faults: Fault[] = []
  const seen = new Map<string, { ttl: number; rdatas: Set<string> }>()
  for (const record of records) {
    const misplaced = placeFault(origin, record)
    if (misplaced) {
      faults.push(misplaced)
      continue
    }
    kept.push(record)
    const place = `${orderKey(record.name)}\0${record.type}`
    const key = rdataKey(record.type, record.rdata)
    const set = seen.get(place)
    if (set === undefined) seen.set(place, { ttl: record.ttl, rdatas: new Set([key]) })
    else if (set.rdatas.has(key)) faults.push(warning(record, 'the same record is there twice, once is enough'))
    else {
      set.rdatas.add(key)
      if (set.ttl !== record.ttl) {
        faults.push(
          warning(
            record,
            `all records must have one TTL (RFC 2181 5.2), not ${set.ttl} and ${record.ttl}; the least counts`,
          ),
        )
      }
    }
  }
  return faults
}

function placeFault(origin: string, record: ResourceRecord): Fault | undefined {
  if (!isAtOrBelow(record.name, origin)) return error(record, `the name must be ${origin} or below it`)
  return record.class === IN ? undefined : error(record, `the class must be IN (1), not ${record.class}`)
}

function apexFaults(zone: Zone): Fault[] {
  const apex = nodeAt(zone, zone.origin)
  const faults: Fault[] = []
  if (!(apex && rrsetOf(apex, SOA)))
    faults.push(error({ name: zone.origin, type: SOA }, 'the zone must have one SOA record, here'))
  if (!(apex && rrsetOf(apex, NS)))
    faults.push(error({ name: zone.origin, type: NS }, 'the zone must have at least one NS record, here'))
  return faults
}

function nodeFaults(node: NameNode, isApex: boolean): Fault[] {
  const faults: Fault[] = []
  for (const rrset of node.rrsets) {
    if (isSingleton(rrset.type) && rrset.rdatas.length > 1) {
      faults.push(
        error(rrset, `a name must have one ${typeName(rrset.type)} record at most, not ${rrset.rdatas.length}`),
      )
    }
    const misplaced = isApex ? apexOnlyFault(rrset) : belowApexFault(rrset, node)
    if (misplaced) faults.push(misplaced)
  }
  const alias = rrsetOf(node, CNAME)
  const others = node.rrsets.filter(({ type }) => type !== CNAME && !mayStandBesideCname(type))
  if (alias && others.length > 0) {
    const list = others.map(({ type }) => typeName(type)).join(', ')
    faults.push(error(alias, `a CNAME must stand alone at its name (RFC 1034 3.6.2), not beside ${list}`))
  }
  return faults
}

function isSingleton(type: number): boolean {
  return type === SOA || type === CNAME || type === DNAME
}

function mayStandBesideCname(type: number): boolean {
  return type === RRSIG || type === NSEC
}

function apexOnlyFault(rrset: RRset): Fault | undefined {
  return rrset.type === DS
    ? error(rrset, 'a DS must stand in the parent zone, not at the apex of its own (RFC 4035 2.4)')
    : undefined
}

function belowApexFault(rrset: RRset, node: NameNode): Fault | undefined {
  switch (rrset.type) {
    case SOA:
      return error(rrset, 'an SOA must stand at the apex only')
    case NS:
      return isWildcard(rrset.name)
        ? error(rrset, 'a delegation must have a name of its own, not a wildcard (RFC 4592 4.2)')
        : undefined
    case DNAME:
      if (rrsetOf(node, NS)) return error(rrset, 'a DNAME must not stand beside a delegation (RFC 6672 2.3)')
      return isWildcard(rrset.name)
        ? warning(rrset, 'a DNAME should have a name of its own, not a wildcard (RFC 4592 4.4)')
        : undefined
    case DS:
      return rrsetOf(node, NS)
        ? undefined
        : warning(rrset, 'a DS should stand beside the NS records of a delegation (RFC 4035 2.4)')
  }
  return undefined
}
