import { DS } from '../../zonedata/type-codes.ts'
import { CONTROL, OFFSET_BITS, OFFSET_MASK, ZONE } from './layout.ts'
import { Lookup } from './lookup.ts'
import { Path } from './path.ts'
import { TornRead } from './rrset-block.ts'
import { type ArenaHandles, Space } from './space.ts'
import { ArenaView, versionOf } from './view.ts'
import type { WireName } from './wire-name.ts'

const MOST_ATTEMPTS = 200
const PATIENT_ATTEMPTS = 20

/** The arena as one thread reads it. */
export class ArenaReader {
  readonly #space: Space
  readonly #lookup: Lookup
  readonly #name: WireName
  readonly #path: Path
  readonly #refresh: () => ArenaHandles | undefined
  readonly #views: ArenaView[] = []
  // Written to between reading and looking at versions: loads before it are done before loads after it.
  readonly #fence = new Int32Array(1)

  /** `refresh` gives the newest handles that have come for this thread, without waiting. */
  constructor(handles: ArenaHandles, refresh: () => ArenaHandles | undefined = () => undefined) {
    this.#space = new Space(handles)
    this.#lookup = new Lookup(this.#space)
    this.#name = this.#lookup.newName()
    this.#path = new Path(this.#lookup)
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
      Atomics.store(this.#fence, 0, attempt)
      const isSame = structure === Atomics.load(this.#space.control, CONTROL.STRUCTURE) && !this.#space.missed
      if (!isSame || !this.#views.every((view) => view.isCurrent)) continue
      if ('value' in result) return result.value
      if (!(result.error instanceof TornRead)) throw result.error
    }
    throw new TornRead()
  }

  /** The zone that answers for a name: the closest that encloses it, or, for type DS, the closest that is not the name itself. */
  zoneFor(name: string, type: number): ArenaView | undefined {
    this.#name.readText(name)
    const zone = this.#lookup.closestZone(this.#name, type === DS && name !== '.' ? 1 : 0)
    return zone === 0 ? undefined : this.#viewOf(zone)
  }

  #viewOf(zone: number): ArenaView {
    const version = versionOf(this.#lookup, zone)
    if ((version & 1) !== 0) {
      this.#wait(zone, version)
      throw new TornRead()
    }
    // Between finding the entry and reading its version it may have become another zone's.
    const from = this.#name.labels - this.#space.word(zone, ZONE.LABELS)
    if (from < 0 || !this.#lookup.isApex(this.#space.word(zone, ZONE.APEX), this.#name, from)) throw new TornRead()
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
  }

  readonly #pause = new Int32Array(new SharedArrayBuffer(4))

  #wait(zone: number, version: number): void {
    Atomics.wait(this.#space.words[zone >>> OFFSET_BITS]!, (zone & OFFSET_MASK) << 1, version, 1)
  }
}
