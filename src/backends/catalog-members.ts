import type { Tx } from '../db/sql.ts'
import { nameKey } from '../dns/name.ts'
import { rdataToText } from '../dns/rdata.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { typeName } from '../dns/types/index.ts'
import { recordsOf } from '../journal/content.ts'
import { type Member, memberName, memberRecords, memberTypes } from '../zonedata/catalog.ts'
import { type CatalogRow, placesOf, type SetRow, setsAt } from './catalog-rows.ts'

/** A zone that a catalog is to list: by its id, in a group where it has one, and with the catalog that takes it over. */
export type WantedMember = {
  readonly id: string
  readonly name: string
  readonly group?: string | undefined
  readonly newCatalog?: string | undefined
}

export type WantedMembers = {
  readonly add: readonly WantedMember[]
  readonly drop: readonly { readonly id: string }[]
}

/** What it takes to make a catalog list what is wanted: records, and the rows of sets that go. */
export type MemberPlan = {
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
  readonly gone: readonly string[]
}

/** Compares what is wanted of some members with what a locked catalog says of them; of others it reads nothing. */
export async function planMembers(tx: Tx, catalog: CatalogRow, wanted: WantedMembers): Promise<MemberPlan> {
  const members = byLabel(wanted)
  const held = await setsOf(tx, catalog, [...members.keys()])
  const isListed = ({ id, zone }: Member) => held.get(id)?.some(({ records }) => records === JSON.stringify([zone]))
  const fresh = [...members.values()].flatMap((member) => (member && !isListed(member) ? [member.zone] : []))
  // RFC 9432 5.1: a catalog that lists a zone twice is broken. A zone may have been made anew before its old self was dropped.
  const twins = (await placesOf(tx, catalog.id, fresh)).map(labelIn).filter((label) => !members.has(label))
  for (const label of twins) members.set(label, undefined)
  for (const [label, sets] of await setsOf(tx, catalog, twins)) held.set(label, sets)

  const [removed, added, gone]: [ResourceRecord[], ResourceRecord[], string[]] = [[], [], []]
  for (const [label, member] of members) {
    const missing = new Map<string, ResourceRecord>()
    for (const record of member === undefined ? [] : memberRecords(catalog.name, member)) {
      missing.set(`${nameKey(record.name)} ${typeName(record.type)} ${textOf(record)}`, record)
    }
    for (const set of held.get(label) ?? []) {
      const records: string[] = JSON.parse(set.records)
      // Every set of a member has one record.
      if (missing.delete(`${nameKey(set.name)} ${set.type} ${records.join()}`)) continue
      gone.push(set.id)
      removed.push(...recordsOf({ ...set, ttl: null, records }, 0))
    }
    added.push(...missing.values())
  }
  return { removed, added, gone }
}

/** What is to become of each label. Of what is said of one id, and of those that are to have one name, the last counts. */
function byLabel({ add, drop }: WantedMembers): Map<string, Member | undefined> {
  const members = new Map<string, Member | undefined>(drop.map(({ id }) => [labelOf(id), undefined]))
  for (const { id, name, group, newCatalog } of add) {
    const label = labelOf(id)
    const groups = group ? [group] : []
    const coo = newCatalog === undefined ? {} : { newCatalog: newCatalog.toLowerCase() }
    members.delete(label)
    members.set(label, { id: label, zone: name.toLowerCase(), groups, ...coo })
  }
  const labels = new Map<string, string>()
  for (const [label, member] of [...members]) {
    if (member === undefined) continue
    const twin = labels.get(member.zone)
    if (twin !== undefined) members.set(twin, undefined)
    labels.set(member.zone, label)
  }
  return members
}

/** The sets that a catalog has of members, by their labels. */
async function setsOf(tx: Tx, { id, name }: CatalogRow, labels: readonly string[]): Promise<Map<string, SetRow[]>> {
  const namesOf = (label: string) => memberTypes(memberName(name, label)).map(([at]) => at)
  const found = await setsAt(tx, id, labels.flatMap(namesOf))
  const sets = labels.map((label): [string, SetRow[]] => [
    label,
    namesOf(label).flatMap((at) => found.get(nameKey(at)) ?? []),
  ])
  return new Map(sets.filter(([, rows]) => rows.length > 0))
}

/** A zone made anew under its old name has another id, so another label, and its servers forget what they knew of it. */
const labelOf = (id: string): string => id.replaceAll('-', '')

const labelIn = (name: string): string => name.slice(0, name.indexOf('.'))

const textOf = ({ type, rdata }: ResourceRecord): string => rdataToText(type, rdata)
