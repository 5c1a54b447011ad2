import { labelCount } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { orderKey } from './name-order.ts'
import { ceiling } from './ordered-map.ts'
import { type NameNode, rrsetOf, type Zone } from './zone.ts'

/** What stands at a name that owns no records but has names below it that do (RFC 4592 2.2.2). */
export const EMPTY = Symbol('empty non-terminal')

/** A name that exists: the node of its records, or that it has none. */
export type Place<N> = N | typeof EMPTY

/** What answering asks of a zone, whatever holds it; `N` stands for a name that owns records. */
export interface ZoneView<N> {
  readonly origin: string
  /** How many labels a name of the zone has more than the apex. */
  depthOf(name: string): number
  /** What is at the ancestor of `name`, or the name itself, `depth` labels below the apex; undefined where that does not exist. */
  at(name: string, depth: number): Place<N> | undefined
  /** What is at the wildcard directly below that ancestor. */
  wildcardAt(name: string, depth: number): Place<N> | undefined
  rrset(node: N, type: number): RRset | undefined
  /** The RRset with the lowest type number. */
  firstRRset(node: N): RRset
}

/** A zone value as answering sees it. */
export function viewOf(zone: Zone): ZoneView<NameNode> {
  return new ValueView(zone)
}

class ValueView implements ZoneView<NameNode> {
  readonly origin: string
  readonly #zone: Zone
  #name: string | undefined
  #key = ''
  // Where the keys of the last name's ancestors end, by depth.
  #ends: number[] = []

  constructor(zone: Zone) {
    this.#zone = zone
    this.origin = zone.origin
  }

  depthOf(name: string): number {
    return labelCount(name) - labelCount(this.origin)
  }

  at(name: string, depth: number): Place<NameNode> | undefined {
    return this.#placeAt(this.#keyOf(name, depth))
  }

  wildcardAt(name: string, depth: number): Place<NameNode> | undefined {
    return this.#placeAt(`${this.#keyOf(name, depth)}*\0`)
  }

  rrset(node: NameNode, type: number): RRset | undefined {
    return rrsetOf(node, type)
  }

  firstRRset(node: NameNode): RRset {
    return node.rrsets[0]!
  }

  #keyOf(name: string, depth: number): string {
    if (name !== this.#name) {
      this.#name = name
      this.#key = orderKey(name)
      this.#ends = [this.#zone.apex.length]
    }
    const ends = this.#ends
    while (ends.length <= depth) ends.push(this.#key.indexOf('\0', ends.at(-1)) + 1)
    return this.#key.slice(0, ends[depth])
  }

  #placeAt(key: string): Place<NameNode> | undefined {
    const entry = ceiling(this.#zone.names, key)
    if (!entry?.key.startsWith(key)) return undefined
    return entry.key === key ? entry.value : EMPTY
  }
}
