import { TextError } from '../errors.ts'
import { parseName } from '../name.ts'
import { rdataFromText } from '../rdata.ts'
import type { ResourceRecord } from '../record.ts'
import { Tokens } from '../text.ts'
import { classCode, className, typeCode, typeName } from '../types/index.ts'
import { parseTtl } from './ttl.ts'

/** A record and the line of the zone file it begins on. */
export type ZoneFileRecord = ResourceRecord & { readonly line: number }

const SOA = 6
const QUOTE = 0x22
const MOST_MNEMONICS = 1000
const scratch = Buffer.alloc(2048)

/** Reads the tokens of records, keeping what one leaves to the next: owner, origin and TTL. */
export class EntryReader {
  origin: string | undefined
  /** The owner of the last record; undefined before the first, null after one that could not be read. */
  owner: string | undefined | null
  /** The token being read, so that a fault can tell where it is. */
  at = 0
  /** The type of the entry whose head was read last. */
  type = 0

  #class: number
  #defaultTtl: number | undefined
  #lastTtl: number | undefined
  #ttl: number | undefined
  #ownerText: string | undefined
  #ownerOrigin: string | undefined

  constructor(options: {
    readonly origin: string | undefined
    readonly ttl: number | undefined
    readonly class: number
  }) {
    this.origin = options.origin
    this.#defaultTtl = options.ttl
    this.#class = options.class
  }

  /** The record of an entry; undefined where it stands for none. */
  record(tokens: readonly string[], blankOwner: boolean, line: number): ZoneFileRecord | undefined {
    this.at = 0
    if (!blankOwner) this.#readOwner(tokens[0]!)
    else if (this.owner === undefined)
      throw new TextError('the first record must begin with its name, not with white space')
    const from = this.head(tokens, blankOwner ? 0 : 1)
    if (this.type < 0) return undefined
    const rdata = this.rdata(tokens, from)
    const ttl = this.ttlOf(rdata)
    return typeof this.owner === 'string' ? this.make(this.owner, ttl, rdata, line) : undefined
  }

  /** Reads TTL and class, in either order and both optional, and the type; answers where the rdata begins. */
  head(tokens: readonly string[], from: number): number {
    this.#ttl = undefined
    let hasClass = false
    for (this.at = from; this.at < tokens.length; this.at++) {
      const token = tokens[this.at]!
      const first = token.charCodeAt(0)
      if (first >= 0x30 && first <= 0x39 && this.#ttl === undefined) {
        this.#ttl = parseTtl(token)
        continue
      }
      const code = mnemonic(token)
      if (code >= 0 || hasClass || code === NEGATIVE) {
        this.type = code
        if (code !== NEGATIVE) requireType(token, code)
        return this.at + 1
      }
      hasClass = true
      if (-code !== this.#class)
        throw new TextError(`class must be ${className(this.#class)}, as of the whole zone, not ${token}`)
    }
    throw new TextError('a type must follow, as in www 3600 IN A 192.0.2.1')
  }

  /** Reads the rdata of the type in the head. */
  rdata(tokens: readonly string[], from: number): Uint8Array {
    const reader = new Tokens(tokens, this.origin, from)
    try {
      return rdataFromText(this.type, reader)
    } catch (error) {
      this.at = Math.max(reader.taken - 1, from - 1)
      throw error
    }
  }

  /** The TTL written; else the one of $TTL; else the last one written (RFC 1035 5.1); else, at a SOA, its minimum (as BIND does). */
  ttlOf(rdata: Uint8Array): number {
    if (this.#ttl !== undefined) {
      this.#lastTtl = this.#ttl
      return this.#ttl
    }
    if (this.#defaultTtl !== undefined) return this.#defaultTtl
    if (this.#lastTtl !== undefined) return this.#lastTtl
    this.at = 0
    if (this.type !== SOA) throw new TextError('a TTL must be written here, or as $TTL before the first record')
    this.#defaultTtl = Math.min(
      new DataView(rdata.buffer, rdata.byteOffset, rdata.length).getUint32(rdata.length - 4),
      0x7fff_ffff,
    )
    return this.#defaultTtl
  }

  make(name: string, ttl: number, rdata: Uint8Array, line: number): ZoneFileRecord {
    return { name, type: this.type, class: this.#class, ttl, rdata, line }
  }

  /** The value of $TTL. */
  setDefaultTtl(text: string): void {
    this.#defaultTtl = parseTtl(text)
  }

  /** Goes back to where things stood before a file was included. */
  goBack(origin: string | undefined, owner: string | null | undefined): void {
    this.origin = origin
    this.owner = owner
    this.#ownerText = undefined
  }

  #readOwner(token: string): void {
    if (token === this.#ownerText && this.origin === this.#ownerOrigin) return
    this.owner = null
    this.#ownerText = undefined
    this.owner = ownCopy(parseName(unquoted(token), this.origin))
    this.#ownerText = token
    this.#ownerOrigin = this.origin
  }
}

/** A token without its quotes, for names and file names. */
export function unquoted(token: string): string {
  return token.charCodeAt(0) === QUOTE ? token.slice(1, -1) : token
}

// A negative answer in BIND's cache dump, as in \-AAAA or \-ANY.
const NEGATIVE = -0x10000
const mnemonics = new Map<string, number>()

/** The code of a type, the negated code of a class, 0 for neither. */
function mnemonic(token: string): number {
  if (token === 'IN') return -1
  const known = mnemonics.get(token)
  if (known !== undefined) return known
  const code = findMnemonic(token)
  if (code !== 0 && mnemonics.size < MOST_MNEMONICS) mnemonics.set(ownCopy(token), code)
  return code
}

function findMnemonic(token: string): number {
  if (token.length > 20) return 0
  if (token.startsWith('\\-')) return NEGATIVE
  const type = typeCode(token)
  if (type !== undefined) return type
  const code = classCode(token)
  return code === undefined ? 0 : -code
}

function requireType(token: string, code: number): void {
  if (code <= 0) {
    const given = token.length > 40 ? `${token.slice(0, 40)}…` : token
    throw new TextError(`a type must stand here, as A or MX or for any other TYPE65280 (RFC 3597), not ${given}`)
  }
  // RFC 6895 3.1: OPT and 128..255 are for messages only.
  if (code === 41 || (code >= 128 && code <= 255))
    throw new TextError(`${typeName(code)} must not be in a zone: it is for messages only`)
}

/** The same ASCII text without a hold on the window it was cut from, so that keeping a name does not keep the file. */
function ownCopy(text: string): string {
  return scratch.toString('latin1', 0, scratch.write(text, 'latin1'))
}
