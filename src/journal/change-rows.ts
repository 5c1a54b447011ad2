import { nameToWire, wireToName } from '../dns/name.ts'
import type { ResourceRecord } from '../dns/record.ts'

const classIn = 1

/** Records as one run of bytes: for each its name uncompressed, type, TTL, length and data, in network order. */
export function encodeRecords(records: readonly ResourceRecord[]): Uint8Array {
  const names = records.map(({ name }) => nameToWire(name))
  let size = 0
  for (const [i, { rdata }] of records.entries()) size += names[i]!.length + 8 + rdata.length
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [i, { type, ttl, rdata }] of records.entries()) {
    bytes.set(names[i]!, at)
    at += names[i]!.length
    view.setUint16(at, type)
    view.setUint32(at + 2, ttl)
    view.setUint16(at + 6, rdata.length)
    bytes.set(rdata, at + 8)
    at += 8 + rdata.length
  }
  return bytes
}

/** The records that `encodeRecords` was given; their data are views of `bytes`. */
export function decodeRecords(bytes: Uint8Array): ResourceRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const records: ResourceRecord[] = []
  let at = 0
  while (at < bytes.length) {
    const name = wireToName(bytes, at)
    while (bytes[at] !== 0) at += 1 + bytes[at]!
    at += 1
    const length = view.getUint16(at + 6)
    records.push({
      name,
      type: view.getUint16(at),
      class: classIn,
      ttl: view.getUint32(at + 2),
      rdata: bytes.subarray(at + 8, at + 8 + length),
    })
    at += 8 + length
  }
  return records
}
