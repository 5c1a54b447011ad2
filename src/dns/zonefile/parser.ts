import { DnsError, TextError } from '../errors.ts'
import { parseName } from '../name.ts'
import { EntryReader, unquoted, type ZoneFileRecord } from './entry.ts'
import { Faults, type ZoneFileFault } from './fault.ts'
import { parseRange, parseTemplate, type Range, type Template } from './generate.ts'
import { type Chunk, Intake } from './intake.ts'
import { Lexer, lexText } from './lexer.ts'

/** How to read a zone file; all of it may be left out. */
export type ZoneFileLimits = {
  /** Where relative names begin before any $ORIGIN; without it they are faults. */
  readonly origin?: string | undefined
  /** The TTL of records that have none before any $TTL. */
  readonly ttl?: number | undefined
  /** The class of the zone (IN); another one in the file is a fault. */
  readonly class?: number
  /** How many faults are kept (100); all are counted. */
  readonly mostFaults?: number
  /** How many records all $GENERATE together may make (262144). */
  readonly mostGenerated?: number
}

/** What was read since the last batch, and how far it is. */
export type ZoneFileBatch = {
  readonly records: readonly ZoneFileRecord[]
  readonly faults: readonly ZoneFileFault[]
  /** All faults so far, also those not kept. */
  readonly faultCount: number
  /** Octets of the file (not of those it includes) used up so far. */
  readonly bytes: number
}

/** What a parser stopped for: a chunk, a file to include, a full batch, the end of an included file, the end of all. */
export type Stop = 'chunk' | 'include' | 'batch' | 'left' | 'done'

type File = {
  readonly lexer: Lexer
  readonly intake: Intake
  readonly name: string | undefined
  final: boolean
  readonly back: Scope | undefined
}
type Scope = { readonly origin: string | undefined; readonly owner: string | null | undefined }
type Generation = {
  readonly range: Range
  number: number
  readonly owner: Template
  readonly rdata: readonly Template[]
  readonly from: number
  readonly line: number
}

const MOST_BATCH = 4096
const MOST_DEPTH = 10
const MOST_INCLUDES = 1000
const MOST_GENERATED_OCTETS = 33_554_432

/** Reads a zone file piece by piece. It does no I/O: `run` says what it needs, the caller gives it. */
export class ZoneFileParser {
  /** The file wanted when `run` answered 'include'. */
  wanted = ''
  #wantedOrigin: string | undefined
  #files: File[]
  #reader: EntryReader
  #faults: Faults
  #records: ZoneFileRecord[] = []
  #generation: Generation | undefined
  #includes = 0
  #generated: number
  #generatedOctets = MOST_GENERATED_OCTETS

  constructor(limits: ZoneFileLimits = {}) {
    const origin = limits.origin === undefined ? undefined : parseName(limits.origin)
    this.#reader = new EntryReader({ origin, ttl: limits.ttl, class: limits.class ?? 1 })
    this.#faults = new Faults(limits.mostFaults ?? 100)
    this.#generated = limits.mostGenerated ?? 262_144
    this.#files = [newFile(undefined, undefined)]
  }

