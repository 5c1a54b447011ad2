import { RCODE } from '../dns/codes.ts'
import { isAtOrBelow, nameKey, nameToWire, parentName, sameName, wireToName } from '../dns/name.ts'
import type { RRset } from '../dns/record.ts'
import { additionalFor } from './additional.ts'
import { findIn } from './find.ts'
import { ANY, CNAME, DNAME, NS, SOA } from './type-codes.ts'
import { EMPTY, viewOf, type ZoneView } from './view.ts'
import { soaNumber, type Zone } from './zone.ts'

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
  return answerFrom(viewOf(zone), question, (name, type) => {
    const next = zoneFor(name, type)
    return next && viewOf(next)
  })
}

/** The zone at hand that answers for a name: the closest that encloses it, or, for type DS, the closest that is not the name itself. */
export type ZoneFor = (name: string, type: number) => Zone | undefined

/** As `answer`, whatever holds the zones. */
export function answerFrom<N>(zone: ZoneView<N>, question: Question, zoneFor: ViewFor<N>): Answer {
  if (!isAtOrBelow(question.name, zone.origin)) return refusal(RCODE.REFUSED) // [Z1]
  const { type } = question
  const chain: RRset[] = []
  const visited = new Set<string>()
  for (let { name } = question; ; ) {
    const soa = soaIn(zone, name)
    if (soa === undefined) return refusal(RCODE.SERVFAIL) // [Z2]
    const found = findIn(zone, name, type)
    if (found.kind === 'nothing') return { ...negative(zone, soa, name, chain), rcode: RCODE.NXDOMAIN } // [Z5]
    if (found.kind === 'cut') return referral(zone, found.node, ancestorAt(zone, name, found.depth), chain) // [Z10]

    let target: string | undefined
    if (found.kind === 'dname') {
      const dname = ownedBy(zone.rrset(found.node, DNAME)!, ancestorAt(zone, name, found.depth))
      if (!chain.some((rrset) => rrset.type === DNAME && sameName(rrset.name, dname.name))) chain.push(dname) // [Z22]
      target = substitute(name, dname)
      if (target === undefined) return { ...positive(zone, chain), rcode: RCODE.YXDOMAIN } // [Z24]
      chain.push({ name, type: CNAME, ttl: dname.ttl, rdatas: [nameToWire(target)] }) // [Z23]
      if (type === CNAME || type === ANY) return positive(zone, chain) // [Z21]
    } else {
      const rrset = found.node && selected(zone, found.node, type)
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

/** As `ZoneFor`, whatever holds the zones. */
export type ViewFor<N> = (name: string, type: number) => ZoneView<N> | undefined

function onlyIn(zone: Zone): ZoneFor {
  return (name) => (isAtOrBelow(name, zone.origin) ? zone : undefined)
}

function soaIn<N>(zone: ZoneView<N>, name: string): RRset | undefined {
  const apex = zone.at(name, 0)
  return apex === undefined || apex === EMPTY ? undefined : zone.rrset(apex, SOA)
}

function selected<N>(zone: ZoneView<N>, node: N, type: number): RRset | undefined {
  if (type === ANY) return zone.firstRRset(node) // [Z7]
  return zone.rrset(node, type) ?? zone.rrset(node, CNAME)
}

function positive<N>(zone: ZoneView<N>, chain: readonly RRset[]): Answer {
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

function negative<N>(zone: ZoneView<N>, soa: RRset, name: string, chain: readonly RRset[]): Answer {
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

function referral<N>(zone: ZoneView<N>, cut: N, owner: string, chain: readonly RRset[]): Answer {
  const delegation = ownedBy(zone.rrset(cut, NS)!, owner)
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
function ancestorAt<N>(zone: ZoneView<N>, name: string, depth: number): string {
  let ancestor = name
  for (let steps = zone.depthOf(name) - depth; steps > 0; steps--) ancestor = parentName(ancestor)!
  return ancestor
}

/** `name` with the DNAME's owner replaced by its target; undefined where that is longer than a name can be (RFC 6672 2.2). */
function substitute(name: string, dname: RRset): string | undefined {
  const target = wireToName(dname.rdatas[0]!)
  const kept = name.slice(0, name.length - (dname.name === '.' ? 0 : dname.name.length))
  const length = nameToWire(name).length - nameToWire(dname.name).length + dname.rdatas[0]!.length
  return length > 255 ? undefined : target === '.' ? kept : kept + target
}
