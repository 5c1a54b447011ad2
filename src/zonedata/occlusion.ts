import { wireToName } from '../dns/name.ts'
import { error, type Fault, warning } from './fault.ts'
import { orderKey } from './name-order.ts'
import { entries } from './ordered-map.ts'
import { A, AAAA, DNAME, DS, NS, NSEC, RRSIG } from './type-codes.ts'
import { type NameNode, rrsetOf, type Zone } from './zone.ts'

/** Records that are never served because a delegation or a DNAME covers their name, and glue that nothing needs. */
export function occlusionFaults(zone: Zone): Fault[] {
  const faults: Fault[] = []
  const servers = nameServers(zone)
  // In canonical order a name comes directly before all names below it, so one cover at a time is enough.
  let cover: Cover | undefined
  for (const { key, value } of entries(zone.names)) {
    if (cover && key.startsWith(cover.key)) {
      faults.push(...coveredFaults(cover, value, servers.has(key)))
      continue
    }
    const type = coverOf(value, key === zone.apex)
    cover = type === undefined ? undefined : { key, name: value.name, type }
    if (type === NS) faults.push(...cutFaults(value, servers.has(key)))
  }
  return faults
}

type Cover = { readonly key: string; readonly name: string; readonly type: typeof NS | typeof DNAME }

function coverOf(node: NameNode, isApex: boolean): Cover['type'] | undefined {
  if (!isApex && rrsetOf(node, NS)) return NS
  return rrsetOf(node, DNAME) ? DNAME : undefined
}

function coveredFaults(cover: Cover, node: NameNode, isServer: boolean): Fault[] {
  return node.rrsets.flatMap((rrset): Fault[] => {
    if (cover.type === DNAME) return [error(rrset, `no record may be below the DNAME at ${cover.name} (RFC 6672 2.4)`)]
    if (!isAddress(rrset.type))
      return [
        warning(rrset, `what is below the delegation at ${cover.name} belongs in the child zone and is not served`),
      ]
    return isServer
      ? []
      : [
          warning(
            rrset,
            `an address below the delegation at ${cover.name} is needed only for a name server, which this is not`,
          ),
        ]
  })
}

function cutFaults(cut: NameNode, isServer: boolean): Fault[] {
  return cut.rrsets
    .filter(({ type }) => !isParental(type) && !(isServer && isAddress(type)))
    .map((rrset) =>
      warning(rrset, 'what is at a delegation, but for NS and DS, belongs in the child zone and is not served'),
    )
}

function nameServers(zone: Zone): Set<string> {
  const servers = new Set<string>()
  for (const { value } of entries(zone.names)) {
    for (const rdata of rrsetOf(value, NS)?.rdatas ?? []) servers.add(orderKey(wireToName(rdata)))
  }
  return servers
}

function isAddress(type: number): boolean {
  return type === A || type === AAAA
}

// DNAME beside NS is an error of its own.
function isParental(type: number): boolean {
  return type === NS || type === DS || type === RRSIG || type === NSEC || type === DNAME
}
