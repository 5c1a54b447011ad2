import { createHash, timingSafeEqual } from 'node:crypto'
import { nameKey, nameToWire } from '../dns/name.ts'
import { canonicalRdata } from '../dns/rdata.ts'
import type { RRset } from '../dns/record.ts'
import { IN, RRSIG, ZONEMD } from './type-codes.ts'
import { nodeAt, rrsetOf, rrsets, serialOf, type Zone } from './zone.ts'

// RFC 8976 5.3.
const algorithms: ReadonlyMap<number, 'sha384' | 'sha512'> = new Map([
  [1, 'sha384'],
  [2, 'sha512'],
])

const SIMPLE = 1
const HEADER = 6
const LEAST_OCTETS = 12

/** The digest of a zone by the SIMPLE scheme (RFC 8976 3.3.1): all records in canonical order and form, but for the digests at the apex. */
export function zoneDigest(zone: Zone, algorithm: 'sha384' | 'sha512'): Uint8Array {
  const hash = createHash(algorithm)
  const apex = nodeAt(zone, zone.origin)?.name
  for (const rrset of rrsets(zone)) {
    for (const record of canonicalRecords(rrset, rrset.name === apex)) hash.update(record)
  }
  return hash.digest()
}

/** The rdata of a ZONEMD record for the zone as it is. */
export function zonemdFor(zone: Zone, algorithm: 'sha384' | 'sha512'): Uint8Array {
  const number = algorithm === 'sha384' ? 1 : 2
  const rdata = Buffer.alloc(HEADER)
  rdata.writeUInt32BE(serialOf(zone) ?? 0, 0)
  rdata.writeUInt8(SIMPLE, 4)
  rdata.writeUInt8(number, 5)
  return Buffer.concat([rdata, zoneDigest(zone, algorithm)])
}

/** Whether a zone has the content its ZONEMD records promise: `absent` without any, and why not where it has not (RFC 8976 4). */
export type DigestCheck =
  | { readonly status: 'verified' | 'absent' }
  | { readonly status: 'failed'; readonly reason: string }

/** Compares the zone with its ZONEMD records; one that matches is enough. */
export function verifyDigest(zone: Zone): DigestCheck {
  const apex = nodeAt(zone, zone.origin)
  const claims = (apex && rrsetOf(apex, ZONEMD))?.rdatas ?? []
  if (claims.length === 0) return { status: 'absent' }
  let reason = 'no ZONEMD record has the SIMPLE scheme with SHA-384 or SHA-512'
  for (const claim of claims) {
    const fault = claimFault(zone, claim, claims)
    if (fault === undefined) return { status: 'verified' }
    if (fault !== UNSUPPORTED) reason = fault
  }
  return { status: 'failed', reason }
}

const UNSUPPORTED = 'unsupported'

function claimFault(zone: Zone, claim: Uint8Array, claims: readonly Uint8Array[]): string | undefined {
  const bytes = Buffer.from(claim.buffer, claim.byteOffset, claim.length)
  const algorithm = algorithms.get(bytes[5] ?? 0)
  if (bytes[4] !== SIMPLE || algorithm === undefined) return UNSUPPORTED
  // RFC 8976 4 step 4a: one scheme and algorithm may be there once only.
  if (claims.filter((other) => other[4] === bytes[4] && other[5] === bytes[5]).length > 1) {
    return `only one ZONEMD record may have scheme ${bytes[4]} and algorithm ${bytes[5]}`
  }
  const serial = bytes.readUInt32BE(0)
  if (serial !== serialOf(zone)) return `the ZONEMD record must have the zone's serial ${serialOf(zone)}, not ${serial}`
  const promised = bytes.subarray(HEADER)
  if (promised.length < LEAST_OCTETS)
    return `a digest must have at least ${LEAST_OCTETS} octets, not ${promised.length}`
  const actual = zoneDigest(zone, algorithm)
  if (promised.length === actual.length && timingSafeEqual(promised, actual)) return undefined
  return `the ${algorithm} digest of the zone's records is not the one in its ZONEMD record`
}

function canonicalRecords({ name, type, ttl, rdatas }: RRset, isApex: boolean): Uint8Array[] {
  if (isApex && type === ZONEMD) return []
  const owner = nameToWire(nameKey(name))
  const counted = isApex && type === RRSIG ? rdatas.filter((rdata) => !coversZonemd(rdata)) : rdatas
  return counted
    .map((rdata) => canonicalRdata(type, rdata))
    .sort(Buffer.compare)
    .map((rdata) => {
      const fixed = Buffer.alloc(10)
      fixed.writeUInt16BE(type, 0)
      fixed.writeUInt16BE(IN, 2)
      fixed.writeUInt32BE(ttl, 4)
      fixed.writeUInt16BE(rdata.length, 8)
      return Buffer.concat([owner, fixed, rdata])
    })
}

function coversZonemd(rrsig: Uint8Array): boolean {
  return rrsig[0] === 0 && rrsig[1] === ZONEMD
}
