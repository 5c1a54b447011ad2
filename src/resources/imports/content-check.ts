import { empty, type Sql, sql, type Tx } from '../../db/sql.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import type { ZoneFileRecord } from '../../dns/zonefile/entry.ts'
import { check } from '../../zonedata/check.ts'
import { treeKey } from '../zones/rules.ts'
import type { ImportFault } from './fields.ts'

/** A fault at a name and type; where in the file that is comes later. */
export type PlacedFault = {
  readonly name: string
  readonly type: string
  readonly message: string
  /** An error, unless it is said to be a warning. */
  readonly severity?: 'warning'
}

const most = 100
const end = '\u{10ffff}'

/** What the records of a zone do to each other: everything that is wrong with them together. For files that fit in memory. */
export function checkRecords(
  origin: string,
  managed: readonly ResourceRecord[],
  records: readonly ZoneFileRecord[],
): ImportFault[] {
  const lines = new Map<string, number>()
  for (const { name, type, line } of records) {
    const key = `${name.toLowerCase()} ${type}`
    if (!lines.has(key)) lines.set(key, line)
  }
  return check(origin, [...managed, ...records]).map(({ severity, name, type, message }) => ({
    line: lines.get(`${name.toLowerCase()} ${type}`) ?? null,
    column: null,
    severity,
    message,
  }))
}

/** The same errors, found in rows: for zones of any size. With `names`, what was done at those can be to blame alone. */
export async function checkRows(
  tx: Tx,
  zoneId: string,
  origin: string,
  names?: readonly string[],
): Promise<PlacedFault[]> {
  const apex = origin.toLowerCase()
  const inZone = sql`r.zone_id = ${zoneId}${names === undefined ? empty : amongNames(names)}`
  const all = [
    await found(
      tx,
      sql`
      select r.name, r.type, 'must not stand at the top of a zone' as message from recordsets r
      where ${inZone} and r.name_key = ${apex} and r.type in ('CNAME', 'DS')`,
    ),
    await found(
      tx,
      sql`
      select r.name, r.type, 'a CNAME must stand alone at its name (RFC 1034 3.6.2), not beside ' || o.type as message
      from recordsets r join recordsets o on o.zone_id = r.zone_id and o.name_key = r.name_key and o.type <> 'CNAME'
      where ${inZone} and r.type = 'CNAME'`,
    ),
    await found(
      tx,
      sql`
      select r.name, r.type, 'a name must have one ' || r.type || ' record at most' as message from recordsets r
      where ${inZone} and r.type in ('CNAME', 'DNAME')
        and (select count(*) from records where recordset_id = r.id) > 1`,
    ),
    await found(
      tx,
      sql`
      select r.name, r.type, 'no record may be below the DNAME at ' || d.name || ' (RFC 6672 2.4)' as message
      from recordsets d join recordsets r
        on r.zone_id = d.zone_id and r.tree_key > d.tree_key and r.tree_key < d.tree_key || ${end}
      where d.zone_id = ${zoneId} and d.type = 'DNAME'`,
    ),
    await found(
      tx,
      sql`
      select r.name, r.type, 'a DNAME must not stand beside a delegation (RFC 6672 2.3)' as message
      from recordsets r join recordsets o on o.zone_id = r.zone_id and o.name_key = r.name_key and o.type = 'NS'
      where ${inZone} and r.type = 'DNAME' and r.name_key <> ${apex}`,
    ),
  ]
  return all.flat()
}

const amongNames = (names: readonly string[]): Sql => {
  const keys = JSON.stringify(Object.fromEntries(names.map((name) => [name.toLowerCase(), 0])))
  return sql` and r.name_key in (select e.key from json_each(${keys}) e)`
}

/** What belongs in a zone of its own that is hosted here: its parent holds only its delegation. */
export const checkChildren = (tx: Tx, zoneId: string, origin: string): Promise<PlacedFault[]> =>
  found(
    tx,
    sql`
    select r.name, r.type, r.name || ' belongs in the zone ' || z.name || ', which is hosted here' as message
    from zones z join recordsets r on r.zone_id = ${zoneId} and r.tree_key >= z.tree_key and r.tree_key < z.tree_key || ${end}
    where z.tree_key > ${treeKey(origin)} and z.tree_key < ${treeKey(origin) + end} and z.deleted_at is null
      and not (r.name_key = z.name_key and r.type in ('NS', 'DS')) and not (r.name_key <> z.name_key and r.type in ('A', 'AAAA'))`,
  )

const found = (tx: Tx, query: Sql): Promise<PlacedFault[]> => tx.all<PlacedFault>(sql`${query} limit ${most}`)
