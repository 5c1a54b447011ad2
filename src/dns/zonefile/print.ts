import { genericText } from '../generic.ts'
import { isBelow, parseName } from '../name.ts'
import { rdataToText } from '../rdata.ts'
import type { ResourceRecord } from '../record.ts'
import { className, typeName } from '../types/index.ts'
import { commonName, commonText } from './common-text.ts'

/** How a zone file is laid out. */
export type PrintOptions = {
  /** `plain`: one blank between fields, every name in full. `aligned`: columns, and an owner only where it changes. */
  readonly layout?: 'plain' | 'aligned'
  /** Writes $ORIGIN, and owners below it without it. */
  readonly origin?: string
  /** Writes $TTL, and no TTL with the records that have this one. */
  readonly ttl?: number
  /** `common`: records some name servers in wide use do not read are written as TYPE and octets (RFC 3597). `all`: none are. */
  readonly types?: 'common' | 'all'
}

const CHUNK = 65_536
const ORIGIN = '@'
const SIG = 24
const RRSIG = 46

/** The records as a zone file, in the order given. */
export function printZoneFile(records: Iterable<ResourceRecord>, options: PrintOptions = {}): string {
  const printer = new ZoneFilePrinter(options)
  let text = printer.head()
  for (const record of records) text += printer.line(record)
  return text
}

/** The records as chunks of a zone file, made as they come. */
export async function* zoneFileChunks(
  records: Iterable<ResourceRecord> | AsyncIterable<ResourceRecord>,
  options: PrintOptions = {},
): AsyncGenerator<string, void> {
  const printer = new ZoneFilePrinter(options)
  let chunk = printer.head()
  for await (const record of records) {
    chunk += printer.line(record)
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Writes records one by one, remembering the owner of the last. */
export class ZoneFilePrinter {
  readonly #options: PrintOptions
  readonly #origin: string | undefined
  #last: string | undefined

  constructor(options: PrintOptions = {}) {
    this.#options = options
    this.#origin = options.origin === undefined ? undefined : parseName(options.origin)
  }

  /** The directives that stand before the first record. */
  head(): string {
    const origin = this.#origin === undefined ? '' : `$ORIGIN ${commonName(this.#origin)}\n`
    return this.#options.ttl === undefined ? origin : `${origin}$TTL ${this.#options.ttl}\n`
  }

  /** One record with its line end. */
  line(record: ResourceRecord): string {
    const { type, rdata } = record
    // ldns gives signatures without a TTL the one they were made with.
    const leaveOut = record.ttl === this.#options.ttl && type !== SIG && type !== RRSIG
    const ttl = leaveOut ? '' : String(record.ttl)
    const text = this.#options.types === 'all' ? rdataToText(type, rdata) : commonText(type, rdata)
    const typeText = text === undefined ? `TYPE${type}` : typeName(type)
    const data = text ?? genericText(rdata)
    const owner = this.#owner(record.name)
    if (this.#options.layout !== 'aligned') {
      return `${owner} ${ttl}${ttl === '' ? '' : ' '}${className(record.class)} ${typeText} ${data}\n`
    }
    const shown = record.name === this.#last ? '' : owner
    this.#last = record.name
    return `${shown.padEnd(23)} ${ttl.padEnd(7)} ${className(record.class)} ${typeText.padEnd(7)} ${data}\n`
  }

  #owner(name: string): string {
    const relative = this.#relative(name)
    return relative === ORIGIN ? relative : commonName(relative)
  }

  #relative(name: string): string {
    const origin = this.#origin
    if (origin === undefined || !name.endsWith(origin)) return name
    if (name === origin) return ORIGIN
    if (origin === '.') return name.slice(0, -1)
    return isBelow(name, origin) ? name.slice(0, -origin.length - 1) : name
  }
}
