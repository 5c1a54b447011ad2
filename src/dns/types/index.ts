import type { RecordType } from '../define.ts'
import { A } from './a.ts'
import { AAAA } from './aaaa.ts'
import { AFSDB } from './afsdb.ts'
import { AMTRELAY } from './amtrelay.ts'
import { ANY } from './any.ts'
import { APL } from './apl.ts'
import { AVC } from './avc.ts'
import { AXFR } from './axfr.ts'
import { CAA } from './caa.ts'
import { CDNSKEY } from './cdnskey.ts'
import { CDS } from './cds.ts'
import { CERT } from './cert.ts'
import { CLA } from './cla.ts'
import { CNAME } from './cname.ts'
import { CSYNC } from './csync.ts'
import { DHCID } from './dhcid.ts'
import { DLV } from './dlv.ts'
import { DNAME } from './dname.ts'
import { DNSKEY } from './dnskey.ts'
import { DOA } from './doa.ts'
import { DS } from './ds.ts'
import { DSYNC } from './dsync.ts'
import { EUI48 } from './eui48.ts'
import { EUI64 } from './eui64.ts'
import { HINFO } from './hinfo.ts'
import { HIP } from './hip.ts'
import { HTTPS } from './https.ts'
import { IPN } from './ipn.ts'
import { IPSECKEY } from './ipseckey.ts'
import { ISDN } from './isdn.ts'
import { IXFR } from './ixfr.ts'
import { KEY } from './key.ts'
import { KX } from './kx.ts'
import { L32 } from './l32.ts'
import { L64 } from './l64.ts'
import { LOC } from './loc.ts'
import { LP } from './lp.ts'
import { nameTypes, typeCode } from './mnemonics.ts'
import { MX } from './mx.ts'
import { NAPTR } from './naptr.ts'
import { NID } from './nid.ts'
import { NS } from './ns.ts'
import { NSEC } from './nsec.ts'
import { NSEC3 } from './nsec3.ts'
import { NSEC3PARAM } from './nsec3param.ts'
import { NXNAME } from './nxname.ts'
import { OPENPGPKEY } from './openpgpkey.ts'
import { OPT } from './opt.ts'
import { PTR } from './ptr.ts'
import { RESINFO } from './resinfo.ts'
import { RP } from './rp.ts'
import { RRSIG } from './rrsig.ts'
import { RT } from './rt.ts'
import { SIG } from './sig.ts'
import { SMIMEA } from './smimea.ts'
import { SOA } from './soa.ts'
import { SPF } from './spf.ts'
import { SRV } from './srv.ts'
import { SSHFP } from './sshfp.ts'
import { SVCB } from './svcb.ts'
import { TA } from './ta.ts'
import { TKEY } from './tkey.ts'
import { TLSA } from './tlsa.ts'
import { TSIG } from './tsig.ts'
import { TXT } from './txt.ts'
import { URI } from './uri.ts'
import { WALLET } from './wallet.ts'
import { X25 } from './x25.ts'
import { ZONEMD } from './zonemd.ts'

export { classCode, className, typeCode, typeName } from './mnemonics.ts'

/** Every record type there is, by number. */
export const types: readonly RecordType[] = [
  A,
  NS,
  CNAME,
  SOA,
  PTR,
  HINFO,
  MX,
  TXT,
  RP,
  AFSDB,
  X25,
  ISDN,
  RT,
  SIG,
  KEY,
  AAAA,
  LOC,
  SRV,
  NAPTR,
  KX,
  CERT,
  DNAME,
  OPT,
  APL,
  DS,
  SSHFP,
  IPSECKEY,
  RRSIG,
  NSEC,
  DNSKEY,
  DHCID,
  NSEC3,
  NSEC3PARAM,
  TLSA,
  SMIMEA,
  HIP,
  CDS,
  CDNSKEY,
  OPENPGPKEY,
  CSYNC,
  ZONEMD,
  SVCB,
  HTTPS,
  DSYNC,
  SPF,
  NID,
  L32,
  L64,
  LP,
  EUI48,
  EUI64,
  NXNAME,
  TKEY,
  TSIG,
  IXFR,
  AXFR,
  ANY,
  URI,
  CAA,
  AVC,
  DOA,
  AMTRELAY,
  RESINFO,
  WALLET,
  CLA,
  IPN,
  TA,
  DLV,
]

const byCode = new Map(types.map((type) => [type.code, type]))
nameTypes(types)

/** The type with this name or number; numbers without fields of their own have none (RFC 3597). */
export function typeOf(name: string | number): RecordType | undefined {
  const code = typeof name === 'number' ? name : typeCode(name)
  return code === undefined ? undefined : byCode.get(code)
}
