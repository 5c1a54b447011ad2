import { RCODE } from '../../dns/codes.ts'
import { CNAME, DS, NS, SOA } from '../../zonedata/type-codes.ts'
import { AdditionalWriter } from './additional.ts'
import { Composer } from './composer.ts'
import { OFFSET_BITS, OFFSET_MASK, RRSET, ZONE } from './layout.ts'
import type { Lookup } from './lookup.ts'
import { BELOW_DNAME, CUT, FOUND, NOTHING, Walk } from './walk.ts'
import type { WireName } from './wire-name.ts'

// Longer chains, and those that come back to where they were, are for the general path.
const MOST_LINKS = 6
const LEAST_SOA = 22

/** `answer` of zonedata over references, written straight into the message: the same octets, nothing allocated. */
export class FastAnswer {
  readonly #lookup: Lookup
  readonly #composer: Composer
  readonly #additional: AdditionalWriter
  readonly #walk: Walk
  readonly #target: WireName
  #zone = 0
  #question: WireName
  #links = 0
  rcode = 0
  isAuthoritative = false
  answers = 0
  authorities = 0
  additionals = 0

  constructor(lookup: Lookup) {
    this.#lookup = lookup
    this.#composer = new Composer(lookup.space)
    this.#additional = new AdditionalWriter(lookup, this.#composer)
    this.#walk = new Walk(lookup)
    this.#target = lookup.newName()
    this.#question = this.#target
  }

  /** Writes question and sections of the answer of a zone behind the header at `base`; returns where they end, or -1. */
  compose(zone: number, name: WireName, type: number, out: Uint8Array, base: number, room: number): number {
    this.#zone = zone
    this.#question = name
    this.#links = 0
    this.rcode = RCODE.NOERROR
    this.isAuthoritative = true
    this.answers = this.authorities = this.additionals = 0
    const composer = this.#composer
    composer.begin(out, base, room, name)
    composer.records = 0
    composer.questionOwner(name, 0)
    let current = name
    while (!composer.failed) {
      const kind = this.#walk.to(this.#word(ZONE.APEX), this.#word(ZONE.LABELS), current, type)
      if (kind === BELOW_DNAME) return -1
      if (kind === CUT) this.#refer(current)
      else if (kind === NOTHING) this.#deny(current, RCODE.NXDOMAIN)
      else if (kind === FOUND && this.#answerFrom(this.#walk.node, type, current)) {
        current = this.#target
        continue
      }
      return composer.failed ? -1 : composer.at
    }
    return -1
  }

  /** Gives the node's RRset of a type; true where that is an alias and the answer goes on with its target. */
  #answerFrom(node: number, type: number, current: WireName): boolean {
    const lookup = this.#lookup
    const composer = this.#composer
    let given = type
    let rrset = lookup.rrset(node, type)
    if (rrset === 0) {
      given = CNAME
      rrset = lookup.rrset(node, CNAME)
    }
    if (rrset === 0) {
      this.#deny(current, RCODE.NOERROR)
      return false
    }
    composer.put(rrset, given, lookup.space.word(rrset, RRSET.TTL))
    this.answers = composer.records
    if (composer.failed) return false
    if (given === CNAME && type !== CNAME) return this.#follow(rrset, type)
    this.#additional.forAnswer(this.#zone, rrset, given, current)
    this.additionals = composer.records - this.answers
    return false
  }

  /** Takes an alias's target for the next name; false where the answer ends with the alias. */
  #follow(rrset: number, type: number): boolean {
    const lookup = this.#lookup
    const composer = this.#composer
    const bytes = lookup.space.bytes[rrset >>> OFFSET_BITS]!
    const at = ((rrset & OFFSET_MASK) << 3) + RRSET.RECORDS + 2
    const zone = this.#target.read(bytes, at, bytes.length) ? lookup.closestZone(this.#target, 0) : -1
    if (zone === 0) return false
    // The zone that answers for DS may be another.
    if (zone !== this.#zone || type === DS || ++this.#links > MOST_LINKS) composer.failed = true
    composer.owner = composer.target
    return !composer.failed
  }

  #deny(current: WireName, rcode: number): void {
    const { space } = this.#lookup
    const composer = this.#composer
    const soa = this.#word(ZONE.SOA)
    const bytes = space.bytes[soa >>> OFFSET_BITS]!
    const at = ((soa & OFFSET_MASK) << 3) + RRSET.RECORDS
    const length = (bytes[at]! << 8) | bytes[at + 1]!
    const end = at + 2 + length
    if (length < LEAST_SOA || end > bytes.length) {
      composer.failed = true
      return
    }
    const minimum = ((bytes[end - 4]! << 24) | (bytes[end - 3]! << 16) | (bytes[end - 2]! << 8) | bytes[end - 1]!) >>> 0
    const ttl = space.word(soa, RRSET.TTL) >>> 0
    this.rcode = rcode
    this.#ownFrom(current, current.labels - this.#word(ZONE.LABELS))
    composer.put(soa, SOA, ttl < minimum ? ttl : minimum)
    this.authorities = composer.records - this.answers
  }

  #refer(current: WireName): void {
    const composer = this.#composer
    const cut = this.#walk.node
    const rrset = this.#lookup.rrset(cut, NS)
    if (rrset === 0) {
      composer.failed = true
      return
    }
    this.isAuthoritative = this.answers > 0
    this.#ownFrom(current, this.#walk.label)
    composer.put(rrset, NS, this.#lookup.space.word(rrset, RRSET.TTL))
    this.authorities = composer.records - this.answers
    if (composer.failed) return
    this.#additional.forReferral(this.#zone, cut, rrset, current)
    this.additionals = composer.records - this.answers - this.authorities
  }

  /** Makes the name at hand from a label on the owner of what follows. */
  #ownFrom(current: WireName, label: number): void {
    if (current === this.#question) this.#composer.questionOwner(current, label)
    else this.#composer.nameOwner(current.source, current.at + current.starts[label]!, current.at + current.length)
  }

  #word(index: number): number {
    return this.#lookup.space.word(this.#zone, index)
  }
}
