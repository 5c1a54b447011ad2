/** What is wrong in a zone file, where, and what is right instead; `file` is the one included, if it was. */
export type ZoneFileFault = {
  readonly line: number
  readonly column: number
  readonly message: string
  readonly file?: string
}

const MOST_MESSAGE = 400

/** Counts faults and keeps the first of them. */
export class Faults {
  count = 0
  kept: ZoneFileFault[] = []
  #room: number

  constructor(most: number) {
    this.#room = most
  }

  add(fault: ZoneFileFault): void {
    this.count++
    if (this.#room <= 0) return
    this.#room--
    this.kept.push(
      fault.message.length > MOST_MESSAGE ? { ...fault, message: `${fault.message.slice(0, MOST_MESSAGE)}…` } : fault,
    )
  }

  /** The faults kept since the last time. */
  take(): ZoneFileFault[] {
    const taken = this.kept
    this.kept = []
    return taken
  }
}
