import { isAtOrBelow, nameKey, sameName, wireToName } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { findIn } from './find.ts'
import { A, AAAA, HTTPS, MX, NS, SRV, SVCB } from './type-codes.ts'
import { EMPTY, type ZoneView } from './view.ts'

/** At how many octets of the rdata the target's name starts, for the types whose targets get additional data [Z13]. */
const targetOffset: ReadonlyMap<number, number> = new Map([
  [NS, 0],
  [MX, 2],
  [SRV, 6],
  [SVCB, 2],
  [HTTPS, 2],
])

/** How many targets of an RRset, other than a delegation's, are looked up [Z15]. */
export const MOST_TARGETS = 16

type Additional = { readonly additional: readonly RRset[]; readonly requiredGlue: number }

const NONE: Additional = { additional: [], requiredGlue: 0 }

/** What the zone knows of the names an RRset points at, in order of first mention; glue that a referral to `cut` requires comes first. */
export function additionalFor<N>(zone: ZoneView<N>, rrset: RRset, cut?: string): Additional {
  const offset = targetOffset.get(rrset.type)
  if (offset === undefined) return NONE
  const required: RRset[] = []
  const useful: RRset[] = []
  const mentioned = new Set<string>()
  const rdatas = cut === undefined ? rrset.rdatas.slice(0, MOST_TARGETS) : rrset.rdatas
  for (const rdata of rdatas) {
    const target = targetOf(rrset, rdata, offset)
    if (!isAtOrBelow(target, zone.origin) || mentioned.has(nameKey(target))) continue
    mentioned.add(nameKey(target))
    const sets = setsAt(zone, rrset, target)
    const isRequired = cut !== undefined && isAtOrBelow(target, cut)
    for (const set of sets) (isRequired ? required : useful).push(set.name === target ? set : { ...set, name: target })
  }
  return { additional: [...required, ...useful], requiredGlue: required.length }
}

// RFC 9460 2.5.2: a service binding whose target is `.` means its owner; in alias form it means there is no service.
function targetOf(rrset: RRset, rdata: Uint8Array, offset: number): string {
  const target = wireToName(rdata, offset)
  return target === '.' && isServiceForm(rrset.type, rdata) ? rrset.name : target
}

function isServiceForm(type: number, rdata: Uint8Array): boolean {
  return (type === SVCB || type === HTTPS) && (rdata[0] !== 0 || rdata[1] !== 0)
}

function setsAt<N>(zone: ZoneView<N>, rrset: RRset, target: string): RRset[] {
  const node = nodeOf(zone, rrset.type, target)
  if (node === undefined) return []
  const isBinding = rrset.type === SVCB || rrset.type === HTTPS
  const types = isBinding && !sameName(target, rrset.name) ? [A, AAAA, rrset.type] : [A, AAAA]
  return types.map((type) => zone.rrset(node, type)).filter((set) => set !== undefined)
}

/** Authoritative data for any target; what lies below a cut, glue, only for name servers [Z14]. */
function nodeOf<N>(zone: ZoneView<N>, type: number, target: string): N | undefined {
  const found = findIn(zone, target, A)
  if (found.kind === 'node') return found.node
  if (found.kind !== 'cut' || type !== NS) return undefined
  const place = zone.at(target, zone.depthOf(target))
  return place === EMPTY ? undefined : place
}
