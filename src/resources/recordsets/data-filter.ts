import { isIPv6 } from 'node:net'
import { type Filter, parsePattern, startsWith, textMatches } from '../../api/filter.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import { parseIpv6, printAddress } from '../../dns/address.ts'

/** Finds sets by a record of theirs, as it was written or in its canonical form; both have an index. */
export function dataMatches(value: string): Filter {
  const canonical = isIPv6(value) && !value.includes('%') ? printAddress(parseIpv6(value)) : value
  const ways = [
    columnMatches('data', value),
    sql`canonical is not null and ${columnMatches('canonical', canonical)}`,
    ...(canonical === value ? [] : [columnMatches('data', canonical)]),
  ]
  const test = sql`exists (select 1 from records where recordset_id = id and (${join(
    ways.map((way) => sql`(${way})`),
    ' or ',
  )}))`
  if (value.startsWith('*')) return { test }
  const found = (way: Sql) => sql`select recordset_id from records where ${way}`
  return {
    find: sql`id in (${join(ways.map(found), ' union ')})`,
    test,
    isApart: true,
    sample: join(ways.map(found), ' union all '),
  }
}

const indexed = 255

/** The index holds how records begin; what it finds is compared whole. */
function columnMatches(column: 'data' | 'canonical', value: string): Sql {
  const whole = textMatches(column, value)
  const pattern = parsePattern(value)
  const isExact = 'exact' in pattern
  const start = [...(isExact ? pattern.exact : pattern.pieces[0]!)].slice(0, indexed).join('')
  if (value.includes('\0') || (start === '' && !isExact)) return whole
  const key = `substr(${column}, 1, ${indexed})`
  return sql`${isExact ? sql`${raw(key)} = ${start}` : startsWith(key, start)} and ${whole}`
}
