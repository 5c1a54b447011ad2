import { OPCODE } from './codes.ts'
import { type Edns, encodeOptions, findOption, readOptions } from './edns.ts'
import { WireError } from './errors.ts'
import { isAtOrBelow, nameToWire } from './name.ts'
import { readRdata, writeRdata } from './rdata.ts'
import type { ResourceRecord } from './record.ts'
import { readTsig, TSIG, type Tsig, writeTsig } from './tsig-record.ts'
import { Reader, Writer } from './wire.ts'

/** A DNS message (RFC 1035 4). OPT and TSIG are not among `additional`; `rcode` has the extended bits. */
export type Message = {
  readonly id: number
  readonly opcode: number
  readonly rcode: number
  readonly flags: Flags
  readonly question: readonly Question[]
  readonly answer: readonly ResourceRecord[]
  readonly authority: readonly ResourceRecord[]
  readonly additional: readonly ResourceRecord[]
  readonly edns?: Edns
  readonly tsig?: Tsig
}

export type Flags = {
  readonly qr: boolean
  readonly aa: boolean
  readonly tc: boolean
  readonly rd: boolean
  readonly ra: boolean
  readonly ad: boolean
  readonly cd: boolean
}

export type Question = { readonly name: string; readonly type: number; readonly class: number }

const HEADER = 12
const OPT = 41
const NS = 2
const NONE = 254
const ANY = 255
const MOST = 65535
const NOTHING = new Uint8Array(0)
const QR = 0x8000
const TC = 0x0200
const RD = 0x0100

/** Reads a whole message; anything a sender could get wrong is a WireError. Copy the rdata you keep for long: it may share memory. */
export function decodeMessage(bytes: Uint8Array): Message {
  if (bytes.length < HEADER) throw new WireError(`a message has at least ${HEADER} octets, not ${bytes.length}`)
  const u16 = (at: number) => (bytes[at]! << 8) | bytes[at + 1]!
  const [id, bits, questions, answers, authorities, additionals] = [u16(0), u16(2), u16(4), u16(6), u16(8), u16(10)]
  const reader = new Reader(bytes, HEADER)
  const question: Question[] = []
  for (let i = 0; i < questions; i++) question.push({ name: reader.name(), type: reader.u16(), class: reader.u16() })
  const answer = readSection(reader, answers)
  const authority = readSection(reader, authorities)
  let additional: ResourceRecord[] | undefined
  let edns: Edns | undefined
  let tsig: Tsig | undefined
  let rcode = bits & 0xf
  for (let i = 0; i < additionals; i++) {
    const name = reader.name()
    const type = reader.u16()
    if (type === OPT) {
      if (edns !== undefined) throw new WireError('a message has more than one OPT record')
      if (name !== '.') throw new WireError('an OPT record must have the root as its name')
      const udpSize = reader.u16()
      rcode |= reader.u8() << 4
      edns = readEdns(reader, udpSize)
    } else if (type === TSIG) {
      if (i !== additionals - 1) throw new WireError('a TSIG record must be the last of its message')
      tsig = readTsig(reader, name)
    } else {
      additional ??= []
      additional.push(readRecord(reader, name, type))
    }
  }
  if (reader.remaining > 0) throw new WireError(`${reader.remaining} octets follow the message`)
  const flags = readFlags(bits)
  const opcode = (bits >> 11) & 0xf
  // Written out: spreading one into the other takes longer than reading a query.
  const message =
    edns === undefined
      ? { id, opcode, rcode, flags, question, answer, authority, additional: additional ?? NO_RECORDS }
      : { id, opcode, rcode, flags, question, answer, authority, additional: additional ?? NO_RECORDS, edns }
  return tsig === undefined ? message : { ...message, tsig }
}

/**
 * Writes a message in at most `limit` octets.
 *
 * An RRset of the answer or authority that does not fit is left out whole with all that follows it, and TC is set. Additional
 * RRsets are left out silently, save the glue below a delegation (RFC 9471 3.1). OPT and TSIG are always there.
 */
