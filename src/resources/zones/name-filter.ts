import { type Filter, folded, textFilter } from '../../api/filter.ts'
import { DnsError } from '../../dns/errors.ts'
import { nameToAscii } from '../../dns/idna.ts'

/** Finds by a name in any case, written with A-labels or with the letters they stand for. */
export function nameMatches(value: string): Filter {
  const filter = textFilter('name_key', folded(asStored(value)))
  return { ...filter, isFew: filter.isExact ?? filter.isFew ?? false }
}

function asStored(value: string): string {
  try {
    return nameToAscii(value)
  } catch (error) {
    if (error instanceof DnsError) return value
    throw error
  }
}
