import { join, sql, type Tx } from '../../db/sql.ts'
import { nameKey } from '../../dns/name.ts'
import type { Zone } from '../zones/fields.ts'
import { namesAbove, treeKey } from '../zones/rules.ts'
import { zoneAmong } from '../zones/store.ts'
import { type Recordset, recordset } from './fields.ts'
import type { Surroundings } from './rules.ts'

const parsed = (row: Record<string, unknown> | undefined): Recordset | undefined =>
  row === undefined ? undefined : (recordset.fromRow(row) as Recordset)

/** A set of a zone. */
export const get = async (tx: Tx, zoneId: string, id: string): Promise<Recordset | undefined> =>
  parsed(await tx.get(sql`select * from recordset_rows where zone_id = ${zoneId} and id = ${id}`))

/** A set, whatever its zone. */
export const find = async (tx: Tx, id: string): Promise<Recordset | undefined> =>
  parsed(await tx.get(sql`select * from recordset_rows where id = ${id}`))

/** The set of a name and type. */
export const at = async (tx: Tx, zoneId: string, name: string, type: string): Promise<Recordset | undefined> =>
  parsed(
    await tx.get(
      sql`select * from recordset_rows where zone_id = ${zoneId} and name_key = ${nameKey(name)} and type = ${type}`,
    ),
  )

/** What stands around a place, for the rules of placement. The zone is locked, so it stays so. */
export async function surroundings(tx: Tx, zone: Zone, name: string, type: string): Promise<Surroundings> {
  const above = namesAbove(name, zone.name)
  const atName = await tx.all<{ type: string }>(sql`
    select type from recordsets where zone_id = ${zone.id} and name_key = ${nameKey(name)} and type <> ${type} order by type`)
  const isApex = nameKey(name) === nameKey(zone.name)
  const apex = nameKey(zone.name)
  const cuts = isApex
    ? []
    : await tx.all<{ name: string; type: string }>(sql`
        select name, type from recordsets where zone_id = ${zone.id} and type in ('NS', 'DNAME')
          and name_key in (${join([...above, apex])}) and not (type = 'NS' and name_key = ${apex})`)
  return {
    zone: zone.name,
    atName: atName.map((row) => row.type),
    cuts,
    childZone: isApex ? undefined : (await zoneAmong(tx, [nameKey(name), ...above]))?.name,
    below: (type === 'NS' && !isApex) || type === 'DNAME' ? await hiddenBelow(tx, zone, name, type) : undefined,
  }
}

/** A set below a name that a delegation or DNAME there would hide. */
function hiddenBelow(tx: Tx, zone: Zone, name: string, type: string) {
  const key = treeKey(name)
  const stays = type === 'NS' ? sql`and type not in ('A', 'AAAA')` : sql``
  return tx.get<{ name: string; type: string }>(sql`
    select name, type from recordsets
    where zone_id = ${zone.id} and tree_key > ${key} and tree_key < ${`${key}\u{10ffff}`} ${stays}
    order by tree_key limit 1`)
}
