import { DS } from '../../zonedata/type-codes.ts'
import { HAS_DNAME, HAS_NS, NODE } from './layout.ts'
import type { Lookup } from './lookup.ts'
import type { WireName } from './wire-name.ts'

export const NOTHING = 0
export const FOUND = 1
export const CUT = 2
export const BELOW_DNAME = 3

/** `findIn` of zonedata over references: what the tree has for a name, left in `node` and `label`. */
export class Walk {
  readonly #lookup: Lookup
  /** The name's own node, the wildcard's, or the cut's. */
  node = 0
  /** From which label of the name on the cut's name reads. */
  label = 0

  constructor(lookup: Lookup) {
    this.#lookup = lookup
  }

  /** Walks from an apex of so many labels down to a name of its zone; tells what stands there. */
  to(apex: number, apexLabels: number, name: WireName, type: number): number {
    const lookup = this.#lookup
    const { space } = lookup
    let node = apex
    let label = name.labels - apexLabels
    if (label > 0 && (space.byte(apex, NODE.FLAGS) & HAS_DNAME) !== 0) return BELOW_DNAME
    while (--label >= 0) {
      const child = lookup.child(node, name, label)
      if (child === 0 || !lookup.exists(child)) {
        this.node = lookup.wildcard(node)
        return this.node !== 0 && lookup.exists(this.node) ? FOUND : NOTHING
      }
      node = child
      const flags = space.byte(node, NODE.FLAGS)
      if (flags === 0) continue
      if ((flags & HAS_NS) !== 0 && !(label === 0 && type === DS)) {
        this.node = node
        this.label = label
        return CUT
      }
      if (label > 0 && (flags & HAS_DNAME) !== 0) return BELOW_DNAME
    }
    this.node = node
    return FOUND
  }

  /** The node of a name, whatever stands above it; 0 where there is none. */
  exactly(apex: number, apexLabels: number, name: WireName): number {
    let node = apex
    for (let label = name.labels - apexLabels - 1; label >= 0 && node !== 0; label--)
      node = this.#lookup.child(node, name, label)
    return node
  }
}
