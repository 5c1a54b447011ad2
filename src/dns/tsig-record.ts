import { WireError } from './errors.ts'
import type { Reader, Writer } from './wire.ts'

/** A TSIG record (RFC 8945 4.2): `name` is the key's, `algorithm` its name on the wire, `time` in seconds since 1970. */
export type Tsig = {
  readonly name: string
  readonly algorithm: string
  readonly time: number
  readonly fudge: number
  readonly mac: Uint8Array
  readonly originalId: number
  readonly error: number
  readonly other: Uint8Array
}

/** The type code of TSIG. */
export const TSIG = 250

const ANY = 255

/** Reads the rest of a TSIG record whose name and type have been read. */
export function readTsig(reader: Reader, name: string): Tsig {
  if (reader.u16() !== ANY) throw new WireError('a TSIG record must have class ANY')
  if (reader.u32() !== 0) throw new WireError('a TSIG record must have TTL 0')
  const end = reader.u16() + reader.offset
  const tsig: Tsig = {
    name,
    algorithm: reader.name(),
    time: reader.u48(),
    fudge: reader.u16(),
    mac: reader.bytes(reader.u16()),
    originalId: reader.u16(),
    error: reader.u16(),
    other: reader.bytes(reader.u16()),
  }
  if (reader.offset !== end) throw new WireError('a TSIG record does not have the length it says')
  return tsig
}

/** Writes a TSIG record; its names are never compressed (RFC 8945 4.2). */
export function writeTsig(writer: Writer, tsig: Tsig): void {
  writer.plainName(tsig.name)
  writer.u16(TSIG)
  writer.u16(ANY)
  writer.u32(0)
  const at = writer.offset
  writer.u16(0)
  writer.plainName(tsig.algorithm)
  writer.u48(tsig.time)
  writer.u16(tsig.fudge)
  writer.u16(tsig.mac.length)
  writer.bytes(tsig.mac)
  writer.u16(tsig.originalId)
  writer.u16(tsig.error)
  writer.u16(tsig.other.length)
  writer.bytes(tsig.other)
  writer.patchU16(at, writer.offset - at - 2)
}
