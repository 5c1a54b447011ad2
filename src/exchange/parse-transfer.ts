import { rcodeName } from '../dns/codes.ts'
import { isAtOrBelow, sameName } from '../dns/name.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { typeName } from '../dns/types/index.ts'
import type { Change } from '../zonedata/change.ts'
import { IN, SOA } from '../zonedata/type-codes.ts'
import { soaNumber } from '../zonedata/zone.ts'

/** The most that a master may send. */
export type TransferLimits = { readonly records: number; readonly octets: number; readonly messages: number }

/** What a master sent: that there is nothing new, the whole zone, or the changes since the serial we have. */
export type Transfer =
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'whole'; readonly soa: ResourceRecord; readonly records: readonly ResourceRecord[] }
  | { readonly kind: 'changes'; readonly soa: ResourceRecord; readonly changes: readonly Change[] }

/** The parts of a message that matter to a transfer. */
export type TransferMessage = {
  readonly rcode: number
  readonly answer: readonly ResourceRecord[]
}

/** What a master sent is not a transfer of the zone that can be taken. */
export class BadTransfer extends Error {}

/** The master refuses the transfer that was asked for, with this rcode. */
export class TransferRefused extends BadTransfer {
  readonly rcode: number

  constructor(rcode: number, asked: 'AXFR' | 'IXFR') {
    super(`the master answers ${rcodeName(rcode)} to the transfer (${asked})`)
    this.rcode = rcode
  }
}

type State = 'first' | 'second' | 'whole' | 'removing' | 'adding' | 'done'

const mostTtl = 0x7fffffff
const mostPerMessage = 65_535

/** Takes the records of a transfer (RFC 5936, RFC 1995) message by message, and refuses whatever does not belong in one. */
export class TransferParser {
  readonly #zone: string
  readonly #have: number | undefined
  readonly #limits: TransferLimits
  #state: State = 'first'
  #soa: ResourceRecord | undefined
  #serial = 0
  #records: ResourceRecord[] = []
  #changes: Change[] = []
  #from: ResourceRecord | undefined
  #to: ResourceRecord | undefined
  #removed: ResourceRecord[] = []
  #added: ResourceRecord[] = []
  #taken = { records: 0, octets: 0, messages: 0 }
  #result: Transfer | undefined

  /** With `have`, the changes since that serial were asked for; without it, the whole zone. */
  constructor(zone: string, have: number | undefined, limits: TransferLimits) {
    this.#zone = zone
    this.#have = have
    this.#limits = limits
  }

  /** What was sent, once the last message is taken. */
  get result(): Transfer | undefined {
    return this.#result
  }

