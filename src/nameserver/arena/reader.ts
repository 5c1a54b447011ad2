import { DS } from '../../zonedata/type-codes.ts'
import { FastAnswer } from './fast-answer.ts'
import { FastQuestion, OPT_OCTETS } from './fast-question.ts'
import { CONTROL, OFFSET_BITS, OFFSET_MASK, SERVING, ZONE } from './layout.ts'
import { Lookup } from './lookup.ts'
import { Path } from './path.ts'
import { TornRead } from './rrset-block.ts'
import { type ArenaHandles, fencedLoad, fencedVersionOf, Space, versionOf } from './space.ts'
import { ArenaView } from './view.ts'
import type { WireName } from './wire-name.ts'

/** What `answer` returns where the general path has to answer. */
export const NOT_FAST = -1

const FAST_ATTEMPTS = 64
const MOST_OFFSET = 0x3fff
const MOST_ATTEMPTS = 200
const PATIENT_ATTEMPTS = 20

/** The arena as one thread reads it. */
export class ArenaReader {
  readonly #space: Space
  readonly #lookup: Lookup
  readonly #name: WireName
  readonly #path: Path
  readonly #refresh: () => ArenaHandles | undefined
  readonly #question: FastQuestion
  readonly #fast: FastAnswer
  readonly #views: ArenaView[] = []
  readonly #pause = new Int32Array(new SharedArrayBuffer(4))
  /** Of the last common question answered: the zone, and the version of it that the answer is drawn from. */
  zone = 0
  version = 0

  /** `refresh` gives the newest handles that have come for this thread, without waiting. */
  constructor(handles: ArenaHandles, refresh: () => ArenaHandles | undefined = () => undefined) {
    this.#space = new Space(handles)
    this.#lookup = new Lookup(this.#space)
    this.#name = this.#lookup.newName()
    this.#path = new Path(this.#lookup)
    this.#question = new FastQuestion(this.#lookup.newName())
    this.#fast = new FastAnswer(this.#lookup)
    this.#refresh = refresh
  }

  update(handles: ArenaHandles): void {
    this.#space.update(handles)
  }

  /**
   * Does the reading in `read`, and does it again if a zone it looked at was changed meanwhile, so that what it returns is
   * drawn from one state of each zone. All use of views and of what they give must be inside it.
   */
  consistently<T>(read: () => T): T {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      this.#begin(attempt)
      const structure = Atomics.load(this.#space.control, CONTROL.STRUCTURE)
      let result: { value: T } | { error: unknown }
      try {
        result = { value: read() }
      } catch (error) {
        result = { error }
      }
      if (structure !== fencedLoad(this.#space.control, CONTROL.STRUCTURE)) continue
      if (this.#space.missed || this.#lookup.torn || !this.#views.every((view) => view.isCurrent)) continue
      if ('value' in result) return result.value
      if (!(result.error instanceof TornRead)) throw result.error
    }
    throw new TornRead()
  }

  /**
   * The zone that answers for a name: the closest that encloses it. For type DS that is the closest above it, if there is one:
   * without the parent, the child's server says that the child has none (RFC 4035 3.1.4.1).
   */
  zoneFor(name: string, type: number): ArenaView | undefined {
    this.#name.readText(name)
    let zone = this.#lookup.closestZone(this.#name, type === DS && name !== '.' ? 1 : 0)
    if (zone === 0) zone = this.#lookup.zone(this.#name, 0)
    return zone === 0 ? undefined : this.#viewOf(zone)
  }

  /**
   * The answer to a common question, from octets to octets: `length` octets at `start` of `query` to at most `limit` at
   * `outStart` of `out`, which is also the size that a reply tells in its OPT record. Returns how many octets it wrote, or
   * NOT_FAST where the general path has to answer; nothing it meets makes it throw, and it allocates nothing.
   */
  answer(query: Uint8Array, start: number, length: number, out: Uint8Array, outStart: number, limit: number): number {
    const question = this.#question
    if (!question.read(query, start, length)) return NOT_FAST
    const { name, type } = question
    const opt = question.hasEdns ? OPT_OCTETS : 0
    const room = Math.min(question.room(limit), MOST_OFFSET) - opt
    const space = this.#space
    const lookup = this.#lookup
    for (let attempt = 0; attempt < FAST_ATTEMPTS; attempt++) {
      if (space.missed) {
        const handles = this.#refresh()
        if (handles !== undefined) space.update(handles)
        space.missed = false
      }
      const structure = Atomics.load(space.control, CONTROL.STRUCTURE)
      lookup.torn = false
      const zone = lookup.closestZone(name, 0)
      const { version } = lookup
      if (space.missed || lookup.torn || (version & 1) !== 0) continue
      if (zone === 0) return NOT_FAST
      const isReady = space.word(zone, ZONE.STATE) === SERVING && space.word(zone, ZONE.SOA) !== 0
      const isParental = type === DS && name.labels === space.word(zone, ZONE.LABELS)
      const end = isReady && !isParental ? this.#fast.compose(zone, name, type, out, outStart, room) : -1
      if (fencedVersionOf(space, zone) !== version || space.missed) continue
      if (structure !== space.control[CONTROL.STRUCTURE]) continue
      this.zone = zone
      this.version = version
      return end < 0 ? NOT_FAST : question.finish(this.#fast, out, outStart, end, limit)
    }
    return NOT_FAST
  }

  /** Whether a zone is still as it was in a version. */
  isVersion(zone: number, version: number): boolean {
    return versionOf(this.#space, zone) === version
  }

  /** A number that is another once a zone has come; odd while one is coming. */
  get zoneSet(): number {
    return Atomics.load(this.#space.control, CONTROL.ZONE_SET)
  }

  #viewOf(zone: number): ArenaView {
    const { version } = this.#lookup
    if ((version & 1) !== 0) {
      this.#wait(zone, version)
      throw new TornRead()
    }
    const view = new ArenaView({ lookup: this.#lookup, path: this.#path, zone, version })
    this.#views.push(view)
    return view
  }

  #begin(attempt: number): void {
    this.#views.length = 0
    this.#path.forget()
    if (this.#space.missed || this.#space.lacksChunks) {
      const handles = this.#refresh()
      if (handles !== undefined) this.#space.update(handles)
      else if (attempt > PATIENT_ATTEMPTS) Atomics.wait(this.#pause, 0, 0, 1)
    }
    this.#space.missed = false
    this.#lookup.torn = false
  }

  #wait(zone: number, version: number): void {
    Atomics.wait(this.#space.words[zone >>> OFFSET_BITS]!, (zone & OFFSET_MASK) << 1, version, 1)
  }
}
