import { NAME, type RecordType, type ValueOf } from './define.ts'
import { DnsError, TextError, WireError } from './errors.ts'
import type { Field } from './fields/field.ts'
import { domainName } from './fields/names.ts'
import { genericFrom, genericText } from './generic.ts'
import { nameKey } from './name.ts'
import { pooledCopy } from './pooled.ts'
import { Tokens } from './text.ts'
import { typeName, typeOf } from './types/index.ts'
import { Reader, Writer } from './wire.ts'

const MOST_OCTETS = 65535
const scratch = new Uint8Array(1024)

type Value = Readonly<Record<string, unknown>>
type Fields = Readonly<Record<string, Field<unknown>>>

// RFC 3597 4: compressed only in the types of RFC 1035; received compressed also in these. No later type joins either.
const compressed = new Set([2, 5, 6, 12, 15])
const expanded = new Set([...compressed, 17, 18, 21, 24, 33, 35])
// RFC 4034 6.2 as amended by RFC 6840 5.1: the types whose names are lower-cased in canonical form.
const lowered = new Set([...expanded, 36, 39, 46])

/** The value that record text stands for. */
export function parseRdata<F extends Fields>(type: RecordType<F>, text: string | Tokens, origin?: string): ValueOf<F> {
  const tokens = typeof text === 'string' ? new Tokens(text, origin) : text
  const value: Record<string, unknown> = {}
  for (const { key, label, field } of type.columns) value[key] = field.parse(tokens, label, value)
  tokens.end()
  const fault = type.check?.(value as ValueOf<F>)
  if (fault !== undefined) throw new TextError(fault)
  return value as ValueOf<F>
}

/** The text of a value, in its one form. */
export function printRdata<F extends Fields>(type: RecordType<F>, value: ValueOf<F>): string {
  let text = ''
  for (const { key, field } of type.columns) {
    const part = field.print((value as Value)[key])
    if (part !== '') text += text === '' ? part : ` ${part}`
  }
  return text
}

/** The octets of a value, names uncompressed. */
export function encodeRdata<F extends Fields>(type: RecordType<F>, value: ValueOf<F>): Uint8Array {
  const writer = new Writer()
  for (const { key, field } of type.columns) field.write(writer, (value as Value)[key], value)
  return writer.finish()
}

/** The value that octets stand for. */
export function decodeRdata<F extends Fields>(type: RecordType<F>, rdata: Uint8Array): ValueOf<F> {
  const reader = new Reader(rdata)
  const value: Record<string, unknown> = {}
  for (const { key, field } of type.columns) value[key] = field.read(reader, value)
  if (reader.remaining > 0) throw leftOver(type, reader.remaining)
  return value as ValueOf<F>
}

/** Record text to octets, for any type; `\# length hex` is taken for all of them (RFC 3597 5). */
export function rdataFromText(code: number, text: string | Tokens, origin?: string): Uint8Array {
  const tokens = typeof text === 'string' ? new Tokens(text, origin) : text
  const type = typeOf(code)
  if (type?.meta) throw new TextError(`${type.type} records are never part of a zone`)
  if (tokens.isGeneric) return checked(code, genericFrom(tokens))
  if (type === undefined) throw new TextError(`${typeName(code)} records must be written as in \\# 4 0A000001`)
  try {
    return scan(type, tokens)
  } catch (error) {
    if (error instanceof WireError) throw new TextError(`record must have at most 65535 octets`)
    throw error
  }
}

/** Octets to record text, for any type; those no text of their own gives back are written `\# length hex`. */
export function rdataToText(code: number, rdata: Uint8Array): string {
  const type = typeOf(code)
  if (type === undefined || type.columns.length === 0) return genericText(rdata)
  const value = decodeRdata(type, rdata)
  if (type.check?.(value) !== undefined) return genericText(rdata)
  const text = printRdata(type, value)
  if (text === '' || (type.inexact && !givesBack(code, text, rdata))) return genericText(rdata)
  return text
}

/** Octets in the form for comparing and signing (RFC 4034 6.2): names lower-cased in the types of that time. */
export function canonicalRdata(code: number, rdata: Uint8Array): Uint8Array {
  const type = lowered.has(code) ? typeOf(code) : undefined
  if (type === undefined) return rdata
  return rewritten(type, new Reader(rdata), (reader, writer) => writer.plainName(nameKey(reader.plainName())))
}

/** Whether two records of a type are the same record. */
export function sameRdata(code: number, a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  if (Buffer.compare(a, b) === 0) return true
  // Canonical form is costly, and most records differ by more than letter case.
  if (!lowered.has(code) || !isSameButForCase(a, b)) return false
  return Buffer.compare(canonicalRdata(code, a), canonicalRdata(code, b)) === 0
}

function isSameButForCase(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (((a[i]! ^ b[i]!) & ~0x20) !== 0) return false
  return true
}

