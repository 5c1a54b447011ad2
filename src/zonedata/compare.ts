import type { ResourceRecord, RRset } from '../dns/record.ts'
import { type Change, soaFirst } from './change.ts'
import { type Entry, entries } from './ordered-map.ts'
import { type NameNode, rdataKey, recordsOf, serialOf, type Zone } from './zone.ts'

/** The change that makes one zone's content the other's; the case in which names are written makes no difference. */
export function compare(a: Zone, b: Zone): Change {
  const removed: ResourceRecord[] = []
  const added: ResourceRecord[] = []
  for (const [before, after] of pairs(entries(a.names), entries(b.names), keyOrder)) {
    if (before?.value === after?.value) continue
    compareNodes(before?.value, after?.value, removed, added)
  }
  return { from: serialOf(a) ?? 0, to: serialOf(b) ?? 0, removed: soaFirst(removed), added: soaFirst(added) }
}

/** Whether two zones have the same records. */
export function sameContent(a: Zone, b: Zone): boolean {
  if (a.apex !== b.apex || a.recordCount !== b.recordCount) return false
  const { removed, added } = compare(a, b)
  return removed.length === 0 && added.length === 0
}

function compareNodes(
  a: NameNode | undefined,
  b: NameNode | undefined,
  removed: ResourceRecord[],
  added: ResourceRecord[],
) {
  for (const [before, after] of pairs(a?.rrsets ?? [], b?.rrsets ?? [], typeOrder)) {
    if (before && after && before.ttl === after.ttl) {
      removed.push(...recordsMissingFrom(after, before))
      added.push(...recordsMissingFrom(before, after))
    } else {
      // One TTL for all (RFC 2181 5.2): where it changes, every record of the RRset does.
      if (before) removed.push(...recordsOf(before))
      if (after) added.push(...recordsOf(after))
    }
  }
}

function recordsMissingFrom(other: RRset, { type, rdatas, ...rest }: RRset): ResourceRecord[] {
  if (other.rdatas === rdatas) return []
  const theirs = new Set(other.rdatas.map((rdata) => rdataKey(type, rdata)))
  return recordsOf({ ...rest, type, rdatas: rdatas.filter((rdata) => !theirs.has(rdataKey(type, rdata))) })
}

function keyOrder(a: Entry<NameNode>, b: Entry<NameNode>): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

function typeOrder(a: RRset, b: RRset): number {
  return a.type - b.type
}

/** Two sorted sequences walked together: what is the same in both is one pair, what only one has stands alone. */
function* pairs<T>(
  a: Iterable<T>,
  b: Iterable<T>,
  order: (a: T, b: T) => number,
): Generator<[T | undefined, T | undefined]> {
  const as = a[Symbol.iterator]()
  const bs = b[Symbol.iterator]()
  let left = as.next()
  let right = bs.next()
  while (!left.done || !right.done) {
    const side = left.done ? 1 : right.done ? -1 : order(left.value, right.value)
    yield [side <= 0 ? left.value : undefined, side >= 0 ? right.value : undefined]
    if (side <= 0) left = as.next()
    if (side >= 0) right = bs.next()
  }
}
