import type { RRset } from '../../dns/record.ts'
import { readName, readRRset } from './rrset-block.ts'
import type { Space } from './space.ts'

/** A zone as it was at one moment, for sending it whole. What it refers to stays in memory until `release`. */
export class Snapshot {
  readonly serial: number
  readonly records: number
  readonly release: () => void
  readonly space: Space
  /** For each RRset its node and itself, those of the apex first. */
  readonly refs: Int32Array

  constructor(space: Space, parts: { refs: Int32Array; serial: number; records: number; release: () => void }) {
    this.space = space
    this.refs = parts.refs
    this.serial = parts.serial
    this.records = parts.records
    this.release = parts.release
  }

  /** Every RRset, those of the apex first. */
  *rrsets(): Generator<RRset> {
    let lastNode = 0
    let name = '.'
    for (let i = 0; i < this.refs.length; i += 2) {
      const node = this.refs[i]!
      if (node !== lastNode) name = readName(this.space, node)
      lastNode = node
      yield readRRset(this.space, this.refs[i + 1]!, name)
    }
  }
}
