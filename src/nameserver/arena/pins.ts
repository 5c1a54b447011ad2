import type { Retire } from './tree.ts'

type Pin = { holders: number; readonly retired: number[] }

/** Keeps what zones gave up for as long as snapshots of them are being read. */
export class Pins {
  readonly #free: Retire
  readonly #pins = new Map<number, Pin>()

  constructor(free: Retire) {
    this.#free = free
  }

  /** Keeps all memory of a zone; call the result, once, to let it go. */
  pin(zone: number): () => void {
    const pin = this.#pins.get(zone) ?? { holders: 0, retired: [] }
    pin.holders++
    this.#pins.set(zone, pin)
    let held = true
    return () => {
      if (!held) return
      held = false
      if (--pin.holders > 0) return
      if (this.#pins.get(zone) === pin) this.#pins.delete(zone)
      for (let i = 0; i < pin.retired.length; i += 2) this.#free(pin.retired[i]!, pin.retired[i + 1]!)
    }
  }

  retire(zone: number, ref: number, bytes: number): void {
    const pin = this.#pins.get(zone)
    if (pin === undefined) this.#free(ref, bytes)
    else pin.retired.push(ref, bytes)
  }

  /** The zone is gone; its entry may become another's, which has nothing to do with the pin. */
  detach(zone: number): void {
    this.#pins.delete(zone)
  }
}
