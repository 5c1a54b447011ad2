import { type Sql, sql, type Tx } from '../db/sql.ts'

/** How much of the journal is kept: secondaries that are further behind get the whole zone instead. */
export type Retention = {
  /** Changes made before this moment may go. */
  readonly before: string
  /** A zone keeps at most this many. */
  readonly perZone: number
}

/** A place in the journal in the order of time. */
export type Place = { readonly at: string; readonly zone_id: string; readonly serial: number }

export const beginning: Place = { at: '', zone_id: '', serial: 0 }

/** The next changes after a place that were made before a moment. */
export const changesAfter = (tx: Tx, { at, zone_id, serial }: Place, before: string, limit: number): Promise<Place[]> =>
  tx.all<Place>(sql`
    select at, zone_id, serial from changes where (at, zone_id, serial) > (${at}, ${zone_id}, ${serial}) and at < ${before}
    order by at, zone_id, serial limit ${limit}`)

/**
 * The serial below which a zone's changes need not be kept, or undefined when there are none. What is not published
 * yet always stays, and so does the newest change; those of a deleted zone go when it is purged.
 */
export async function prunableBelow(tx: Tx, zoneId: string, retention: Retention): Promise<number | undefined> {
  const { before, perZone } = retention
  const zone = await tx.get<{ serial: number; published_serial: number }>(sql`
    select serial, published_serial from zones where id = ${zoneId} and deleted_at is null`)
  if (zone === undefined) return undefined
  const serialOf = async (choice: Sql) =>
    (await tx.get<{ serial: number }>(sql`select serial from changes where zone_id = ${zoneId} ${choice}`))?.serial
  const young = await serialOf(sql`and at >= ${before} order by serial limit 1`)
  const last = await serialOf(sql`order by serial desc limit 1 offset ${perZone - 1}`)
  const wanted = Math.max(young ?? zone.serial, last ?? 0)
  const below = Math.min(wanted, zone.serial, zone.published_serial + 1)
  return (await serialOf(sql`and serial < ${below} limit 1`)) === undefined ? undefined : below
}

/** Removes up to `limit` of a zone's changes below a serial, the oldest first; tells how many there were. */
export const pruneBelow = (tx: Tx, zoneId: string, serial: number, limit: number): Promise<number> =>
  tx.run(sql`
    delete from changes where zone_id = ${zoneId} and serial in (
      select serial from changes where zone_id = ${zoneId} and serial < ${serial} order by serial limit ${limit})`)
