import { RCODE } from '../dns/codes.ts'
import { isAtOrBelow, labelCount, nameKey, nameToWire, parentName, sameName, wireToName } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { additionalFor } from './additional.ts'
import { find } from './find.ts'
import { ANY, CNAME, DNAME, NS } from './type-codes.ts'
import { type NameNode, rrsetOf, soaNumber, soaOf, type Zone } from './zone.ts'

/** What is asked of a zone; the class is IN. */
export type Question = { readonly name: string; readonly type: number }

/** What an authoritative server says to a question. */
export type Answer = {
  readonly rcode: number
  readonly aa: boolean
  readonly answer: readonly RRset[]
  readonly authority: readonly RRset[]
  readonly additional: readonly RRset[]
  /** How many of the first `additional` are glue that must not be left out without setting TC (RFC 9471). */
  readonly requiredGlue: number
  /** The name at which a chain of CNAMEs and DNAMEs left the zones at hand. */
  readonly continuesAt: string | undefined
}

/** How many CNAMEs, written or synthesised, one answer follows at most. */
export const MOST_LINKS = 16

/**
 * The answer of a zone to a question, by the rules of docs/spec/answers.md, which are cited here by number.
 * A chain goes on in the zone that `zoneFor` gives for its next name; without it, in this zone alone.
 */
export function answer(zone: Zone, question: Question, zoneFor: ZoneFor = onlyIn(zone)): Answer {
  if (!isAtOrBelow(question.name, zone.origin)) return refusal(RCODE.REFUSED) // [Z1]
  const { type } = question
  const chain: RRset[] = []
  const visited = new Set<string>()
  for (let { name } = question; ; ) {
    const soa = soaOf(zone)
    if (soa === undefined) return refusal(RCODE.SERVFAIL) // [Z2]
    const found = find(zone, name, type)
    if (found.kind === 'nothing') return { ...negative(zone, soa, name, chain), rcode: RCODE.NXDOMAIN } // [Z5]
    if (found.kind === 'cut') return referral(zone, found.node, ancestorAt(zone, name, found.depth), chain) // [Z10]

    let target: string | undefined
    if (found.kind === 'dname') {
      const dname = ownedBy(rrsetOf(found.node, DNAME)!, ancestorAt(zone, name, found.depth))
      if (!chain.some((rrset) => rrset.type === DNAME && sameName(rrset.name, dname.name))) chain.push(dname) // [Z22]
      target = substitute(name, dname)
      if (target === undefined) return { ...positive(zone, chain), rcode: RCODE.YXDOMAIN } // [Z24]
      chain.push({ name, type: CNAME, ttl: dname.ttl, rdatas: [nameToWire(target)] }) // [Z23]
      if (type === CNAME || type === ANY) return positive(zone, chain) // [Z21]
    } else {
      const rrset = found.node && selected(found.node, type)
      if (rrset === undefined) return negative(zone, soa, name, chain) // [Z4] [Z6] [Z17]
      chain.push(ownedBy(rrset, name)) // [Z3] [Z16]
      if (rrset.type !== CNAME || type === CNAME || type === ANY) return positive(zone, chain)
      target = wireToName(rrset.rdatas[0]!) // [Z20]
    }

    visited.add(nameKey(name))
    if (visited.has(nameKey(target)) || visited.size >= MOST_LINKS) return positive(zone, chain) // [Z25] [Z26]
    const next = zoneFor(target, type)
    if (next === undefined) return { ...positive(zone, chain), continuesAt: target } // [Z27]
    zone = next
    name = target
  }
}

/** The zone at hand that answers for a name: the closest that encloses it, or, for type DS, the closest that is not the name itself. */
export type ZoneFor = (name: string, type: number) => Zone | undefined

function onlyIn(zone: Zone): ZoneFor {
  return (name) => (isAtOrBelow(name, zone.origin) ? zone : undefined)
}

function selected(node: NameNode, type: number): RRset | undefined {
  if (type === ANY) return node.rrsets[0] // [Z7]
  return rrsetOf(node, type) ?? rrsetOf(node, CNAME)
}

function positive(zone: Zone, chain: readonly RRset[]): Answer {
  const last = chain.at(-1)!
  const { additional } = additionalFor(zone, last)
  return {
    rcode: RCODE.NOERROR,
    aa: true,
    answer: chain,
    authority: [],
    additional,
    requiredGlue: 0,
    continuesAt: undefined,
  }
}

function negative(zone: Zone, soa: RRset, name: string, chain: readonly RRset[]): Answer {
  const ttl = Math.min(soa.ttl, soaNumber(soa.rdatas[0]!, 4)) // [Z8]
  const authority = [{ ...soa, name: ancestorAt(zone, name, 0), ttl }]
  return {
    rcode: RCODE.NOERROR,
    aa: true,
    answer: chain,
    authority,
    additional: [],
    requiredGlue: 0,
    continuesAt: undefined,
  }
}

function referral(zone: Zone, cut: NameNode, owner: string, chain: readonly RRset[]): Answer {
  const delegation = ownedBy(rrsetOf(cut, NS)!, owner)
  const { additional, requiredGlue } = additionalFor(zone, delegation, owner) // [Z12]
  const aa = chain.length > 0 // [Z28]
  return {
    rcode: RCODE.NOERROR,
    aa,
    answer: chain,
    authority: [delegation],
    additional,
    requiredGlue,
    continuesAt: undefined,
  }
}

function refusal(rcode: number): Answer {
  return { rcode, aa: false, answer: [], authority: [], additional: [], requiredGlue: 0, continuesAt: undefined }
}

/** The same RRset under the name as it was asked for: its letter case [Z9], or the name a wildcard stands for [Z16]. */
function ownedBy(rrset: RRset, name: string): RRset {
  return rrset.name === name ? rrset : { ...rrset, name }
}

/** The ancestor of `name` that lies `depth` labels below the apex, in the letter case of `name` [Z9]. */
function ancestorAt(zone: Zone, name: string, depth: number): string {
  let ancestor = name
  for (let steps = labelCount(name) - labelCount(zone.origin) - depth; steps > 0; steps--)
    ancestor = parentName(ancestor)!
  return ancestor
}

/** `name` with the DNAME's owner replaced by its target; undefined where that is longer than a name can be (RFC 6672 2.2). */
function substitute(name: string, dname: RRset): string | undefined {
  const target = wireToName(dname.rdatas[0]!)
  const kept = name.slice(0, name.length - (dname.name === '.' ? 0 : dname.name.length))
  const length = nameToWire(name).length - nameToWire(dname.name).length + dname.rdatas[0]!.length
  return length > 255 ? undefined : target === '.' ? kept : kept + target
}