export function encodeMessage(message: Message, { limit = MOST }: { limit?: number } = {}): Uint8Array {
  const { edns, tsig } = message
  if (edns === undefined && message.rcode > 0xf) throw new WireError(`rcode ${message.rcode} needs EDNS`)
  const options = edns === undefined || edns.options.length === 0 ? NOTHING : encodeOptions(edns.options)
  const room =
    Math.min(limit, MOST) - (edns === undefined ? 0 : 11 + options.length) - (tsig === undefined ? 0 : tsigLength(tsig))
  const writer = new Writer(512, 4 * MOST)
  let bits = headerBits(message)
  writer.u16(message.id)
  writer.u16(bits)
  writer.u16(message.question.length)
  writer.u16(0)
  writer.u32(0)
  for (const { name, type, class: klass } of message.question) {
    writer.name(name)
    writer.u16(type)
    writer.u16(klass)
  }
  if (writer.offset > room) throw new WireError(`the question alone takes more than ${limit} octets`)
  const answers = writeSection(writer, message.answer, room)
  let whole = answers === message.answer.length
  const authorities = whole ? writeSection(writer, message.authority, room) : 0
  whole &&= authorities === message.authority.length
  let additionals = 0
  if (whole) {
    additionals = writeSection(writer, message.additional, room)
    const left = additionals < message.additional.length ? message.additional.slice(additionals) : []
    whole = !left.some((record) => isNeededGlue(record, message))
  }
  if (!whole) bits |= TC
  if (edns !== undefined) {
    writeOpt(writer, edns, message.rcode >> 4, options)
    additionals++
  }
  if (tsig !== undefined) {
    writeTsig(writer, tsig)
    additionals++
  }
  writer.patchU16(2, bits)
  writer.patchU16(6, answers)
  writer.patchU16(8, authorities)
  writer.patchU16(10, additionals)
  return writer.finishPooled()
}

/** Whether a request has as many questions as its kind must (RFC 9619 4); the answer to others is FORMERR. */
export function hasRightQuestionCount({ opcode, question, edns }: Message): boolean {
  if (opcode === OPCODE.DSO) return question.length === 0
  if (question.length === 1) return true
  // RFC 7873 5.4: a client may ask for nothing but a cookie.
  return opcode === OPCODE.QUERY && question.length === 0 && findOption(edns, 'cookie') !== undefined
}

/** A reply of the header alone, for requests that cannot be decoded; none for what is too short or itself a reply. */
export function bareReply(request: Uint8Array, rcode: number): Uint8Array | undefined {
  if (request.length < HEADER || (request[2]! & 0x80) !== 0) return undefined
  const reply = new Uint8Array(HEADER)
  reply.set(request.subarray(0, 2))
  reply[2] = 0x80 | (request[2]! & 0x79)
  reply[3] = rcode & 0xf
  return reply
}

/** Writes one record, compressing where the type allows. */
export function writeRecord(writer: Writer, record: ResourceRecord): void {
  writer.name(record.name)
  writer.u16(record.type)
  writer.u16(record.class)
  writer.u32(record.ttl)
  const at = writer.offset
  writer.u16(0)
  // RFC 2136 2.4: updates name whole RRsets by records without rdata.
  if (record.rdata.length > 0) writeRdata(record.type, writer, record.rdata)
  writer.patchU16(at, writer.offset - at - 2)
}

/** The second 16 bits of the header. */
export function headerBits({ flags, opcode, rcode }: Pick<Message, 'flags' | 'opcode' | 'rcode'>): number {
  return (
    (flags.qr ? QR : 0) |
    ((opcode & 0xf) << 11) |
    (flags.aa ? 0x0400 : 0) |
    (flags.tc ? TC : 0) |
    (flags.rd ? RD : 0) |
    (flags.ra ? 0x0080 : 0) |
    (flags.ad ? 0x0020 : 0) |
    (flags.cd ? 0x0010 : 0) |
    (rcode & 0xf)
  )
}

