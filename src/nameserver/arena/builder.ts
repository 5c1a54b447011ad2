import { DnsError } from '../../dns/errors.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { IN } from '../../zonedata/type-codes.ts'
import { FEW, type GrowingSet, grow } from '../../zonedata/zone.ts'
import type { Allocator } from './allocator.ts'
import { NODE } from './layout.ts'
import type { Lookup } from './lookup.ts'
import { readRRset, rrsetSize, writeRRset } from './rrset-block.ts'
import type { Content, Tree } from './tree.ts'
import type { WireName } from './wire-name.ts'

const NONE = -1
const NOTHING = new Uint8Array(0)

/** Builds the content of a zone record by record, aside from what readers see. Records of one RRset best come together. */
export class Builder {
  readonly #lookup: Lookup
  readonly #allocator: Allocator
  readonly #tree: Tree
  readonly #content: Content
  readonly #origin: string
  readonly #name: WireName
  #nameText: string | undefined
  #node = 0
  // The RRset at hand: one record mostly, and a set only when there are more.
  #type = NONE
  #ttl = 0
  readonly #only: [Uint8Array] = [NOTHING]
  #set: GrowingSet | undefined
  // RRsets of many records are written once, at the end, in whatever order their records come.
  readonly #large = new Map<number, { readonly node: number; readonly set: GrowingSet }>()
  readonly #seen = new Map<GrowingSet, Set<string>>()

  constructor(parts: { lookup: Lookup; allocator: Allocator; tree: Tree; name: WireName }, origin: string) {
    this.#lookup = parts.lookup
    this.#allocator = parts.allocator
    this.#tree = parts.tree
    this.#name = parts.name
    this.#origin = origin
    this.#name.readText(origin)
    this.#content = this.#tree.plant(this.#name)
  }

  add(record: ResourceRecord): void {
    if (record.class !== IN) throw new DnsError(`${record.name} must have class IN, not ${record.class}`)
    if (record.name !== this.#nameText) this.#moveTo(record.name)
    if (record.type !== this.#type) {
      this.#flush()
      this.#open(record)
      return
    }
    this.#set ??= { name: '.', type: record.type, ttl: this.#ttl, rdatas: [this.#only[0]!] }
    grow(this.#set, record, this.#seen)
  }

  finish(): Content {
    this.#flush()
    for (const { node, set } of this.#large.values()) this.#write(node, set.type, set.ttl, set.rdatas)
    return this.#content
  }

  abandon(): void {
    this.#tree.fell(this.#content.apex, (ref, bytes) => this.#allocator.free(ref, bytes))
  }

  #moveTo(text: string): void {
    this.#flush()
    const name = this.#name
    name.readText(text)
    const from = name.labels - this.#content.labels
    if (from < 0 || !this.#lookup.isApex(this.#content.apex, name, from))
      throw new DnsError(`${text} must be ${this.#origin} or a name below it`)
    this.#nameText = text
    this.#node = this.#tree.ensure(this.#content, name)
    // A name that was there for those below it is spelled as its first record has it.
    const { space } = this.#lookup
    const isEmpty = space.word(this.#node, NODE.RRSETS) === 0 && space.word(this.#node, NODE.CHILDREN) > 0
    if (isEmpty) this.#tree.respell(this.#content, this.#node, name)
  }

  #open(record: ResourceRecord): void {
    const { type, ttl, rdata } = record
    this.#type = type
    this.#ttl = ttl
    this.#only[0] = rdata
    const isFirst = this.#lookup.space.word(this.#node, NODE.RRSETS) === 0 && this.#large.size === 0
    if (isFirst) return
    this.#set = this.#large.get(keyOf(this.#node, type))?.set ?? this.#written(type)
    if (this.#set !== undefined) grow(this.#set, record, this.#seen)
  }

  #written(type: number): GrowingSet | undefined {
    const old = this.#lookup.rrset(this.#node, type)
    if (old === 0) return undefined
    const { ttl, rdatas } = readRRset(this.#lookup.space, old, '.')
    return { name: '.', type, ttl, rdatas: [...rdatas] }
  }

  #flush(): void {
    const set = this.#set
    if (this.#type === NONE) return
    if (set === undefined) this.#write(this.#node, this.#type, this.#ttl, this.#only)
    else if (set.rdatas.length <= FEW) this.#write(this.#node, set.type, set.ttl, set.rdatas)
    else this.#large.set(keyOf(this.#node, set.type), { node: this.#node, set })
    this.#type = NONE
    this.#set = undefined
  }

  #write(node: number, type: number, ttl: number, rdatas: readonly Uint8Array[]): void {
    const { space } = this.#lookup
    const old = this.#tree.replace(this.#content, node, type, writeRRset(space, this.#allocator, type, ttl, rdatas))
    if (old !== 0) this.#allocator.free(old, rrsetSize(space, old))
  }
}

function keyOf(node: number, type: number): number {
  return (node >>> 0) * 0x10000 + type
}
