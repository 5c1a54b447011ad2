import { named, u8 } from './integers.ts'

/** DNSSEC algorithm (IANA registry of RFC 4034 A.1), by number or name. */
export const algorithm = named(u8, {
  DELETE: 0,
  RSAMD5: 1,
  DH: 2,
  DSA: 3,
  ECC: 4,
  RSASHA1: 5,
  DSANSEC3SHA1: 6,
  NSEC3DSA: 6,
  'DSA-NSEC3-SHA1': 6,
  RSASHA1NSEC3SHA1: 7,
  NSEC3RSASHA1: 7,
  'RSASHA1-NSEC3-SHA1': 7,
  RSASHA256: 8,
  RSASHA512: 10,
  ECCGOST: 12,
  'ECC-GOST': 12,
  ECDSAP256SHA256: 13,
  ECDSAP384SHA384: 14,
  ED25519: 15,
  ED448: 16,
  SM2SM3: 17,
  'ECC-GOST12': 23,
  INDIRECT: 252,
  PRIVATEDNS: 253,
  PRIVATEOID: 254,
})

/** Digest type of a delegation signer, by number or name. */
export const digestType = named(u8, {
  SHA1: 1,
  'SHA-1': 1,
  SHA256: 2,
  'SHA-256': 2,
  GOST: 3,
  SHA384: 4,
  'SHA-384': 4,
  GOST12: 5,
  SM3: 6,
})

/** Key protocol (RFC 2535 3.1.3), by number or name; 3 is the only one left. */
export const protocol = named(u8, { NONE: 0, TLS: 1, EMAIL: 2, DNSSEC: 3, IPSEC: 4, ALL: 255 })

/** What is wrong with the length of a digest whose kind has a known one. */
export function digestFault(
  label: string,
  kind: number,
  digest: string,
  lengths: Readonly<Record<number, number>>,
): string | undefined {
  const length = lengths[kind]
  if (length === undefined || digest.length === 2 * length) return undefined
  return `${label} of type ${kind} must have ${length} octets (${2 * length} digits), not ${digest.length / 2}`
}

/** The octets of the digest types of DS and its kin. */
export const digestLengths: Readonly<Record<number, number>> = { 1: 20, 2: 32, 3: 32, 4: 48, 5: 32, 6: 32 }
