import { DNAME, NS } from '../../zonedata/type-codes.ts'
import type { Allocator } from './allocator.ts'
import { nodeHash } from './hash.ts'
import { HAS_DNAME, HAS_NS, NODE, OFFSET_BITS, OFFSET_MASK, RRSET } from './layout.ts'
import type { Lookup } from './lookup.ts'
import { rrsetSize } from './rrset-block.ts'
import type { Space } from './space.ts'
import type { Table } from './table.ts'
import { LOWER, type WireName } from './wire-name.ts'

/** A zone's content: where it starts and ends, and what it counts. */
export type Content = { apex: number; labels: number; tail: number; names: number; rrsets: number; records: number }

/** What takes back memory that readers may still be reading. */
export type Retire = (ref: number, bytes: number) => void

/** Builds and changes the trees of names. Only the writer has one. */
export class Tree {
  readonly #space: Space
  readonly #allocator: Allocator
  readonly #nodes: Table
  readonly #lookup: Lookup

  constructor(lookup: Lookup, allocator: Allocator, nodes: Table) {
    this.#space = lookup.space
    this.#lookup = lookup
    this.#allocator = allocator
    this.#nodes = nodes
  }

  /** An apex without records. */
  plant(name: WireName): Content {
    const apex = this.#allocator.allocate(NODE.LABEL + name.length)
    this.#fill(apex, 0, name.length, name.source, name.at)
    return { apex, labels: name.labels, tail: apex, names: 0, rrsets: 0, records: 0 }
  }

  /** The node of a name of the zone, or 0. */
  find(content: Content, name: WireName): number {
    let node = content.apex
    for (let label = name.labels - content.labels - 1; label >= 0 && node !== 0; label--)
      node = this.#lookup.child(node, name, label)
    return node
  }

  /** The node of a name of the zone, made if need be together with those above it; none of them exists for readers yet. */
  ensure(content: Content, name: WireName): number {
    let node = content.apex
    for (let label = name.labels - content.labels - 1; label >= 0; label--) {
      const child = this.#lookup.child(node, name, label)
      node = child === 0 ? this.#add(content, node, name, label) : child
    }
    return node
  }

