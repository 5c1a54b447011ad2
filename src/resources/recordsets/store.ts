import { join, raw, sql, type Tx } from '../../db/sql.ts'
import { nameKey } from '../../dns/name.ts'
import type { Zone } from '../zones/fields.ts'
import { namesAbove, treeKey } from '../zones/rules.ts'
import { type Recordset, recordset } from './fields.ts'
import type { Surroundings } from './rules.ts'

const parsed = (row: Record<string, unknown> | undefined): Recordset | undefined =>
  row === undefined ? undefined : (recordset.fromRow(row) as Recordset)

/** A set of a zone. */
export const get = async (tx: Tx, zoneId: string, id: string): Promise<Recordset | undefined> =>
  parsed(await tx.get(sql`select * from recordset_rows where zone_id = ${zoneId} and id = ${id}`))

/** As get, the values of these columns alone. */
export const valuesOf = async (
  tx: Tx,
  columns: readonly string[],
  zoneId: string,
  id: string,
): Promise<unknown[] | undefined> =>
  (
    await tx.values(sql`select ${raw(columns.join(', '))} from recordset_rows where zone_id = ${zoneId} and id = ${id}`)
  )[0]

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

type Found = { readonly key: string; readonly name: string; readonly type: string }

/** What stands at and around a place, for the rules of placement. The zone is locked, so it stays so. */
export async function surroundings(
  tx: Tx,
  zone: Zone,
  name: string,
  type: string,
): Promise<Surroundings & { readonly isTaken: boolean }> {
  const [key, apex, above] = [nameKey(name), nameKey(zone.name), namesAbove(name, zone.name)]
  const isApex = key === apex
  const places = isApex ? [] : [key, ...above]
  const children = isApex
    ? sql``
    : sql`union all select name_key, name, '' from zones where name_key in (${join(places)}) and deleted_at is null`
  const found = await tx.all<Found>(sql`
    select name_key as key, name, type from recordsets where zone_id = ${zone.id}
      and name_key in (${join([...places, apex])}) and (name_key = ${key} or type in ('NS', 'DNAME')) ${children}`)
  const sets = found.filter((one) => one.type !== '')
  const atName = sets.filter((one) => one.key === key).map((one) => one.type)
  return {
    zone: zone.name,
    isTaken: atName.includes(type),
    atName: atName.filter((other) => other !== type).toSorted(),
    cuts: sets.filter((one) => one.key !== key && !(one.type === 'NS' && one.key === apex)),
    childZone: found.filter((one) => one.type === '').toSorted((a, b) => b.key.length - a.key.length)[0]?.name,
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
