import { randomFillSync } from 'node:crypto'
import { DnsError } from '../../dns/errors.ts'
import type { ResourceRecord, RRset } from '../../dns/record.ts'
import type { Change } from '../../zonedata/change.ts'
import { SOA, TXT } from '../../zonedata/type-codes.ts'
import { soaNumber } from '../../zonedata/zone.ts'
import { Allocator } from './allocator.ts'
import { Builder } from './builder.ts'
import { Editor } from './edit.ts'
import { AWAITED, CONTROL, FAILED, NODE_SEGMENT_BITS, SERVING, ZONE, ZONE_SEGMENT_BITS } from './layout.ts'
import { Lookup } from './lookup.ts'
import { Pins } from './pins.ts'
import { readName, readRRset, rrsetSize, writeRRset } from './rrset-block.ts'
import { Snapshot } from './snapshot.ts'
import { type ArenaHandles, Space } from './space.ts'
import { Table } from './table.ts'
import { type Content, Tree } from './tree.ts'
import type { WireName } from './wire-name.ts'
import { Zones } from './zones.ts'

/** A zone as the writer is told of it. */
export type ArenaZone = { readonly id: string; readonly name: string; readonly serial: number }

/** What the arena holds and takes; `garbageBytes` of the `bytes` wait to be used again. */
export type ArenaStats = {
  readonly zones: number
  readonly names: number
  readonly rrsets: number
  readonly records: number
  readonly bytes: number
  readonly garbageBytes: number
}

/** A zone in the making: `finish` or `abandon` it. */
export type ZoneBuild = { add(record: ResourceRecord): void; finish(): void; abandon(): void }

/** What is held of a zone: its content, its name alone while that is awaited, or that it cannot be served. */
export type HeldZone = {
  readonly state: 'ready' | 'awaited' | 'failed'
  readonly serial: number
  readonly records: number
}

/** The one writer of an arena. Each method that changes a zone does so between two answers: readers see all of it or nothing. */
export class ArenaWriter {
  readonly #space: Space
  readonly #allocator: Allocator
  readonly #lookup: Lookup
  readonly #zones: Zones
  readonly #tree: Tree
  readonly #name: WireName
  readonly #editor: Editor
  readonly #pins: Pins
  readonly #byId = new Map<string, number>()
  #names = 0
  #rrsets = 0
  #records = 0

  /** `onGrow` is called before anything is in memory that the new handles are needed for. */
  constructor(onGrow: (handles: ArenaHandles) => void = () => {}) {
    const control = new SharedArrayBuffer(CONTROL.WORDS * 4)
    const space = new Space({ control, chunks: [] })
    randomFillSync(space.control, CONTROL.SEED, 2)
    const allocator = new Allocator(space, onGrow)
    const lookup = new Lookup(space)
    const nodes = new Table(space, allocator, CONTROL.NODE_SEGMENTS, NODE_SEGMENT_BITS)
    this.#space = space
    this.#allocator = allocator
    this.#lookup = lookup
    this.#zones = new Zones(space, allocator, new Table(space, allocator, CONTROL.ZONE_SEGMENTS, ZONE_SEGMENT_BITS))
    this.#tree = new Tree(lookup, allocator, nodes)
    this.#name = lookup.newName()
    this.#editor = new Editor(this.#parts)
    this.#pins = new Pins((ref, bytes) => allocator.free(ref, bytes))
  }

  /** What readers are made from. */
  get handles(): ArenaHandles {
    return this.#allocator.handles
  }

  get stats(): ArenaStats {
    const { bytes, garbageBytes } = this.#allocator
    return {
      zones: this.#byId.size,
      names: this.#names,
      rrsets: this.#rrsets,
      records: this.#records,
      bytes,
      garbageBytes,
    }
  }

  /** Holds a zone with these records in place of whatever there was of it. Throws, and changes nothing, where they are not fit for it. */
  putZone(zone: ArenaZone, records: Iterable<ResourceRecord>): void {
    const build = this.build(zone)
    try {
      for (const record of records) build.add(record)
      build.finish()
    } catch (error) {
      build.abandon()
      throw error
    }
  }

