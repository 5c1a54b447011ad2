import { sql, type Tx } from '../db/sql.ts'
import type { Change } from '../zonedata/change.ts'
import { decodeRecords } from './change-rows.ts'

type ChangeRow = {
  readonly serial: number
  readonly previous: number
  readonly removed: Uint8Array
  readonly added: Uint8Array
}

/** A zone's changes from a serial to now, oldest first; undefined when the journal no longer reaches back that far. */
export async function since(tx: Tx, zoneId: string, serial: number): Promise<Change[] | undefined> {
  const rows = await tx.all<ChangeRow>(sql`
    select serial, previous, removed, added from changes where zone_id = ${zoneId} and serial > ${serial}
    order by serial`)
  let reached = serial
  const changes: Change[] = []
  for (const row of rows) {
    if (row.previous !== reached) return undefined
    changes.push({
      from: row.previous,
      to: row.serial,
      removed: decodeRecords(row.removed),
      added: decodeRecords(row.added),
    })
    reached = row.serial
  }
  return changes
}
