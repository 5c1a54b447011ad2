import { isAtOrBelow, wireToName } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { error, type Fault, warning } from './fault.ts'
import { find } from './find.ts'
import { entries } from './ordered-map.ts'
import { A, AAAA, CNAME, MX, NS, SRV } from './type-codes.ts'
import { type NameNode, nodeAt, rrsetOf, type Zone } from './zone.ts'

/** NS, MX and SRV records that point at names of the zone which have no address, or only an alias. */
export function targetFaults(zone: Zone): Fault[] {
  const faults: Fault[] = []
  for (const { value } of entries(zone.names)) {
    if (isCovered(zone, value)) continue
    for (const rrset of value.rrsets) {
      const offset = offsets.get(rrset.type)
      if (offset === undefined) continue
      for (const rdata of rrset.rdatas) {
        const target = wireToName(rdata, offset)
        // `.` says there is none (RFC 7505, RFC 2782).
        if (target === '.' || !isAtOrBelow(target, zone.origin)) continue
        const fault = targetFault(zone, rrset, target)
        if (fault) faults.push(fault)
      }
    }
  }
  return faults
}

const offsets: ReadonlyMap<number, number> = new Map([
  [NS, 0],
  [MX, 2],
  [SRV, 6],
])

function isCovered(zone: Zone, node: NameNode): boolean {
  const found = find(zone, node.name, 0)
  return found.kind !== 'nothing' && found.node !== node
}

function targetFault(zone: Zone, rrset: RRset, target: string): Fault | undefined {
  const found = find(zone, target, A)
  switch (found.kind) {
    case 'node':
      if (found.node && rrsetOf(found.node, CNAME))
        return warning(rrset, `${target} must have an address of its own, not a CNAME (RFC 2181 10.3)`)
      return found.node && hasAddress(found.node) ? undefined : withoutAddress(rrset, target)
    case 'nothing':
      return withoutAddress(rrset, target)
    case 'dname':
      return warning(rrset, `${target} must have an address of its own, not be below the DNAME at ${found.node.name}`)
    case 'cut':
      if (rrset.type !== NS || hasAddress(nodeAt(zone, target))) return undefined
      return glueFault(rrset, target, found.node)
  }
}

// A name server inside the delegation it serves can be reached by glue alone; one inside another delegation by asking there.
function glueFault(rrset: RRset, target: string, cut: NameNode): Fault {
  const message = `${target} is below the delegation at ${cut.name} and needs an A or AAAA record here as glue (RFC 9471)`
  return rrset.name === cut.name ? error(rrset, message) : warning(rrset, message)
}

function withoutAddress(rrset: RRset, target: string): Fault {
  const message = `${target} is in the zone and must have an A or AAAA record`
  return rrset.type === NS ? error(rrset, message) : warning(rrset, message)
}

function hasAddress(node: NameNode | undefined): boolean {
  return node !== undefined && (rrsetOf(node, A) !== undefined || rrsetOf(node, AAAA) !== undefined)
}
