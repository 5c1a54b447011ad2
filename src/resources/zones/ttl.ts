import { sql, type Tx } from '../../db/sql.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { recordsOf } from '../../journal/content.ts'
import type { Zone } from './fields.ts'
import { asRecordset } from './recordset-rows.ts'

/** What a new default TTL takes from and adds to a zone: every set that has no TTL of its own, but for the SOA. */
export async function changeDefaultTtl(
  tx: Tx,
  zone: Zone,
  ttl: number,
): Promise<{ removed: ResourceRecord[]; added: ResourceRecord[] }> {
  const rows = await tx.all(sql`select * from recordsets where zone_id = ${zone.id} and ttl is null and type <> 'SOA'`)
  const sets = rows.map(asRecordset)
  return {
    removed: sets.flatMap((set) => recordsOf(set, zone.ttl)),
    added: sets.flatMap((set) => recordsOf(set, ttl)),
  }
}
