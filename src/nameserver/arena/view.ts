import { labelCount } from '../../dns/name.ts'
import type { RRset } from '../../dns/record.ts'
import { EMPTY, type Place, type ZoneView } from '../../zonedata/view.ts'
import { AWAITED, NODE, SERVING, ZONE } from './layout.ts'
import type { Lookup } from './lookup.ts'
import type { Path } from './path.ts'
import { readName, readRRset, TornRead } from './rrset-block.ts'
import { fencedVersionOf, type Space } from './space.ts'

/** One version of a zone in the arena, as answering sees it. Nodes are references. */
export class ArenaView implements ZoneView<number> {
  readonly origin: string
  readonly serial: number
  readonly state: 'ready' | 'awaited' | 'failed'
  /** Why the zone fails, or the id by which it is awaited. */
  readonly note: string
  readonly #lookup: Lookup
  readonly #path: Path
  readonly #zone: number
  readonly #version: number
  readonly #apex: number
  readonly #labels: number

  constructor(parts: { lookup: Lookup; path: Path; zone: number; version: number }) {
    this.#lookup = parts.lookup
    this.#path = parts.path
    this.#zone = parts.zone
    this.#version = parts.version
    const { space } = parts.lookup
    this.#apex = space.word(parts.zone, ZONE.APEX)
    this.#labels = space.word(parts.zone, ZONE.LABELS)
    this.serial = space.word(parts.zone, ZONE.SERIAL) >>> 0
    this.origin = readName(space, this.#apex)
    const state = space.word(parts.zone, ZONE.STATE)
    this.state = state === SERVING ? 'ready' : state === AWAITED ? 'awaited' : 'failed'
    this.note = this.state === 'ready' ? '' : readNote(space, space.word(parts.zone, ZONE.NOTE))
  }

  /** Whether the zone is still as it was when this was made. */
  get isCurrent(): boolean {
    return fencedVersionOf(this.#lookup.space, this.#zone) === this.#version
  }

  depthOf(name: string): number {
    return labelCount(name) - this.#labels
  }

  at(name: string, depth: number): Place<number> | undefined {
    return this.#place(this.#path.node(this.#apex, this.#labels, name, depth))
  }

  wildcardAt(name: string, depth: number): Place<number> | undefined {
    const node = this.#path.node(this.#apex, this.#labels, name, depth)
    return node === 0 ? undefined : this.#place(this.#lookup.wildcard(node))
  }

  rrset(node: number, type: number): RRset | undefined {
    const rrset = this.#lookup.rrset(node, type)
    return rrset === 0 ? undefined : this.#read(node, rrset)
  }

  firstRRset(node: number): RRset {
    const rrset = this.#lookup.space.word(node, NODE.RRSETS)
    if (rrset === 0) throw new TornRead()
    return this.#read(node, rrset)
  }

  #place(node: number): Place<number> | undefined {
    if (node === 0 || !this.#lookup.exists(node)) return undefined
    return this.#lookup.space.word(node, NODE.RRSETS) === 0 ? EMPTY : node
  }

  #read(node: number, rrset: number): RRset {
    return readRRset(this.#lookup.space, rrset, readName(this.#lookup.space, node))
  }
}

function readNote(space: Space, note: number): string {
  return Buffer.from(readRRset(space, note, '.').rdatas[0] ?? '').toString()
}
