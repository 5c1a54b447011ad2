import { join, sql, type Tx } from '../db/sql.ts'
import type { Change } from '../zonedata/change.ts'
import { decodeRecords } from './change-rows.ts'

type ChangeRow = {
  readonly zone_id: string
  readonly serial: number
  readonly previous: number
  readonly removed: Uint8Array
  readonly added: Uint8Array
}

/** A zone and the serial from which on its changes are asked for. */
export type Since = { readonly id: string; readonly serial: number }

const zonesAtOnce = 50

/** A zone's changes from a serial to now, oldest first; undefined when the journal no longer reaches back that far. */
export async function since(tx: Tx, id: string, serial: number): Promise<Change[] | undefined> {
  return inTurn(await rowsSince(tx, [{ id, serial }]), serial)
}

/** As `since`, for several zones at once; each is decoded when it is asked for, and throws then if it cannot be. */
export async function sinceMany(tx: Tx, zones: readonly Since[]): Promise<(zone: Since) => Change[] | undefined> {
  const byZone = new Map<string, ChangeRow[]>()
  for (let at = 0; at < zones.length; at += zonesAtOnce) {
    for (const row of await rowsSince(tx, zones.slice(at, at + zonesAtOnce))) {
      const rows = byZone.get(row.zone_id)
      if (rows === undefined) byZone.set(row.zone_id, [row])
      else rows.push(row)
    }
  }
  return ({ id, serial }) => inTurn(byZone.get(id) ?? [], serial)
}

/** How many octets the changes of a zone after a serial take in the journal. */
export async function sizeSince(tx: Tx, { id, serial }: Since): Promise<number> {
  const row = await tx.get<{ size: number | null }>(sql`
    select cast(sum(length(removed) + length(added)) as bigint) as size from changes
    where zone_id = ${id} and serial > ${serial}`)
  return Number(row?.size ?? 0)
}

const rowsSince = (tx: Tx, zones: readonly Since[]): Promise<ChangeRow[]> =>
  tx.all<ChangeRow>(sql`
    select zone_id, serial, previous, removed, added from changes
    where ${join(
      zones.map(({ id, serial }) => sql`(zone_id = ${id} and serial > ${serial})`),
      ' or ',
    )}
    order by zone_id, serial`)

function inTurn(rows: readonly ChangeRow[], serial: number): Change[] | undefined {
  let reached = serial
  const changes: Change[] = []
  for (const { serial: to, previous, removed, added } of rows) {
    if (previous !== reached) return undefined
    changes.push({ from: previous, to, removed: decodeRecords(removed), added: decodeRecords(added) })
    reached = to
  }
  return changes
}
