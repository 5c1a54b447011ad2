/** Operation codes (IANA DNS OpCodes). */
export const OPCODE = { QUERY: 0, IQUERY: 1, STATUS: 2, NOTIFY: 4, UPDATE: 5, DSO: 6 } as const

/** Response codes, those of EDNS and TSIG included (IANA DNS RCODEs). 16 is BADVERS in a message and BADSIG in a TSIG. */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  DSOTYPENI: 11,
  BADVERS: 16,
  BADKEY: 17,
  BADTIME: 18,
  BADMODE: 19,
  BADNAME: 20,
  BADALG: 21,
  BADTRUNC: 22,
  BADCOOKIE: 23,
} as const

/** The code's mnemonic for logs and messages, `RCODE4000` for one without. */
export function rcodeName(code: number): string {
  return Object.entries(RCODE).find(([, value]) => value === code)?.[0] ?? `RCODE${code}`
}
