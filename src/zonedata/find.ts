import { orderKey } from './name-order.ts'
import { ceiling } from './ordered-map.ts'
import { DNAME, DS, NS } from './type-codes.ts'
import { type NameNode, rrsetOf, type Zone } from './zone.ts'

/**
 * What the tree of a zone has for a name (RFC 1034 4.3.2 step 3, RFC 4592, RFC 6672 3.2):
 * `node` the name itself or the wildcard that stands for it, without `node` where it is an empty non-terminal;
 * `cut` and `dname` an ancestor that hands the name on, `depth` labels below the apex; `nothing` where it does not exist.
 */
export type Found =
  | { readonly kind: 'node'; readonly node: NameNode | undefined }
  | { readonly kind: 'cut' | 'dname'; readonly node: NameNode; readonly depth: number }
  | { readonly kind: 'nothing' }

/** Walks from the apex down to a name of the zone; `type` matters only in that the parent answers for DS at a cut. */
export function find(zone: Zone, name: string, type: number): Found {
  const key = orderKey(name)
  let end = zone.apex.length
  let encloser = ''
  for (let depth = 0; ; depth++) {
    const at = key.slice(0, end)
    const entry = ceiling(zone.names, at)
    if (!entry?.key.startsWith(at)) return depth === 0 ? { kind: 'nothing' } : synthesised(zone, encloser)
    const node = entry.key === at ? entry.value : undefined
    const isLast = end === key.length
    if (node) {
      if (depth > 0 && rrsetOf(node, NS) && !(isLast && type === DS)) return { kind: 'cut', node, depth }
      if (!isLast && rrsetOf(node, DNAME)) return { kind: 'dname', node, depth }
    }
    if (isLast) return { kind: 'node', node }
    encloser = at
    end = key.indexOf('\0', end) + 1
  }
}

// RFC 4592 3.3.1: only the wildcard directly below the closest encloser counts, also where it is an empty non-terminal.
function synthesised(zone: Zone, encloser: string): Found {
  const source = `${encloser}*\0`
  const entry = ceiling(zone.names, source)
  if (!entry?.key.startsWith(source)) return { kind: 'nothing' }
  return { kind: 'node', node: entry.key === source ? entry.value : undefined }
}
