import { DNAME, DS, NS } from './type-codes.ts'
import { EMPTY, type Place, viewOf, type ZoneView } from './view.ts'
import type { NameNode, Zone } from './zone.ts'

/**
 * What the tree of a zone has for a name (RFC 1034 4.3.2 step 3, RFC 4592, RFC 6672 3.2):
 * `node` the name itself or the wildcard that stands for it, without `node` where it is an empty non-terminal;
 * `cut` and `dname` an ancestor that hands the name on, `depth` labels below the apex; `nothing` where it does not exist.
 */
export type Found<N = NameNode> =
  | { readonly kind: 'node'; readonly node: N | undefined }
  | { readonly kind: 'cut' | 'dname'; readonly node: N; readonly depth: number }
  | { readonly kind: 'nothing' }

/** Walks from the apex down to a name of the zone; `type` matters only in that the parent answers for DS at a cut. */
export function find(zone: Zone, name: string, type: number): Found {
  return findIn(viewOf(zone), name, type)
}

/** As `find`, whatever holds the zone. */
export function findIn<N>(zone: ZoneView<N>, name: string, type: number): Found<N> {
  const last = zone.depthOf(name)
  for (let depth = 0; ; depth++) {
    const place = zone.at(name, depth)
    // RFC 4592 3.3.1: only the wildcard directly below the closest encloser counts, also where it is an empty non-terminal.
    if (place === undefined) return depth === 0 ? { kind: 'nothing' } : foundAt(zone.wildcardAt(name, depth - 1))
    if (place !== EMPTY) {
      if (depth > 0 && zone.rrset(place, NS) && !(depth === last && type === DS))
        return { kind: 'cut', node: place, depth }
      if (depth < last && zone.rrset(place, DNAME)) return { kind: 'dname', node: place, depth }
    }
    if (depth === last) return foundAt(place)
  }
}

function foundAt<N>(place: Place<N> | undefined): Found<N> {
  if (place === undefined) return { kind: 'nothing' }
  return { kind: 'node', node: place === EMPTY ? undefined : place }
}
