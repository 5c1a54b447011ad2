import { DnsError, TextError } from '../../dns/errors.ts'
import { canonicalRdata, rdataFromText, rdataToText } from '../../dns/rdata.ts'
import { typeCode } from '../../dns/types/index.ts'
import { areEnough, type Fault } from '../../errors.ts'
import type { Findable } from '../zones/recordset-rows.ts'

/** One record: as the client wrote it, as it goes over the wire, and the one text that equal records share. */
export type ParsedRecord = { readonly text: string; readonly rdata: Uint8Array; readonly canonical: string }

/** Parses records of a type; equal ones count once. One that cannot be served is a fault. */
export function parseRecords(type: string, texts: readonly string[], faults: Fault[]): ParsedRecord[] {
  const code = typeCode(type)
  if (code === undefined) throw new Error(`${type} is no record type`)
  const found = new Map<string, ParsedRecord>()
  for (const [i, text] of texts.entries()) {
    if (areEnough(faults)) break
    try {
      // No engine stores a NUL in text.
      if (text.includes('\0')) throw new TextError('a NUL must be written as \\000')
      const rdata = rdataFromText(code, text)
      const canonical = rdataToText(code, canonicalRdata(code, rdata))
      if (!found.has(canonical)) found.set(canonical, { text, rdata, canonical })
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      const message = `'${text.slice(0, 255)}' is not a '${type}' Record: ${error.message}`
      faults.push({ path: ['records', i], message, validator: 'format', validator_value: [type] })
    }
  }
  return [...found.values()]
}

/** What to find a record by: the text as written, and the canonical one where it differs. */
export const findable = (records: readonly ParsedRecord[]): Findable[] =>
  records.map(({ text, canonical }) => ({ data: text, canonical: canonical === text ? null : canonical }))
