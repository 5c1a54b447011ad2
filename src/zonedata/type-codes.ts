/** The record types that have a part in how zones are built and answered, by number. */
export const A = 1
export const NS = 2
export const CNAME = 5
export const SOA = 6
export const PTR = 12
export const MX = 15
export const TXT = 16
export const AAAA = 28
export const SRV = 33
export const DNAME = 39
export const DS = 43
export const RRSIG = 46
export const NSEC = 47
export const ZONEMD = 63
export const SVCB = 64
export const HTTPS = 65
export const ANY = 255

/** The class of everything we serve. */
export const IN = 1
