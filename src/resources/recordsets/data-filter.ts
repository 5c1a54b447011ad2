import { isIPv6 } from 'node:net'
import { type Filter, parsePattern, startsWith, tested, textMatches } from '../../api/filter.ts'
import { atMost } from '../../db/at-most.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import { parseIpv6, printAddress } from '../../dns/address.ts'

/** Finds sets by a record of theirs, as it was written or in its canonical form; both have an index. */
export function dataMatches(value: string): Filter {
  const canonical = isIPv6(value) && !value.includes('%') ? printAddress(parseIpv6(value)) : value
  const ways: Way[] = [
    { column: 'data', value },
    { column: 'canonical', value: canonical },
    ...(canonical === value ? [] : [{ column: 'data' as const, value: canonical }]),
  ]
  const isSo = ways.map((way) => textMatches(way.column, way.value))
  // The offset keeps PostgreSQL from finding all records that match before it looks at a set.
  const test = tested(sql`exists (
    select 1 from records where recordset_id = id and (${join(isSo, ' or ')}) limit 1 offset 0)`)
  const begins = ways.map(beginsSo)
  if (begins.includes(undefined)) return { test }
  const found = (i: number) => sql`select recordset_id from records where ${begins[i]}`
  // In the order of the index, so that PostgreSQL reads no more of it than it must.
  const order = ({ column, value: wanted }: Way) =>
    raw('exact' in parsePattern(wanted) ? 'recordset_id' : `${keyOf({ column })}, recordset_id`)
  const some = (i: number, limit: number) => sql`
    select * from (${found(i)} order by ${order(ways[i]!)} ${atMost(limit)}) as way${raw(String(i))}`
  const each = (select: (i: number) => Sql, between: string) =>
    join(
      ways.map((_, i) => select(i)),
      between,
    )
  return {
    find: sql`id in (${each((i) => sql`${found(i)} and ${isSo[i]}`, ' union ')})`,
    test,
    isApart: true,
    sample: (limit) => each((i) => some(i, limit), ' union all '),
  }
}

type Way = { readonly column: 'data' | 'canonical'; readonly value: string }

const indexed = 255

const keyOf = ({ column }: Pick<Way, 'column'>): string => `substr(${column}, 1, ${indexed})`

/** The condition that a record begins as it must, which is what the index holds; what that finds is compared whole. */
function beginsSo({ column, value }: Way): Sql | undefined {
  const pattern = parsePattern(value)
  const isExact = 'exact' in pattern
  const start = [...(isExact ? pattern.exact : pattern.pieces[0]!)].slice(0, indexed).join('')
  if (value.includes('\0') || (start === '' && !isExact)) return undefined
  const key = keyOf({ column })
  const begins = isExact ? sql`${raw(key)} = ${start}` : startsWith(key, start)
  return column === 'canonical' ? sql`canonical is not null and ${begins}` : begins
}