  /** Gives a node an RRset of a type in place of the one it has, which is returned; 0 stands for none. */
  replace(content: Content, node: number, type: number, rrset: number): number {
    const space = this.#space
    const existed = this.#lookup.exists(node)
    const owned = space.word(node, NODE.RRSETS) !== 0
    let before = 0
    let at = space.word(node, NODE.RRSETS)
    while (at !== 0 && this.#lookup.typeOf(at) < type) {
      before = at
      at = space.word(at, RRSET.NEXT)
    }
    const old = at !== 0 && this.#lookup.typeOf(at) === type ? at : 0
    const after = old === 0 ? at : space.word(old, RRSET.NEXT)
    if (rrset !== 0) space.setWord(rrset, RRSET.NEXT, after)
    const next = rrset === 0 ? after : rrset
    if (before === 0) space.setWord(node, NODE.RRSETS, next)
    else space.setWord(before, RRSET.NEXT, next)
    if (type === NS) this.#flag(node, HAS_NS, rrset !== 0)
    if (type === DNAME) this.#flag(node, HAS_DNAME, rrset !== 0)
    if (existed !== this.#lookup.exists(node)) this.#count(node, existed ? -1 : 1)
    content.names += Number(space.word(node, NODE.RRSETS) !== 0) - Number(owned)
    content.rrsets += Number(rrset !== 0) - Number(old !== 0)
    content.records += this.#recordsOf(rrset) - this.#recordsOf(old)
    return old
  }

  /** Adds to `into` a node and those above it whose names do not exist. */
  gatherLost(content: Content, node: number, into: Set<number>): void {
    for (; node !== content.apex && !this.#lookup.exists(node); node = this.#space.word(node, NODE.PARENT))
      into.add(node)
  }

  /** Takes away nodes whose names do not exist; their memory stays as it is until `retire` lets others have it. */
  remove(content: Content, lost: Set<number>, retire: Retire): void {
    const space = this.#space
    for (const node of lost) {
      this.#forget(node)
      const previous = space.word(node, NODE.PREVIOUS)
      const next = space.word(node, NODE.NEXT)
      space.setWord(previous, NODE.NEXT, next)
      if (next === 0) content.tail = previous
      else space.setWord(next, NODE.PREVIOUS, previous)
      retire(node, this.#sizeOf(node))
    }
  }

  /** Takes a whole tree away that no reader is led to any more. */
  fell(apex: number, retire: Retire): void {
    const space = this.#space
    for (let node = apex; node !== 0; ) {
      const next = space.word(node, NODE.NEXT)
      if (node !== apex) this.#forget(node)
      for (let rrset = space.word(node, NODE.RRSETS); rrset !== 0; ) {
        const after = space.word(rrset, RRSET.NEXT)
        retire(rrset, rrsetSize(space, rrset))
        rrset = after
      }
      retire(node, this.#sizeOf(node))
      node = next
    }
  }

  /** Every RRset with its node, the apex first, then nodes in the order in which they came. */
  each(apex: number, visit: (node: number, rrset: number) => void): void {
    const space = this.#space
    for (let node = apex; node !== 0; node = space.word(node, NODE.NEXT))
      for (let rrset = space.word(node, NODE.RRSETS); rrset !== 0; rrset = space.word(rrset, RRSET.NEXT))
        visit(node, rrset)
  }

  /** Whether a node's label has the letter case of the name. */
  isSpelled(content: Content, node: number, name: WireName): boolean {
    if (node === content.apex) return true
    const from = name.at + 1
    const length = name.source[name.at]!
    for (let i = 0; i < length; i++) if (this.#space.byte(node, NODE.LABEL + i) !== name.source[from + i]) return false
    return true
  }

  /** Writes a node's label in the letter case of the name. */
  respell(content: Content, node: number, name: WireName): void {
    if (node === content.apex) return
    const from = name.at + 1
    const length = name.source[name.at]!
    for (let i = 0; i < length; i++) this.#space.setByte(node, NODE.LABEL + i, name.source[from + i]!)
  }

  #add(content: Content, parent: number, name: WireName, label: number): number {
    const space = this.#space
    const start = name.starts[label]!
    const length = name.lower[start]!
    const node = this.#allocator.allocate(NODE.LABEL + length)
    this.#fill(node, parent, length, name.source, name.at + start + 1)
    space.setWord(node, NODE.PREVIOUS, content.tail)
    space.setWord(content.tail, NODE.NEXT, node)
    content.tail = node
    this.#nodes.insert(nodeHash(parent, name.labelHashes[label]!), node)
    return node
  }

  #fill(node: number, parent: number, length: number, source: Uint8Array, from: number): void {
    const words = this.#space.words[node >>> OFFSET_BITS]!
    const word = (node & OFFSET_MASK) << 1
    words[word + NODE.PARENT] = parent
    words[word + NODE.RRSETS] = 0
    words[word + NODE.CHILDREN] = 0
    words[word + NODE.NEXT] = 0
    words[word + NODE.PREVIOUS] = 0
    const bytes = this.#space.bytes[node >>> OFFSET_BITS]!
    const at = (node & OFFSET_MASK) << 3
    bytes[at + NODE.LABEL_LENGTH] = length
    bytes[at + NODE.FLAGS] = 0
    for (let i = 0; i < length; i++) bytes[at + NODE.LABEL + i] = source[from + i]!
  }

  #forget(node: number): void {
    this.#nodes.remove(nodeHash(this.#space.word(node, NODE.PARENT), this.#labelHash(node)), node)
  }

  #labelHash(node: number): number {
    const length = this.#space.byte(node, NODE.LABEL_LENGTH)
    for (let i = 0; i < length; i++) lowered[i] = LOWER[this.#space.byte(node, NODE.LABEL + i)]!
    return this.#lookup.hashOf(lowered, length)
  }

  #sizeOf(node: number): number {
    return NODE.LABEL + this.#space.byte(node, NODE.LABEL_LENGTH)
  }

  #flag(node: number, flag: number, on: boolean): void {
    const flags = this.#space.byte(node, NODE.FLAGS)
    this.#space.setByte(node, NODE.FLAGS, on ? flags | flag : flags & ~flag)
  }

  /** Counts a child that came to exist or ceased to, and so on upwards. */
  #count(node: number, by: 1 | -1): void {
    const space = this.#space
    for (let at = space.word(node, NODE.PARENT); at !== 0; at = space.word(at, NODE.PARENT)) {
      const existed = this.#lookup.exists(at)
      space.setWord(at, NODE.CHILDREN, space.word(at, NODE.CHILDREN) + by)
      if (existed === this.#lookup.exists(at)) return
    }
  }

  #recordsOf(rrset: number): number {
    return rrset === 0 ? 0 : this.#space.word(rrset, RRSET.COUNT)
  }
}

const lowered = new Uint8Array(64)
