import { WireError } from './errors.ts'
import { Reader, Writer } from './wire.ts'

/** What an OPT record says (RFC 6891 6.1); the upper bits of the rcode are in the message's `rcode`. */
export type Edns = {
  readonly udpSize: number
  readonly version: number
  readonly dnssecOk: boolean
  readonly options: readonly EdnsOption[]
}

/** One option; those not known here, and all of a version other than 0, are kept as bytes. */
export type EdnsOption =
  | { readonly option: 'nsid'; readonly id: Uint8Array }
  | ClientSubnet
  | { readonly option: 'expire'; readonly seconds?: number }
  | { readonly option: 'cookie'; readonly client: Uint8Array; readonly server?: Uint8Array }
  | { readonly option: 'tcp-keepalive'; readonly tenthsOfSecond?: number }
  | { readonly option: 'padding'; readonly length: number }
  | { readonly option: 'extended-error'; readonly code: number; readonly text: string }
  | { readonly option: 'report-channel'; readonly agent: string }
  | { readonly option: 'zone-version'; readonly version?: ZoneVersion }
  | { readonly option: 'unknown'; readonly code: number; readonly data: Uint8Array }

/** Where the asker sits (RFC 7871); `address` has just the octets that `sourcePrefix` needs. */
export type ClientSubnet = {
  readonly option: 'client-subnet'
  readonly family: number
  readonly sourcePrefix: number
  readonly scopePrefix: number
  readonly address: Uint8Array
}

/** The version of the zone whose name has `labels` labels (RFC 9660); type 0 is the SOA serial. */
export type ZoneVersion = { readonly labels: number; readonly type: number; readonly value: Uint8Array }

const codes = {
  nsid: 3,
  'client-subnet': 8,
  expire: 9,
  cookie: 10,
  'tcp-keepalive': 11,
  padding: 12,
  'extended-error': 15,
  'report-channel': 18,
  'zone-version': 19,
} as const

const NOTHING = new Uint8Array(0)
const NO_OPTIONS: readonly EdnsOption[] = []

type Known = Exclude<EdnsOption['option'], 'unknown'>
const known = new Map<number, Known>(Object.entries(codes).map(([name, code]) => [code, name as Known]))

/** The first option of a kind, if the message has one. */
export function findOption<K extends Known>(
  edns: Edns | undefined,
  kind: K,
): Extract<EdnsOption, { option: K }> | undefined {
  return edns?.options.find((option): option is Extract<EdnsOption, { option: K }> => option.option === kind)
}

/** Reads the options of an OPT record up to the reader's end. */
export function readOptions(reader: Reader, end: number, version: number): readonly EdnsOption[] {
  if (reader.offset === end) return NO_OPTIONS
  const options: EdnsOption[] = []
  while (reader.offset < end) {
    const code = reader.u16()
    const data = reader.bytes(reader.u16())
    if (reader.offset > end) throw new WireError('an EDNS option runs out of its record')
    const kind = version === 0 ? known.get(code) : undefined
    options.push(kind === undefined ? { option: 'unknown', code, data } : readOption(kind, data))
  }
  return options
}

/** The wire form of options, the rdata of an OPT record. */
export function encodeOptions(options: readonly EdnsOption[]): Uint8Array {
  const writer = new Writer()
  for (const option of options) {
    writer.u16(option.option === 'unknown' ? option.code : codes[option.option])
    const at = writer.offset
    writer.u16(0)
    writeOption(writer, option)
    writer.patchU16(at, writer.offset - at - 2)
  }
  return writer.finish()
}

function readOption(kind: Known, data: Uint8Array): EdnsOption {
  const reader = new Reader(data)
  switch (kind) {
    case 'nsid':
      return { option: kind, id: data }
    case 'client-subnet':
      return readSubnet(reader)
    case 'expire':
      if (data.length === 0) return { option: kind }
      return exact(reader, { option: kind, seconds: reader.u32() })
    case 'cookie':
      return readCookie(data)
    case 'tcp-keepalive':
      if (data.length === 0) return { option: kind }
      return exact(reader, { option: kind, tenthsOfSecond: reader.u16() })
    case 'padding':
      return { option: kind, length: data.length }
    case 'extended-error':
      return { option: kind, code: reader.u16(), text: Buffer.from(reader.bytes(reader.remaining)).toString('utf8') }
    case 'report-channel':
      return exact(reader, { option: kind, agent: reader.plainName() })
    case 'zone-version':
      if (data.length === 0) return { option: kind }
      return {
        option: kind,
        version: { labels: reader.u8(), type: reader.u8(), value: reader.bytes(reader.remaining) },
      }
  }
}

function writeOption(writer: Writer, option: EdnsOption): void {
  switch (option.option) {
    case 'nsid':
      writer.bytes(option.id)
      break
    case 'client-subnet':
      writer.u16(option.family)
      writer.u8(option.sourcePrefix)
      writer.u8(option.scopePrefix)
      writer.bytes(option.address)
      break
    case 'expire':
      if (option.seconds !== undefined) writer.u32(option.seconds)
      break
    case 'cookie':
      writer.bytes(option.client)
      writer.bytes(option.server ?? NOTHING)
      break
    case 'tcp-keepalive':
      if (option.tenthsOfSecond !== undefined) writer.u16(option.tenthsOfSecond)
      break
    case 'padding':
      writer.bytes(new Uint8Array(option.length))
      break
    case 'extended-error':
      writer.u16(option.code)
      writer.bytes(Buffer.from(option.text, 'utf8'))
      break
    case 'report-channel':
      writer.plainName(option.agent)
      break
    case 'zone-version':
      if (option.version !== undefined) writeZoneVersion(writer, option.version)
      break
    case 'unknown':
      writer.bytes(option.data)
  }
}

function writeZoneVersion(writer: Writer, version: ZoneVersion): void {
  writer.u8(version.labels)
  writer.u8(version.type)
  writer.bytes(version.value)
}

function readSubnet(reader: Reader): ClientSubnet {
  const family = reader.u16()
  const sourcePrefix = reader.u8()
  const scopePrefix = reader.u8()
  const address = reader.bytes(reader.remaining)
  const most = family === 1 ? 32 : family === 2 ? 128 : 255
  if (sourcePrefix > most || scopePrefix > most)
    throw new WireError(`a client subnet prefix is longer than ${most} bits`)
  if (address.length !== Math.ceil(sourcePrefix / 8))
    throw new WireError('a client subnet address does not have the length of its prefix')
  const spare = address.length * 8 - sourcePrefix
  if (spare > 0 && (address.at(-1)! & ((1 << spare) - 1)) !== 0)
    throw new WireError('a client subnet address has bits beyond its prefix')
  return { option: 'client-subnet', family, sourcePrefix, scopePrefix, address }
}

function readCookie(data: Uint8Array): EdnsOption {
  // RFC 7873 5.2.2: a client part of 8 octets, alone or with a server part of 8..32.
  if (data.length === 8) return { option: 'cookie', client: data }
  if (data.length < 16 || data.length > 40) throw new WireError(`a cookie has 8 or 16..40 octets, not ${data.length}`)
  return { option: 'cookie', client: data.subarray(0, 8), server: data.subarray(8) }
}

function exact<T>(reader: Reader, option: T): T {
  if (reader.remaining > 0) throw new WireError(`an EDNS option has ${reader.remaining} octets too many`)
  return option
}