  /** As putZone, record by record, with whatever else is done in between; readers see it when it is finished. */
  build(zone: ArenaZone): ZoneBuild {
    const builder = new Builder(this.#parts, zone.name)
    let over = false
    return {
      add: (record) => builder.add(record),
      finish: () => {
        const content = builder.finish()
        over = true
        const soa = this.#lookup.rrset(content.apex, SOA)
        this.#switch(zone, content, { state: SERVING, soa, serial: this.#serialIn(soa) ?? zone.serial, note: 0 })
      },
      abandon: () => {
        if (!over) builder.abandon()
        over = true
      },
    }
  }

  /** Answers for a zone are SERVFAIL from now on, for this reason. */
  failZone(zone: ArenaZone, reason: string): void {
    this.#note(zone, FAILED, reason)
  }

  /** Makes a zone known whose content is still to come; nothing is done to one that is there. */
  awaitZone(zone: ArenaZone): void {
    if (!this.#byId.has(zone.id)) this.#note(zone, AWAITED, zone.id)
  }

  /** Makes one step from serial to serial. Throws, and changes nothing, where it does not fit the zone. */
  apply(zoneId: string, change: Change): void {
    const zone = this.#servedZone(zoneId)
    const serial = this.#space.word(zone, ZONE.SERIAL) >>> 0
    if (serial !== change.from)
      throw new DnsError(`a change from serial ${change.from} needs a zone with it, not ${serial}`)
    const content = this.#zones.content(zone)
    this.#count(content, -1)
    try {
      this.#applyTo(zone, content, change)
    } finally {
      this.#count(content, 1)
    }
  }

  dropZone(zoneId: string): void {
    const zone = this.#byId.get(zoneId)
    if (zone === undefined) return
    const content = this.#zones.content(zone)
    const note = this.#space.word(zone, ZONE.NOTE)
    this.#zones.begin(zone)
    this.#zones.leave(zone)
    this.#space.setWord(zone, ZONE.NOTE, 0)
    this.#zones.end(zone)
    this.#byId.delete(zoneId)
    this.#count(content, -1)
    this.#fell(zone, content, note)
    this.#pins.detach(zone)
  }

  /** The serial of a zone that is served; undefined where it fails or is not there. */
  serialOf(zoneId: string): number | undefined {
    const zone = this.#byId.get(zoneId)
    if (zone === undefined || this.#space.word(zone, ZONE.STATE) !== SERVING) return undefined
    return this.#space.word(zone, ZONE.SERIAL) >>> 0
  }

  /** What is held of a zone, if anything. */
  stateOf(zoneId: string): HeldZone | undefined {
    const zone = this.#byId.get(zoneId)
    if (zone === undefined) return undefined
    const state = this.#space.word(zone, ZONE.STATE)
    return {
      state: state === SERVING ? 'ready' : state === AWAITED ? 'awaited' : 'failed',
      serial: this.#space.word(zone, ZONE.SERIAL) >>> 0,
      records: this.#space.word(zone, ZONE.RECORDS),
    }
  }

  /** The SOA of a zone that is served. */
  soaOf(zoneId: string): RRset | undefined {
    const zone = this.#servedZone(zoneId)
    const soa = this.#space.word(zone, ZONE.SOA)
    return soa === 0 ? undefined : readRRset(this.#space, soa, readName(this.#space, this.#space.word(zone, ZONE.APEX)))
  }

  /** The ids of all zones held. */
  get ids(): Iterable<string> {
    return this.#byId.keys()
  }

  /** The zone as it is now, for as long as it takes to send it; `release` it in any case. */
  snapshot(zoneId: string): Snapshot {
    const zone = this.#servedZone(zoneId)
    const { apex, rrsets, records } = this.#zones.content(zone)
    const refs = new Int32Array(rrsets * 2)
    let used = 0
    this.#tree.each(apex, (node, rrset) => {
      refs[used++] = node
      refs[used++] = rrset
    })
    const serial = this.#space.word(zone, ZONE.SERIAL) >>> 0
    return new Snapshot(this.#space, { refs, serial, records, release: this.#pins.pin(zone) })
  }

  get #parts(): { lookup: Lookup; allocator: Allocator; tree: Tree; name: WireName } {
    return { lookup: this.#lookup, allocator: this.#allocator, tree: this.#tree, name: this.#name }
  }

  #applyTo(zone: number, content: Content, change: Change): void {
    const zones = this.#zones
    const prepared = this.#editor.prepare(content, change)
    const retired: number[] = []
    const retire = (ref: number, bytes: number) => retired.push(ref, bytes)
    zones.begin(zone)
    this.#editor.link(content, prepared, retire)
    zones.setContent(zone, content)
    this.#space.setWord(zone, ZONE.SOA, this.#lookup.rrset(content.apex, SOA))
    this.#space.setWord(zone, ZONE.SERIAL, change.to)
    zones.end(zone)
    // Nodes that do not exist any more are taken away without keeping readers; the version is raised again before their memory is reused.
    this.#editor.clear(content, prepared, retire)
    this.#space.setWord(zone, ZONE.TAIL, content.tail)
    zones.end(zone)
    for (let i = 0; i < retired.length; i += 2) this.#pins.retire(zone, retired[i]!, retired[i + 1]!)
  }

  #note(zone: ArenaZone, state: number, text: string): void {
    this.#name.readText(zone.name)
    const content = this.#tree.plant(this.#name)
    const rdatas = [Buffer.from(text.slice(0, 1000))]
    const note = writeRRset(this.#space, this.#allocator, TXT, 0, rdatas)
    this.#switch(zone, content, { state, soa: 0, serial: zone.serial, note })
  }

  #switch(given: ArenaZone, content: Content, as: { state: number; soa: number; serial: number; note: number }): void {
    const space = this.#space
    this.#name.readText(given.name)
    const there = this.#lookup.zone(this.#name, 0)
    // A zone deleted and made again has another id; one id has one name.
    const before = this.#byId.get(given.id)
    if (before !== undefined && before !== there) this.dropZone(given.id)
    const zone = there === 0 ? this.#zones.create(this.#name.hashes[0]!) : there
    const old = this.#zones.content(zone)
    const oldNote = space.word(zone, ZONE.NOTE)
    if (there === 0) this.#zones.enter(zone)
    else {
      if (before !== there) this.#forgetIdOf(there)
      this.#count(old, -1)
      this.#zones.begin(zone)
    }
    this.#zones.setContent(zone, content)
    space.setWord(zone, ZONE.STATE, as.state)
    space.setWord(zone, ZONE.SOA, as.soa)
    space.setWord(zone, ZONE.SERIAL, as.serial)
    space.setWord(zone, ZONE.NOTE, as.note)
    this.#zones.end(zone)
    if (there === 0) this.#zones.entered()
    this.#byId.set(given.id, zone)
    this.#count(content, 1)
    if (there !== 0) this.#fell(zone, old, oldNote)
  }

  #forgetIdOf(zone: number): void {
    for (const [id, other] of this.#byId) if (other === zone) this.#byId.delete(id)
  }

  #fell(zone: number, { apex }: Content, note: number): void {
    const retire = (ref: number, bytes: number) => this.#pins.retire(zone, ref, bytes)
    this.#tree.fell(apex, retire)
    if (note !== 0) retire(note, rrsetSize(this.#space, note))
  }

  #count({ names, rrsets, records }: Content, by: 1 | -1): void {
    this.#names += names * by
    this.#rrsets += rrsets * by
    this.#records += records * by
  }

  #servedZone(zoneId: string): number {
    const zone = this.#byId.get(zoneId)
    if (zone === undefined || this.#space.word(zone, ZONE.STATE) !== SERVING)
      throw new DnsError(`zone ${zoneId} is not served`)
    return zone
  }

  #serialIn(soa: number): number | undefined {
    return soa === 0 ? undefined : soaNumber(readRRset(this.#space, soa, '.').rdatas[0]!, 0)
  }
}
