import type { RowValues } from '../../db/bulk-rows.ts'
import { canonicalRdata, rdataToText } from '../../dns/rdata.ts'
import { typeName } from '../../dns/types/index.ts'
import { newId } from '../../ids.ts'
import { type GrowingSet, grow } from '../../zonedata/zone.ts'

/** A set that is to be stored, with the rows that its records are found by. */
export type StagedSet = {
  readonly id: string
  readonly set: GrowingSet
  readonly type: string
  /** Its records as JSON. */
  readonly records: string
  readonly found: readonly RowValues[]
}

/** So few sets stay in the order of the file, as people wrote it. */
const few = 10_000

/** The sets, each once; if many, in the order of their names: the trees of a database then grow at their ends, which costs a third. */
export function inOrder(sets: readonly GrowingSet[]): GrowingSet[] {
  const keyed = sets.map((set, at) => ({ name: set.name.toLowerCase(), set, at }))
  keyed.sort((a, b) => (a.name === b.name ? a.set.type - b.set.type : a.name < b.name ? -1 : 1))
  const merged: typeof keyed = []
  let large = new Map<GrowingSet, Set<string>>()
  for (const one of keyed) {
    const last = merged.at(-1)
    if (last?.name !== one.name || last.set.type !== one.set.type) {
      merged.push(one)
      if (large.size > 0) large = new Map()
      continue
    }
    const { name, type, ttl, rdatas } = one.set
    for (const rdata of rdatas) grow(last.set, { name, type, class: 1, ttl, rdata }, large)
  }
  if (merged.length <= few) merged.sort((a, b) => a.at - b.at)
  return merged.map(({ set }) => set)
}

/** A set as it is stored. */
export function staged(set: GrowingSet, now: Date): StagedSet {
  const id = newId(now)
  const found = set.rdatas.map((rdata) => recordRow(id, set.type, rdata))
  return { id, set, type: typeName(set.type), records: JSON.stringify(found.map(([, text]) => text)), found }
}

/** The row of a record, to find it by. */
export function recordRow(id: string, type: number, rdata: Uint8Array): RowValues {
  const text = rdataToText(type, rdata)
  const canonical = canonicalRdata(type, rdata)
  const isSame = canonical === rdata || Buffer.compare(canonical, rdata) === 0
  return [id, text, isSame ? null : otherText(type, canonical, text)]
}

function otherText(type: number, canonical: Uint8Array, text: string): string | null {
  const other = rdataToText(type, canonical)
  return other === text ? null : other
}
