import { isIPv6 } from 'node:net'
import { textMatches } from '../../api/filter.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { parseIpv6, printAddress } from '../../dns/address.ts'

/** Finds sets by a record of theirs, as it was written or in its canonical form; both have an index. */
export function dataMatches(value: string): Sql {
  const canonical = isIPv6(value) && !value.includes('%') ? printAddress(parseIpv6(value)) : value
  const ways = [
    sql`select recordset_id from records where ${textMatches('data', value)}`,
    sql`select recordset_id from records where canonical is not null and ${textMatches('canonical', canonical)}`,
  ]
  if (canonical !== value) ways.push(sql`select recordset_id from records where ${textMatches('data', canonical)}`)
  return sql`id in (${ways.reduce((all, one) => sql`${all} union ${one}`)})`
}
