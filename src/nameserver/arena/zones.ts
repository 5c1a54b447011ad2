import type { Allocator } from './allocator.ts'
import { CONTROL, FREE, OFFSET_BITS, OFFSET_MASK, ZONE } from './layout.ts'
import type { Space } from './space.ts'
import type { Table } from './table.ts'
import type { Content } from './tree.ts'

/** The zones' own entries: finding, versions, counts. Only the writer has them. */
export class Zones {
  readonly #space: Space
  readonly #allocator: Allocator
  readonly #table: Table
  // Entries are used for zones alone for ever: a version must never go back.
  readonly #spare: number[] = []

  constructor(space: Space, allocator: Allocator, table: Table) {
    this.#space = space
    this.#allocator = allocator
    this.#table = table
  }

  /** An entry that readers do not find yet; its version is odd, so that they wait if they do. */
  create(hash: number): number {
    let zone = this.#spare.pop()
    if (zone === undefined) {
      zone = this.#allocator.allocate(ZONE.BYTES)
      for (let word = 0; word < ZONE.BYTES / 4; word++) this.#space.setWord(zone, word, 0)
    }
    this.begin(zone)
    this.#space.setWord(zone, ZONE.HASH, hash)
    return zone
  }

  /** Lets readers find an entry; once it is complete, `entered` tells those who remember answers. */
  enter(zone: number): void {
    const { control } = this.#space
    Atomics.store(control, CONTROL.ZONE_SET, control[CONTROL.ZONE_SET]! | 1)
    this.#table.insert(this.#space.word(zone, ZONE.HASH), zone)
  }

  entered(): void {
    const { control } = this.#space
    Atomics.store(control, CONTROL.ZONE_SET, (control[CONTROL.ZONE_SET]! | 1) + 1)
  }

  /** Takes the entry away; call between `begin` and `end`. */
  leave(zone: number): void {
    this.#table.remove(this.#space.word(zone, ZONE.HASH), zone)
    this.#space.setWord(zone, ZONE.STATE, FREE)
    this.#spare.push(zone)
  }

  begin(zone: number): void {
    const words = this.#space.words[zone >>> OFFSET_BITS]!
    const at = (zone & OFFSET_MASK) << 1
    Atomics.store(words, at, words[at]! | 1)
    // What is written next must not be seen before the odd version: a store, then a load, is a full fence.
    Atomics.load(words, at)
  }

  end(zone: number): void {
    const words = this.#space.words[zone >>> OFFSET_BITS]!
    const at = (zone & OFFSET_MASK) << 1
    Atomics.store(words, at, (words[at]! | 1) + 1)
    Atomics.notify(words, at)
  }

  content(zone: number): Content {
    const space = this.#space
    return {
      apex: space.word(zone, ZONE.APEX),
      labels: space.word(zone, ZONE.LABELS),
      tail: space.word(zone, ZONE.TAIL),
      names: space.word(zone, ZONE.NAMES),
      rrsets: space.word(zone, ZONE.RRSETS),
      records: space.word(zone, ZONE.RECORDS),
    }
  }

  setContent(zone: number, content: Content): void {
    const space = this.#space
    space.setWord(zone, ZONE.APEX, content.apex)
    space.setWord(zone, ZONE.LABELS, content.labels)
    space.setWord(zone, ZONE.TAIL, content.tail)
    space.setWord(zone, ZONE.NAMES, content.names)
    space.setWord(zone, ZONE.RRSETS, content.rrsets)
    space.setWord(zone, ZONE.RECORDS, content.records)
  }
}