  /** Takes a message of so many octets; tells whether it was the last. */
  take(message: TransferMessage, octets: number): boolean {
    if (this.#state === 'done') throw new BadTransfer('more follows the end of the transfer')
    this.#count(octets, message.answer.length)
    if (message.rcode !== 0) throw new TransferRefused(message.rcode, this.#have === undefined ? 'AXFR' : 'IXFR')
    if (message.answer.length === 0 && this.#state === 'first') throw new BadTransfer('the first message is empty')
    for (const record of message.answer) this.#take(record)
    // RFC 1995 4: a lone SOA with a serial that is not newer tells that there is nothing to send.
    if (this.#state === 'second' && this.#have !== undefined && !isNewerSerial(this.#serial, this.#have)) {
      this.#end({ kind: 'current', serial: this.#serial })
    }
    return this.#result !== undefined
  }

  #count(octets: number, records: number): void {
    const taken = this.#taken
    taken.messages += 1
    taken.octets += octets
    taken.records += records
    for (const what of ['messages', 'octets', 'records'] as const) {
      // The SOAs that frame the zone are not counted; of changes, each record may be there in both lists.
      const most = this.#limits[what] * (what === 'records' && this.#have !== undefined ? 2 : 1)
      if (taken[what] > most + (what === 'records' ? mostFraming(this.#changes.length) : 0))
        throw new BadTransfer(`the transfer has more than ${most} ${what}`)
    }
  }

  #take(record: ResourceRecord): void {
    const isSoa = record.type === SOA
    if (this.#state === 'done') throw new BadTransfer('more records follow the end of the transfer')
    this.#mustBelong(record)
    const clean = cleaned(record)
    switch (this.#state) {
      case 'first':
        if (!isSoa) throw new BadTransfer(`the first record is of type ${typeName(record.type)}, not the SOA`)
        this.#soa = clean
        this.#serial = serialOf(clean)
        this.#state = 'second'
        return
      case 'second':
        if (isSoa) this.#secondSoa(clean)
        else this.#begin(clean)
        return
      case 'whole':
        if (!isSoa) this.#records.push(clean)
        else if (sameSoa(clean, this.#soa!)) this.#end({ kind: 'whole', soa: this.#soa!, records: this.#records })
        else throw new BadTransfer(`the zone has two SOAs, with serials ${this.#serial} and ${serialOf(clean)}`)
        return
      case 'removing':
        if (!isSoa) this.#removed.push(clean)
        else this.#toAdding(clean)
        return
      case 'adding':
        if (!isSoa) this.#added.push(clean)
        else this.#nextChange(clean)
        return
    }
  }

  #begin(record: ResourceRecord): void {
    this.#records.push(record)
    this.#state = 'whole'
  }

  #secondSoa(record: ResourceRecord): void {
    const serial = serialOf(record)
    if (this.#have !== undefined && serial === this.#have && serial !== this.#serial) this.#startChange(record)
    else if (sameSoa(record, this.#soa!)) this.#end({ kind: 'whole', soa: this.#soa!, records: [] })
    else throw new BadTransfer(`the second record is an SOA with serial ${serial}, which belongs to nothing asked for`)
  }

  #startChange(from: ResourceRecord): void {
    this.#from = from
    this.#removed = []
    this.#added = []
    this.#state = 'removing'
  }

  #toAdding(to: ResourceRecord): void {
    const [before, after] = [serialOf(this.#from!), serialOf(to)]
    if (!isNewerSerial(after, before)) throw new BadTransfer(`a change leads from serial ${before} to ${after}`)
    this.#to = to
    this.#state = 'adding'
  }

  #nextChange(record: ResourceRecord): void {
    const [from, to] = [this.#from!, this.#to!]
    this.#changes.push({
      from: serialOf(from),
      to: serialOf(to),
      removed: [from, ...this.#removed],
      added: [to, ...this.#added],
    })
    if (this.#changes.length > this.#limits.records)
      throw new BadTransfer(`there are more than ${this.#limits.records} changes`)
    if (serialOf(record) !== serialOf(to)) {
      throw new BadTransfer(`a change to serial ${serialOf(to)} is followed by one from ${serialOf(record)}`)
    }
    if (serialOf(to) === this.#serial) this.#end({ kind: 'changes', soa: this.#soa!, changes: this.#changes })
    else this.#startChange(record)
  }

  #end(result: Transfer): void {
    this.#state = 'done'
    this.#result = result
  }

  #mustBelong({ name, type, class: klass }: ResourceRecord): void {
    if (klass !== IN) throw new BadTransfer(`${name} has class ${klass}, not IN`)
    if (type === SOA ? !sameName(name, this.#zone) : !isAtOrBelow(name, this.#zone))
      throw new BadTransfer(`${name} ${typeName(type)} does not belong in ${this.#zone}`)
    if (isMeta(type)) throw new BadTransfer(`${name} has type ${typeName(type)}, which no zone can hold`)
  }
}

/** Types that are asked with or speak of messages (RFC 6895 3.1), not data. */
const isMeta = (type: number): boolean => type === 0 || type === 41 || (type >= 128 && type <= 255)

/** How many SOAs may stand around what is counted. */
const mostFraming = (changes: number): number => Math.min(2 + 2 * (changes + 1), mostPerMessage)

const serialOf = ({ rdata }: ResourceRecord): number => soaNumber(rdata, 0)

function sameSoa(a: ResourceRecord, b: ResourceRecord): boolean {
  return serialOf(a) === serialOf(b)
}

/** A record that keeps no message in memory; a TTL with its highest bit set counts as 0 (RFC 2181 8). */
const cleaned = ({ name, type, class: klass, ttl, rdata }: ResourceRecord): ResourceRecord => ({
  name,
  type,
  class: klass,
  ttl: ttl > mostTtl ? 0 : ttl,
  rdata: rdata.slice(),
})
