import { octetsToText } from '../../dns/name.ts'
import type { RRset } from '../../dns/record.ts'
import type { Allocator } from './allocator.ts'
import { NODE, OFFSET_BITS, OFFSET_MASK, RRSET } from './layout.ts'
import type { Space } from './space.ts'

/** What a reader finds in memory that the writer has changed meanwhile; those who read consistently read again. */
export class TornRead extends Error {
  constructor() {
    super('the arena was changed while it was read')
  }
}

/** Writes an RRset into memory of its own. */
export function writeRRset(
  space: Space,
  allocator: Allocator,
  type: number,
  ttl: number,
  rdatas: readonly Uint8Array[],
): number {
  let size: number = RRSET.RECORDS
  for (const rdata of rdatas) size += 2 + rdata.length
  const ref = allocator.allocate(size)
  const words = space.words[ref >>> OFFSET_BITS]!
  const word = (ref & OFFSET_MASK) << 1
  words[word + RRSET.NEXT] = 0
  words[word + RRSET.TTL] = ttl
  words[word + RRSET.COUNT] = rdatas.length
  const bytes = space.bytes[ref >>> OFFSET_BITS]!
  let at = ((ref & OFFSET_MASK) << 3) + RRSET.TYPE
  bytes[at++] = type >>> 8
  bytes[at++] = type
  for (const rdata of rdatas) {
    const { length } = rdata
    bytes[at++] = length >>> 8
    bytes[at++] = length
    if (length > 64) {
      bytes.set(rdata, at)
      at += length
    } else for (let i = 0; i < length; i++) bytes[at++] = rdata[i]!
  }
  return ref
}

/** How many octets an RRset was allocated with. */
export function rrsetSize(space: Space, ref: number): number {
  const bytes = space.bytes[ref >>> OFFSET_BITS]!
  const start = (ref & OFFSET_MASK) << 3
  let at = start + RRSET.RECORDS
  for (let left = space.word(ref, RRSET.COUNT); left > 0; left--) at += 2 + ((bytes[at]! << 8) | bytes[at + 1]!)
  return at - start
}

/** An RRset as a value; its rdatas are copies. */
export function readRRset(space: Space, ref: number, name: string): RRset {
  const bytes = space.bytes[ref >>> OFFSET_BITS]!
  const count = space.word(ref, RRSET.COUNT) >>> 0
  let at = ((ref & OFFSET_MASK) << 3) + RRSET.TYPE
  const type = (bytes[at]! << 8) | bytes[at + 1]!
  at += 2
  // A record takes two octets at least, so a nonsensical count ends here.
  if (at + count * 2 > bytes.length) throw new TornRead()
  const rdatas: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    const length = (bytes[at]! << 8) | bytes[at + 1]!
    const end = at + 2 + length
    if (end > bytes.length) throw new TornRead()
    const rdata = new Uint8Array(length)
    if (length > 64) rdata.set(bytes.subarray(at + 2, end))
    else for (let k = 0; k < length; k++) rdata[k] = bytes[at + 2 + k]!
    rdatas.push(rdata)
    at = end
  }
  return { name, type, ttl: space.word(ref, RRSET.TTL) >>> 0, rdatas }
}

const name = new Uint8Array(512)

/** The name of a node, put together from the labels up to the apex. */
export function readName(space: Space, node: number): string {
  let used = 0
  for (let at = node; ; at = space.word(at, NODE.PARENT)) {
    const isApex = space.word(at, NODE.PARENT) === 0
    const length = space.byte(at, NODE.LABEL_LENGTH)
    if (used + length + 2 > name.length || (!isApex && length > 63)) throw new TornRead()
    if (!isApex) name[used++] = length
    for (let i = 0; i < length; i++) name[used++] = space.byte(at, NODE.LABEL + i)
    if (isApex) return octetsToText(name, used - 1)
    if (used > 255) throw new TornRead()
  }
}