// Messages share what they have alike: making it anew for each takes longer than reading the header.
const NO_RECORDS: readonly ResourceRecord[] = []
const knownFlags: (Flags | undefined)[] = new Array(128).fill(undefined)

function readFlags(bits: number): Flags {
  const key = ((bits >> 9) & 0x40) | ((bits >> 5) & 0x3c) | ((bits >> 4) & 0x03)
  const known = knownFlags[key]
  if (known !== undefined) return known
  const flags = {
    qr: (bits & QR) !== 0,
    aa: (bits & 0x0400) !== 0,
    tc: (bits & TC) !== 0,
    rd: (bits & RD) !== 0,
    ra: (bits & 0x0080) !== 0,
    ad: (bits & 0x0020) !== 0,
    cd: (bits & 0x0010) !== 0,
  }
  knownFlags[key] = flags
  return flags
}

function readSection(reader: Reader, count: number): readonly ResourceRecord[] {
  if (count === 0) return NO_RECORDS
  const records: ResourceRecord[] = []
  for (let i = 0; i < count; i++) {
    const name = reader.name()
    const type = reader.u16()
    if (type === OPT || type === TSIG) throw new WireError('OPT and TSIG records belong in the additional section')
    records.push(readRecord(reader, name, type))
  }
  return records
}

function readRecord(reader: Reader, name: string, type: number): ResourceRecord {
  const klass = reader.u16()
  const ttl = reader.u32()
  const length = reader.u16()
  if (length > reader.remaining)
    throw new WireError(`a record has ${length - reader.remaining} octets less than it says`)
  const end = reader.offset + length
  const empty = length === 0 && (klass === ANY || klass === NONE)
  const rdata = empty ? NOTHING : readRdata(type, reader, length)
  if (reader.offset !== end) throw new WireError('the fields of a record do not fill its rdata')
  // RFC 2181 8: a TTL with the top bit set is read as zero.
  return { name, type, class: klass, ttl: ttl > 0x7fffffff ? 0 : ttl, rdata }
}

function readEdns(reader: Reader, udpSize: number): Edns {
  const version = reader.u8()
  const dnssecOk = (reader.u16() & 0x8000) !== 0
  const length = reader.u16()
  if (length > reader.remaining) throw new WireError('an OPT record is cut short')
  return { udpSize, version, dnssecOk, options: readOptions(reader, reader.offset + length, version) }
}

function writeOpt(writer: Writer, edns: Edns, upperRcode: number, options: Uint8Array): void {
  writer.u8(0)
  writer.u16(OPT)
  writer.u16(edns.udpSize)
  writer.u8(upperRcode)
  writer.u8(edns.version)
  writer.u16(edns.dnssecOk ? 0x8000 : 0)
  writer.u16(options.length)
  writer.bytes(options)
}

/** Writes the records whose RRsets fit whole into `room`, and returns how many. */
function writeSection(writer: Writer, records: readonly ResourceRecord[], room: number): number {
  let setStart = writer.offset
  let setIndex = 0
  for (let i = 0; i < records.length; i++) {
    const record = records[i]!
    if (!isSameSet(records[setIndex]!, record)) {
      setStart = writer.offset
      setIndex = i
    }
    writeRecord(writer, record)
    if (writer.offset > room) {
      writer.rewind(setStart)
      return setIndex
    }
  }
  return records.length
}

function isSameSet(a: ResourceRecord, b: ResourceRecord): boolean {
  return a.type === b.type && a.name === b.name && a.class === b.class
}

function isNeededGlue(record: ResourceRecord, { flags, answer, authority }: Message): boolean {
  const cut = authority[0]
  return !flags.aa && answer.length === 0 && cut?.type === NS && isAtOrBelow(record.name, cut.name)
}

function tsigLength(tsig: Tsig): number {
  return nameToWire(tsig.name).length + nameToWire(tsig.algorithm).length + 26 + tsig.mac.length + tsig.other.length
}
