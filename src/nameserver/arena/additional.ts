import { MOST_TARGETS } from '../../zonedata/additional.ts'
import { A, AAAA, HTTPS, MX, NS, SRV, SVCB } from '../../zonedata/type-codes.ts'
import type { Composer } from './composer.ts'
import { NODE, OFFSET_BITS, OFFSET_MASK, RRSET, ZONE } from './layout.ts'
import type { Lookup } from './lookup.ts'
import { CUT, FOUND, Walk } from './walk.ts'
import { LOWER, type WireName } from './wire-name.ts'

const ALL = 0
const REQUIRED = 1
const USEFUL = 2

/** `additionalFor` of zonedata over references, written straight into the message. */
export class AdditionalWriter {
  readonly #lookup: Lookup
  readonly #composer: Composer
  readonly #walk: Walk
  readonly #name: WireName
  readonly #mentioned = new Int32Array(MOST_TARGETS)
  readonly #mentionedHashes = new Int32Array(MOST_TARGETS)
  #mentions = 0
  #zone = 0
  #type = 0
  #cut = 0
  // Where in the message the owner of the RRset stands, and whether a record has pointed at it.
  #owner = 0
  #ownerIsMentioned = false

  constructor(lookup: Lookup, composer: Composer) {
    this.#lookup = lookup
    this.#composer = composer
    this.#walk = new Walk(lookup)
    this.#name = lookup.newName()
  }

  /** What the zone knows of the names that an RRset of this type, owned by `owner`, points at. */
  forAnswer(zone: number, rrset: number, type: number, owner: WireName): void {
    const offset = targetOffset(type)
    if (offset < 0) return
    this.#zone = zone
    this.#type = type
    this.#cut = 0
    this.#owner = this.#composer.owner
    this.#ownerIsMentioned = false
    this.#each(rrset, offset, ALL, owner)
  }

  /** The addresses of the servers of a delegation: those at or below the cut first. */
  forReferral(zone: number, cut: number, rrset: number, owner: WireName): void {
    // Every server of a referral counts; those with more than most are not common.
    if (this.#lookup.space.word(rrset, RRSET.COUNT) > MOST_TARGETS) {
      this.#composer.failed = true
      return
    }
    this.#zone = zone
    this.#type = NS
    this.#cut = cut
    this.#each(rrset, 0, REQUIRED, owner)
    this.#each(rrset, 0, USEFUL, owner)
  }

  #each(rrset: number, offset: number, which: number, owner: WireName): void {
    const { space } = this.#lookup
    const bytes = space.bytes[rrset >>> OFFSET_BITS]!
    let at = ((rrset & OFFSET_MASK) << 3) + RRSET.RECORDS
    const count = Math.min(space.word(rrset, RRSET.COUNT), MOST_TARGETS)
    this.#mentions = 0
    for (let i = 0; i < count && !this.#composer.failed; i++) {
      if (at + 2 > bytes.length) break
      const end = at + 2 + ((bytes[at]! << 8) | bytes[at + 1]!)
      if (end > bytes.length) break
      this.#target(bytes, at + 2, end, offset, which, owner)
      at = end
    }
  }

  #target(bytes: Uint8Array, at: number, end: number, offset: number, which: number, owner: WireName): void {
    const { space } = this.#lookup
    const composer = this.#composer
    const name = this.#name
    if (!name.read(bytes, at + offset, end)) {
      composer.failed = true
      return
    }
    const isBinding = this.#type === SVCB || this.#type === HTTPS
    if (isBinding && name.labels === 0) {
      if (bytes[at] !== 0 || bytes[at + 1] !== 0) this.#ownerAsTarget(owner)
      return
    }
    // A binding that names its own owner is left to the general path.
    if (isBinding && isSame(name, owner)) {
      composer.failed = true
      return
    }
    const apex = space.word(this.#zone, ZONE.APEX)
    const apexLabels = space.word(this.#zone, ZONE.LABELS)
    const from = name.labels - apexLabels
    if (from < 0 || !this.#lookup.isApex(apex, name, from) || this.#isMentioned(bytes, at + offset)) return
    const kind = this.#walk.to(apex, apexLabels, name, A)
    if (which !== ALL && (which === REQUIRED) !== (kind === CUT && this.#walk.node === this.#cut)) return
    let node = 0
    if (kind === FOUND) node = this.#walk.node
    else if (kind === CUT && this.#type === NS) node = this.#walk.exactly(apex, apexLabels, name)
    if (node === 0 || space.word(node, NODE.RRSETS) === 0) return
    composer.nameOwner(bytes, at + offset, end)
    this.#put(node, A)
    this.#put(node, AAAA)
    if (isBinding) this.#put(node, this.#type)
  }

  /** RFC 9460 2.5.2: a target `.` in service form is the owner. */
  #ownerAsTarget(owner: WireName): void {
    if (this.#ownerIsMentioned) return
    this.#ownerIsMentioned = true
    const { space } = this.#lookup
    if (this.#walk.to(space.word(this.#zone, ZONE.APEX), space.word(this.#zone, ZONE.LABELS), owner, A) !== FOUND)
      return
    this.#composer.owner = this.#owner
    this.#put(this.#walk.node, A)
    this.#put(this.#walk.node, AAAA)
  }

  #put(node: number, type: number): void {
    const rrset = this.#lookup.rrset(node, type)
    if (rrset !== 0 && !this.#composer.failed)
      this.#composer.put(rrset, type, this.#lookup.space.word(rrset, RRSET.TTL))
  }

  /** Whether the name at hand was met before; it is from now on. */
  #isMentioned(bytes: Uint8Array, at: number): boolean {
    const { lower, length, hashes } = this.#name
    const hash = hashes[0]!
    for (let i = 0; i < this.#mentions; i++) {
      if (this.#mentionedHashes[i] !== hash) continue
      const other = this.#mentioned[i]!
      let same = 0
      while (same < length && LOWER[bytes[other + same]!] === lower[same]) same++
      if (same === length) return true
    }
    this.#mentioned[this.#mentions] = at
    this.#mentionedHashes[this.#mentions++] = hash
    return false
  }
}

function targetOffset(type: number): number {
  switch (type) {
    case NS:
      return 0
    case MX:
    case SVCB:
    case HTTPS:
      return 2
    case SRV:
      return 6
    default:
      return -1
  }
}

function isSame(a: WireName, b: WireName): boolean {
  if (a.length !== b.length || a.hashes[0] !== b.hashes[0]) return false
  for (let i = 0; i < a.length; i++) if (a.lower[i] !== b.lower[i]) return false
  return true
}
