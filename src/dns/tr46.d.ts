declare module 'tr46' {
  type Options = {
    checkBidi?: boolean
    checkHyphens?: boolean
    checkJoiners?: boolean
    ignoreInvalidPunycode?: boolean
    transitionalProcessing?: boolean
    useSTD3ASCIIRules?: boolean
    verifyDNSLength?: boolean
  }
  /** Null when the name breaks a rule. */
  export function toASCII(domainName: string, options?: Options): string | null
  export function toUnicode(domainName: string, options?: Options): { domain: string; error: boolean }
}
