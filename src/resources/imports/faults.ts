import type { LinkedStore } from '../../db/link.ts'
import type { ImportFault } from './fields.ts'
import * as store from './store.ts'

const mostKept = 100_000
const blockSize = 500
const mostShown = 100

/** The faults of one import: all are counted, the first are at hand, and the rest go to rows as they come. */
export class FaultList {
  errors = 0
  count = 0
  readonly first: ImportFault[] = []
  readonly #importId: string
  #block: ImportFault[] = []
  #blocks = 0

  constructor(importId: string) {
    this.#importId = importId
  }

  error(line: number | null, column: number | null, message: string): void {
    this.add({ line, column, severity: 'error', message })
  }

  add(fault: ImportFault): void {
    this.count++
    if (fault.severity === 'error') this.errors++
    if (this.count > mostKept) return
    if (this.first.length < mostShown) this.first.push(fault)
    this.#block.push(fault)
  }

  /** Notes faults that are known by their number alone. */
  uncounted(errors: number): void {
    this.count += errors
    this.errors += errors
  }

  /** The first fault that keeps the file from being imported. */
  get worst(): ImportFault | undefined {
    return this.first.find(({ severity }) => severity === 'error') ?? this.first[0]
  }

  /** Stores what has gathered; with `all`, also what does not fill a block. */
  async flush(db: LinkedStore, all: boolean): Promise<void> {
    while (this.#block.length >= (all ? 1 : blockSize)) {
      const faults = this.#block.slice(0, blockSize)
      const n = this.#blocks++
      this.#block = this.#block.slice(blockSize)
      await db.bulk((tx) => store.putFaults(tx, this.#importId, n, faults))
    }
  }
}
