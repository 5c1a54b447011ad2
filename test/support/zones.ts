import { parseName } from '../../src/dns/name.ts'
import { rdataFromText, rdataToText } from '../../src/dns/rdata.ts'
import type { ResourceRecord, RRset } from '../../src/dns/record.ts'
import { typeCode, typeName } from '../../src/dns/types/index.ts'
import { recordsOf, type Zone, zoneFromRecords } from '../../src/zonedata/zone.ts'

/** Records written one a line as `name [ttl] type rdata`, names relative to the origin; the TTL is 3600 unless told. */
export function recordsFrom(origin: string, text: string): ResourceRecord[] {
  const records: ResourceRecord[] = []
  for (const line of text.split('\n')) {
    const [, owner, ttl, type, rdata] = /^\s*(\S+)\s+(?:(\d+)\s+)?(?:IN\s+)?([A-Z]+\d*)\s+(.*?)\s*$/.exec(line) ?? []
    if (owner === undefined || type === undefined || rdata === undefined) {
      if (line.trim() !== '') throw new Error(`not a record: ${line}`)
      continue
    }
    const code = typeCode(type)
    if (code === undefined) throw new Error(`not a type: ${type}`)
    const name = parseName(owner, origin)
    records.push({ name, type: code, class: 1, ttl: Number(ttl ?? 3600), rdata: rdataFromText(code, rdata, origin) })
  }
  return records
}

/** A zone of such lines. */
export function zoneFrom(origin: string, text: string): Zone {
  return zoneFromRecords(origin, recordsFrom(origin, text))
}

/** Records as lines of `name ttl type rdata`, as a person compares them. */
export function linesOf(records: Iterable<ResourceRecord>): string[] {
  return [...records].map(
    ({ name, ttl, type, rdata }) => `${name} ${ttl} ${typeName(type)} ${rdataToText(type, rdata)}`,
  )
}

/** RRsets as lines of `name ttl type rdata`. */
export function linesOfSets(rrsets: readonly RRset[]): string[] {
  return linesOf(rrsets.flatMap(recordsOf))
}
