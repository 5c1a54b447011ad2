import { type Filter, folded, parsePattern, textFilter } from '../../api/filter.ts'
import { sql, type Tx } from '../../db/sql.ts'
import { DnsError } from '../../dns/errors.ts'
import { nameToAscii } from '../../dns/idna.ts'

/** Finds by a name in any case, written with A-labels or with the letters they stand for. */
export function nameMatches(value: string): Filter {
  const filter = textFilter('name_key', folded(asStored(value)))
  return { ...filter, isFew: filter.isExact ?? filter.isFew ?? false }
}

/** As nameMatches, for zones: what stands behind a `*` is looked up in an index too. */
export const zoneNameMatches =
  (tx: Pick<Tx, 'trigrams'>) =>
  (value: string): readonly Filter[] => {
    const matches = nameMatches(value)
    const pattern = parsePattern(folded(asStored(value)))
    const pieces = matches.isFew || 'exact' in pattern ? [] : pattern.pieces.slice(1)
    const found = tx.trigrams('zone_names', 'name_key', pieces)
    if (found === undefined) return [matches]
    const mayMatch: Filter = {
      find: sql`id in (select zone_id ${found})`,
      test: sql`1 = 1`,
      isApart: true,
      isCostly: true,
      sample: () => sql`select 1 as one ${found}`,
    }
    return [matches, mayMatch]
  }

function asStored(value: string): string {
  try {
    return nameToAscii(value)
  } catch (error) {
    if (error instanceof DnsError) return value
    throw error
  }
}