  /** Reads on until something is needed. */
  run(): Stop {
    for (;;) {
      if (this.#generation !== undefined) this.#generate(this.#generation)
      if (this.#records.length >= MOST_BATCH) return 'batch'
      const file = this.#files.at(-1)!
      if (file.lexer.next()) {
        if (this.#entry(file)) return 'include'
        continue
      }
      if (file.final) return this.#leave(file)
      const window = file.intake.take()
      if (window === undefined) return 'chunk'
      file.lexer.push(window)
      if (this.#records.length > 0) return 'batch'
    }
  }

  /** Gives the chunk `run` asked for. */
  add(chunk: Chunk): void {
    this.#files.at(-1)!.intake.add(chunk)
  }

  /** Says that no chunk follows in the file being read. */
  finish(): void {
    const file = this.#files.at(-1)!
    file.lexer.push(file.intake.rest())
    file.lexer.finish()
    file.final = true
  }

  /** Begins with the file `run` asked for; its chunks are asked for next. */
  enter(): void {
    const { origin, owner } = this.#reader
    this.#files.push(newFile(this.wanted, { origin, owner }))
    this.#reader.origin = this.#wantedOrigin ?? origin
  }

  /** Says why the file `run` asked for is not to be had. */
  refuse(message: string): void {
    this.#fault(this.#files.at(-1)!, message)
  }

  /** What was read since the last call. */
  take(): ZoneFileBatch {
    const records = this.#records
    this.#records = []
    return { records, faults: this.#faults.take(), faultCount: this.#faults.count, bytes: this.#files[0]!.lexer.offset }
  }

  #leave(file: File): Stop {
    if (file.back === undefined) return 'done'
    this.#files.pop()
    this.#reader.goBack(file.back.origin, file.back.owner)
    return 'left'
  }

  /** Handles one entry; true when a file has to be included. */
  #entry(file: File): boolean {
    const { lexer } = file
    if (lexer.fault) {
      this.#add(file, lexer.fault.line, lexer.fault.column, lexer.fault.message)
      return false
    }
    try {
      const { tokens, blankOwner } = lexer
      this.#reader.at = 0
      if (!blankOwner && tokens[0]!.charCodeAt(0) === 0x24) return this.#directive(tokens, lexer.lineOf(0))
      const record = this.#reader.record(tokens, blankOwner, lexer.lineOf(0))
      if (record !== undefined) this.#records.push(record)
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      this.#fault(file, error.message)
    }
    return false
  }

  #directive(tokens: readonly string[], line: number): boolean {
    const reader = this.#reader
    switch (tokens[0]!.toUpperCase()) {
      case '$ORIGIN':
        reader.origin = parseName(unquoted(this.#argument(tokens, 'a name', 2)), reader.origin)
        return false
      case '$TTL':
        reader.setDefaultTtl(this.#argument(tokens, 'a TTL, as $TTL 3600', 2))
        return false
      // BIND's cache dumps tell when they were made.
      case '$DATE':
        this.#argument(tokens, 'a time', 2)
        return false
      case '$INCLUDE':
        return this.#include(tokens)
      case '$GENERATE':
        this.#beginGenerate(tokens, line)
        return false
      default:
        throw new TextError(`a directive must be $ORIGIN, $TTL, $INCLUDE or $GENERATE, not ${tokens[0]!.slice(0, 40)}`)
    }
  }

  #argument(tokens: readonly string[], what: string, most: number): string {
    if (tokens[1] === undefined) throw new TextError(`${tokens[0]} must be followed by ${what}`)
    this.#reader.at = most
    if (tokens.length > most) throw new TextError(`nothing may follow here, as ${tokens[most]!.slice(0, 40)} does`)
    this.#reader.at = 1
    return tokens[1]
  }

  #include(tokens: readonly string[]): boolean {
    const name = fileName(this.#argument(tokens, 'a file name', 3))
    this.#reader.at = 2
    this.#wantedOrigin = tokens[2] === undefined ? undefined : parseName(unquoted(tokens[2]), this.#reader.origin)
    this.#reader.at = 1
    if (this.#files.length > MOST_DEPTH)
      throw new TextError(`files must not include each other more than ${MOST_DEPTH} deep`)
    if (++this.#includes > MOST_INCLUDES)
      throw new TextError(`a zone file must not include more than ${MOST_INCLUDES} files`)
    this.wanted = name
    return true
  }

  #beginGenerate(tokens: readonly string[], line: number): void {
    const reader = this.#reader
    reader.at = 1
    if (tokens.length < 5)
      throw new TextError(
        '$GENERATE must be followed by range, name, [TTL], [class], type and data, as $GENERATE 1-9 host$ A 192.0.2.$',
      )
    const range = parseRange(tokens[1]!)
    const from = reader.head(tokens, 3)
    if (reader.type < 0)
      throw new TextError(`$GENERATE must have a type that can be made, not ${tokens[from - 1]!.slice(0, 40)}`)
    reader.at = 2
    const owner = parseTemplate(unquoted(tokens[2]!))
    reader.at = from
    const data =
      tokens.length === from + 1 && tokens[from]!.startsWith('"') ? quotedData(tokens[from]!) : tokens.slice(from)
    const rdata = data.map(parseTemplate)
    reader.at = 1
    const octets = range.count * [owner, ...rdata].reduce((sum, template) => sum + template(range.stop).length, 0)
    if (range.count > this.#generated || octets > this.#generatedOctets) {
      throw new TextError(
        `$GENERATE must stay within the limits of this file, and ${range.count} records are more than are left (${this.#generated})`,
      )
    }
    this.#generated -= range.count
    this.#generatedOctets -= octets
    this.#generation = { range, number: range.start, owner, rdata, from, line }
  }

  /** Makes records until the batch is full or the range ends; the first fault ends it too. */
  #generate(generation: Generation): void {
    const { range, owner, rdata, from, line } = generation
    const reader = this.#reader
    let at = 2
    try {
      while (generation.number <= range.stop) {
        if (this.#records.length >= MOST_BATCH) return
        const number = generation.number
        generation.number += range.step
        at = 2
        const name = parseName(owner(number), reader.origin)
        at = from
        const data = rdata.map((template) => template(number))
        const octets = reader.rdata(data, 0)
        this.#records.push(reader.make(name, reader.ttlOf(octets), octets, line))
      }
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      reader.at = at
      this.#fault(this.#files.at(-1)!, `at ${generation.number - range.step} of $GENERATE: ${error.message}`)
    }
    this.#generation = undefined
  }

  /** A fault at the token being read, or at the last one where it is missing. */
  #fault(file: File, message: string): void {
    const { lexer } = file
    const at = Math.max(0, Math.min(this.#reader.at, lexer.tokens.length - 1))
    this.#add(file, lexer.lineOf(at), lexer.columnOf(at), message)
  }

  #add(file: File, line: number, column: number, message: string): void {
    this.#faults.add(file.name === undefined ? { line, column, message } : { line, column, message, file: file.name })
  }
}

function newFile(name: string | undefined, back: Scope | undefined): File {
  return { lexer: new Lexer(), intake: new Intake(), name, final: false, back }
}

/** Data of $GENERATE given as one quoted string is the whole data, not a string in it (as BIND reads it). */
function quotedData(token: string): readonly string[] {
  const { tokens, fault } = lexText(token.slice(1, -1).replaceAll('\\"', '"'))
  if (fault) throw new TextError(fault.message)
  return tokens
}

function fileName(token: string): string {
  const octets = unquoted(token).replace(/\\(\d{3}|.)/g, (_, what: string) =>
    what.length === 3 ? String.fromCharCode(Number(what) & 255) : what,
  )
  return Buffer.from(octets, 'latin1').toString('utf8')
}
