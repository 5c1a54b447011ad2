import { sql, type Tx } from '../db/sql.ts'

/** How much of the journal is kept: secondaries that are further behind get the whole zone instead. */
export type Retention = {
  /** Changes made before this moment may go. */
  readonly before: string
  /** A zone keeps at most this many. */
  readonly perZone: number
}

/**
 * Removes up to `limit` changes that need not be kept; tells how many there were. What is not published yet
 * always stays, and so does the newest change of a zone.
 */
export async function prune(tx: Tx, retention: Retention, limit: number): Promise<number> {
  const old = await tx.run(sql`
    delete from changes where (zone_id, serial) in (
      select c.zone_id, c.serial from changes c join zones z on z.id = c.zone_id
      where c.at < ${retention.before} and c.serial <= z.published_serial and c.serial < z.serial and z.deleted_at is null
      order by c.at limit ${limit})`)
  if (old === limit) return old
  return old + (await pruneLong(tx, retention.perZone, limit - old))
}

async function pruneLong(tx: Tx, perZone: number, limit: number): Promise<number> {
  const long = await tx.all<{ zone_id: string; n: number }>(sql`
    select zone_id, count(*) as n from changes group by zone_id having count(*) > ${perZone} limit 100`)
  let removed = 0
  for (const { zone_id, n } of long) {
    if (removed >= limit) break
    removed += await tx.run(sql`
      delete from changes where zone_id = ${zone_id} and serial in (
        select c.serial from changes c join zones z on z.id = c.zone_id
        where c.zone_id = ${zone_id} and c.serial <= z.published_serial and c.serial < z.serial
        order by c.serial limit ${Math.min(n - perZone, limit - removed)})`)
  }
  return removed
}
