import { folded, textMatches } from '../../api/filter.ts'
import type { Sql } from '../../db/sql.ts'
import { DnsError } from '../../dns/errors.ts'
import { nameToAscii } from '../../dns/idna.ts'

/** Finds by a name in any case, written with A-labels or with the letters they stand for. */
export const nameMatches = (value: string): Sql => textMatches('name_key', folded(asStored(value)))

function asStored(value: string): string {
  try {
    return nameToAscii(value)
  } catch (error) {
    if (error instanceof DnsError) return value
    throw error
  }
}
