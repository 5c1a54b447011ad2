import { DnsError } from '../../dns/errors.ts'
import { nameKey } from '../../dns/name.ts'
import type { ResourceRecord, RRset } from '../../dns/record.ts'
import { type Change, editedSet } from '../../zonedata/change.ts'
import { IN, SOA } from '../../zonedata/type-codes.ts'
import { soaNumber } from '../../zonedata/zone.ts'
import type { Allocator } from './allocator.ts'
import type { Lookup } from './lookup.ts'
import { readRRset, rrsetSize, writeRRset } from './rrset-block.ts'
import type { Content, Retire, Tree } from './tree.ts'
import type { WireName } from './wire-name.ts'

/** What a change comes to, prepared so that making it happen is a matter of links. */
export type Prepared = { readonly steps: readonly Step[]; readonly undo: () => void }

type Step = {
  readonly name: string
  readonly node: number
  readonly type: number
  readonly block: number
  readonly respell: boolean
}

type Edit = { readonly name: string; readonly removed: ResourceRecord[]; readonly added: ResourceRecord[] }

/** Prepares changes to a zone's content and makes them. Only the writer has one. */
export class Editor {
  readonly #lookup: Lookup
  readonly #allocator: Allocator
  readonly #tree: Tree
  readonly #name: WireName

  constructor(parts: { lookup: Lookup; allocator: Allocator; tree: Tree; name: WireName }) {
    this.#lookup = parts.lookup
    this.#allocator = parts.allocator
    this.#tree = parts.tree
    this.#name = parts.name
  }

  /** Throws, and leaves all as it was, where the change does not fit. Readers see none of it yet. */
  prepare(content: Content, change: Change): Prepared {
    const { space } = this.#lookup
    const sets = this.#editedSets(content, change)
    const steps: Step[] = []
    const undo = () => {
      const lost = new Set<number>()
      for (const { node, block } of steps) {
        if (block !== 0) this.#allocator.free(block, rrsetSize(space, block))
        if (node !== 0) this.#tree.gatherLost(content, node, lost)
      }
      this.#tree.remove(content, lost, (ref, bytes) => this.#allocator.free(ref, bytes))
    }
    try {
      for (const { name, type, set, respell } of sets) {
        const block = set === undefined ? 0 : writeRRset(space, this.#allocator, type, set.ttl, set.rdatas)
        const step = { name, node: 0, type, block, respell }
        steps.push(step)
        this.#name.readText(name)
        step.node = this.#tree.ensure(content, this.#name)
        step.respell &&= !this.#tree.isSpelled(content, step.node, this.#name)
      }
    } catch (error) {
      undo()
      throw error
    }
    return { steps, undo }
  }

  /** Links what was prepared; what it replaces goes to `retire`. */
  link(content: Content, { steps }: Prepared, retire: Retire): void {
    const { space } = this.#lookup
    for (const { name, node, type, block, respell } of steps) {
      const old = this.#tree.replace(content, node, type, block)
      if (old !== 0) retire(old, rrsetSize(space, old))
      if (!respell) continue
      this.#name.readText(name)
      this.#tree.respell(content, node, this.#name)
    }
  }

  /** Takes away the nodes of names that ceased to exist. */
  clear(content: Content, { steps }: Prepared, retire: Retire): void {
    const lost = new Set<number>()
    for (const { node } of steps) this.#tree.gatherLost(content, node, lost)
    this.#tree.remove(content, lost, retire)
  }

  #editedSets(
    content: Content,
    change: Change,
  ): { name: string; type: number; set: RRset | undefined; respell: boolean }[] {
    const { space } = this.#lookup
    const edits = new Map<string, Edit & { type: number; node: number }>()
    const editOf = (record: ResourceRecord) => {
      if (record.class !== IN) throw new DnsError(`${record.name} must have class IN, not ${record.class}`)
      const key = `${record.type} ${nameKey(record.name)}`
      let edit = edits.get(key)
      if (edit === undefined) {
        edit = { name: record.name, type: record.type, node: this.#nodeOf(content, record), removed: [], added: [] }
        edits.set(key, edit)
      }
      return edit
    }
    for (const record of change.removed) editOf(record).removed.push(record)
    for (const record of change.added) editOf(record).added.push(record)
    let serial: number | undefined
    const sets = [...edits.values()].map(({ name, type, node, removed, added }) => {
      const old = node === 0 ? 0 : this.#lookup.rrset(node, type)
      const set = editedSet(old === 0 ? undefined : readRRset(space, old, name), removed, added)
      if (type === SOA && node === content.apex) serial = set === undefined ? 0 : soaNumber(set.rdatas[0]!, 0)
      return { name: added[0]?.name ?? name, type, set, respell: added.length > 0 }
    })
    const reached = serial ?? change.from
    if (reached !== change.to)
      throw new DnsError(`a change to serial ${change.to} must add an SOA with it, not ${reached}`)
    return sets
  }

  #nodeOf(content: Content, record: ResourceRecord): number {
    const name = this.#name
    name.readText(record.name)
    const from = name.labels - content.labels
    if (from < 0 || !this.#lookup.isApex(content.apex, name, from))
      throw new DnsError(`${record.name} must be in the zone that is changed`)
    return this.#tree.find(content, name)
  }
}
