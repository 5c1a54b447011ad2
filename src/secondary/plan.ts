import { rdataFromText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { typeCode, typeName } from '../dns/types/index.ts'
import { CNAME, DNAME, IN, NS, NSEC, RRSIG, SOA } from '../zonedata/type-codes.ts'
import { rdataKey } from '../zonedata/zone.ts'

/** A record set as its row has it. */
export type StoredSet = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: string
}

/** What becomes of one record set, and what that takes from the zone and adds to it. */
export type SetStep = {
  readonly name: string
  readonly type: number
  /** The row there is. */
  readonly id: string | undefined
  /** What it holds then; undefined when it goes. */
  readonly after: { readonly ttl: number; readonly rdatas: readonly Uint8Array[] } | undefined
  readonly had: number
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
}

/** That changes do not fit what is held: then the whole zone is needed. */
export class Misfit extends Error {}

type Edit = {
  readonly name: string
  readonly type: number
  readonly removed: ResourceRecord[]
  readonly added: ResourceRecord[]
}

const mostTtl = 0x7fffffff

/** Where a set is kept among others. */
export const setKey = (name: string, type: string): string => `${name.toLowerCase()} ${type}`

/** The sets that records are taken from or added to; the SOA is not among them. */
export function editsOf(change: {
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
}): Map<string, Edit> {
  const edits = new Map<string, Edit>()
  const editOf = ({ name, type }: ResourceRecord): Edit => {
    const key = setKey(name, typeName(type))
    let edit = edits.get(key)
    if (edit === undefined) {
      edit = { name, type, removed: [], added: [] }
      edits.set(key, edit)
    }
    return edit
  }
  for (const record of change.removed) if (record.type !== SOA) editOf(record).removed.push(record)
  for (const record of change.added) if (record.type !== SOA) editOf(record).added.push(record)
  return edits
}

/** What edits make of the sets there are; throws Misfit where they do not fit. */
export function planSets(
  edits: ReadonlyMap<string, Edit>,
  stored: ReadonlyMap<string, StoredSet>,
  zoneTtl: number,
): SetStep[] {
  return [...edits].map(([key, edit]) => stepOf(edit, stored.get(key), zoneTtl))
}

function stepOf({ name, type, removed, added }: Edit, before: StoredSet | undefined, zoneTtl: number): SetStep {
  const had = contentOf(type, before)
  const left = new Map(had)
  for (const { rdata } of removed) {
    if (!left.delete(rdataKey(type, rdata))) throw new Misfit(`${name} ${typeName(type)} does not hold what is removed`)
  }
  for (const { rdata } of added) {
    const key = rdataKey(type, rdata)
    if (left.has(key)) throw new Misfit(`${name} ${typeName(type)} holds what is added already`)
    left.set(key, rdata)
  }
  const oldTtl = before === undefined ? 0 : (before.ttl ?? zoneTtl)
  const ttl = added.length === 0 ? oldTtl : added.reduce((least, record) => Math.min(least, record.ttl), mostTtl)
  const owner = before?.name ?? name
  const listed = (rdatas: Iterable<Uint8Array>, at: number): ResourceRecord[] =>
    [...rdatas].map((rdata) => ({ name: owner, type, class: IN, ttl: at, rdata }))
  const gone = [...had].filter(([key]) => !left.has(key)).map(([, rdata]) => rdata)
  const fresh = [...left].filter(([key]) => !had.has(key)).map(([, rdata]) => rdata)
  const isNewTtl = before !== undefined && ttl !== oldTtl
  return {
    name: owner,
    type,
    id: before?.id,
    after: left.size === 0 ? undefined : { ttl, rdatas: [...left.values()] },
    had: had.size,
    // One TTL for all (RFC 2181 5.2): where it changes, every record of the set does.
    removed: listed(isNewTtl ? had.values() : gone, oldTtl),
    added: listed(isNewTtl ? left.values() : fresh, ttl),
  }
}

function contentOf(type: number, row: StoredSet | undefined): Map<string, Uint8Array> {
  const texts = row === undefined ? [] : (JSON.parse(row.records) as string[])
  return new Map(
    texts.map((text) => {
      const rdata = rdataFromText(type, text)
      return [rdataKey(type, rdata), rdata]
    }),
  )
}

/** What a name must not hold together; undefined when it is in order. */
export function nameFault(sets: ReadonlyMap<number, number>, isApex: boolean): string | undefined {
  if (isApex && !sets.has(NS)) return 'the zone has no NS record at its top'
  for (const type of [CNAME, DNAME]) {
    const count = sets.get(type) ?? 0
    if (count > 1) return `there are ${count} ${typeName(type)} records where one is the most`
  }
  const others = sets.has(CNAME) ? [...sets.keys()].filter((type) => ![CNAME, RRSIG, NSEC].includes(type)) : []
  return others.length === 0 ? undefined : `a CNAME stands beside ${others.map(typeName).join(', ')}`
}

/** What is wrong at the names that steps touch, when every set of these names is among the stored. */
export function touchedFault(
  steps: readonly SetStep[],
  stored: Iterable<StoredSet>,
  origin: string,
): string | undefined {
  const names = new Map<string, Map<number, number>>()
  for (const { name } of steps) names.set(name.toLowerCase(), new Map())
  for (const { name, type, records } of stored) {
    names.get(name.toLowerCase())?.set(typeCode(type)!, (JSON.parse(records) as string[]).length)
  }
  for (const { name, type, after } of steps) {
    const sets = names.get(name.toLowerCase())!
    if (after === undefined) sets.delete(type)
    else sets.set(type, after.rdatas.length)
  }
  for (const [name, sets] of names) {
    const fault = sets.size === 0 ? undefined : nameFault(sets, name === origin.toLowerCase())
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}