/** The next `length` octets of a message as rdata of their own, names expanded where they may be compressed. */
export function readRdata(code: number, reader: Reader, length: number): Uint8Array {
  if (length > reader.remaining) throw new WireError(`${typeName(code)} data is cut short`)
  const type = typeOf(code)
  if (type === undefined || !expanded.has(code)) {
    const rdata = reader.copy(length)
    if (type !== undefined) pass(type, rdata)
    return rdata
  }
  const fields = reader.within(length)
  const rdata = type.layout === undefined ? rewritten(type, fields, expandName) : expand(type.layout, fields)
  if (fields.remaining > 0) throw leftOver(type, fields.remaining)
  return rdata
}

function expand(layout: readonly number[], reader: Reader): Uint8Array {
  let used = 0
  for (const octets of layout)
    used += octets === NAME ? reader.nameInto(scratch, used) : reader.into(scratch, used, octets)
  return pooledCopy(scratch, used)
}

/** Writes rdata into a message, names compressed in the types of RFC 1035 only. */
export function writeRdata(code: number, writer: Writer, rdata: Uint8Array): void {
  const type = compressed.has(code) ? typeOf(code) : undefined
  if (type === undefined) writer.bytes(rdata)
  else compress(type.layout!, writer, rdata)
}

function compress(layout: readonly number[], writer: Writer, rdata: Uint8Array): void {
  let at = 0
  for (const octets of layout) at = octets === NAME ? writer.nameOf(rdata, at) : writer.part(rdata, at, at + octets)
  if (at !== rdata.length) throw new WireError('the fields of a record do not fill its rdata')
}

/** The domain names in rdata, in their order. */
export function rdataNames(code: number, rdata: Uint8Array): string[] {
  const type = typeOf(code)
  if (type === undefined || !type.columns.some(({ field }) => field.names)) return []
  const value: Value = decodeRdata(type, rdata)
  return type.columns.flatMap(({ key, field }) => field.names?.(value[key]) ?? [])
}

function scan(type: RecordType, tokens: Tokens): Uint8Array {
  if (type.check !== undefined) return encodeRdata(type, parseRdata(type, tokens))
  const only = type.columns.length === 1 ? type.columns[0]! : undefined
  if (only?.field.scan !== undefined) {
    const rdata = only.field.scan(tokens, only.label)
    tokens.end()
    if (rdata.length > MOST_OCTETS) throw new WireError(`more than ${MOST_OCTETS} octets`)
    return rdata instanceof Buffer ? new Uint8Array(rdata) : rdata
  }
  const writer = new Writer()
  const before: Record<string, unknown> = {}
  for (const { key, label, field } of type.columns) {
    if (field.scan !== undefined) writer.bytes(field.scan(tokens, label))
    else {
      const value = field.parse(tokens, label, before)
      field.write(writer, value, before)
      if (type.looksBack) before[key] = value
    }
  }
  tokens.end()
  return writer.finish()
}

function pass(type: RecordType, rdata: Uint8Array): void {
  const { layout } = type
  if (layout?.length === 1 && layout[0] !== NAME) {
    if (rdata.length !== layout[0]) throw leftOver(type, rdata.length - layout[0]!)
    return
  }
  const reader = new Reader(rdata)
  const before: Record<string, unknown> = {}
  for (const { key, field } of type.columns) {
    if (field.pass !== undefined) field.pass(reader)
    else {
      const value = field.read(reader, before)
      if (type.looksBack) before[key] = value
    }
  }
  if (reader.remaining > 0) throw leftOver(type, reader.remaining)
}

// Copies rdata, the names by `copyName`, what lies between as it is. No type with names to be copied so looks back.
function rewrite(
  type: RecordType,
  reader: Reader,
  writer: Writer,
  copyName: (reader: Reader, writer: Writer) => void,
): void {
  let from = reader.offset
  for (const { field } of type.columns) {
    if (field === domainName) {
      writer.bytesFrom(reader, from, reader.offset)
      copyName(reader, writer)
      from = reader.offset
    } else if (field.pass !== undefined) field.pass(reader)
    else field.read(reader, {})
  }
  writer.bytesFrom(reader, from, reader.offset)
}

function expandName(reader: Reader, writer: Writer): void {
  writer.plainNameFrom(reader)
}

function rewritten(type: RecordType, reader: Reader, copyName: (reader: Reader, writer: Writer) => void): Uint8Array {
  const writer = new Writer()
  rewrite(type, reader, writer, copyName)
  return writer.finishPooled()
}

function checked(code: number, rdata: Uint8Array): Uint8Array {
  const type = typeOf(code)
  try {
    if (type !== undefined) pass(type, rdata)
    return rdata
  } catch (error) {
    if (error instanceof WireError)
      throw new TextError(`the octets given are no ${typeName(code)} record: ${error.message}`)
    throw error
  }
}

function givesBack(code: number, text: string, rdata: Uint8Array): boolean {
  try {
    return Buffer.compare(rdataFromText(code, text), rdata) === 0
  } catch (error) {
    if (error instanceof DnsError) return false
    throw error
  }
}

function leftOver(type: RecordType, octets: number): WireError {
  return new WireError(`${type.type} data is ${Math.abs(octets)} octets too ${octets > 0 ? 'long' : 'short'}`)
}
