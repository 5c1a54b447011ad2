import { timestamp } from '../clock.ts'
import { join, type Sql, sql, statement, type Tx } from '../db/sql.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { addSerial, isNewerSerial } from '../dns/serial.ts'
import { encodeRecords } from './change-rows.ts'

/** Who made a change, for the journal. */
export type Author = { readonly user_id: string; readonly project_id: string; readonly request_id: string }

/** A change to a zone's content; `soa` gives the SOA record that a serial has before and after it. */
export type Commit = {
  readonly zone_id: string
  /** The serial the zone row has while it is locked; undefined when this makes the zone. */
  readonly from: number | undefined
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
  readonly soa: {
    readonly before: (serial: number) => ResourceRecord
    readonly after: (serial: number) => ResourceRecord
  }
  /** The serial to reach, where another server decides it. */
  readonly to?: number
  /** Whether it is too large to list what it took away and added: then whoever is behind it takes the whole zone. */
  readonly anew?: boolean
  /** What else changes in the zone's row with it, each as `column = value`. */
  readonly set?: readonly Sql[]
}

/**
 * Commits edits to a zone's content as its next serial, and returns that serial.
 *
 * Everything that changes what a zone answers comes through here: record sets, managed SOA and NS,
 * imports, transfers in. The rows written are what IXFR sends and what the name server replays.
 * The caller has locked the zone's row; a serial other than the locked one is a fault of the program.
 */
export async function commit(tx: Tx, change: Commit, author: Author, now: Date): Promise<number> {
  const { zone_id, from } = change
  const serial = change.to ?? nextSerial(from, now)
  const removed = from === undefined || change.anew ? [] : [change.soa.before(from), ...change.removed]
  const added = change.anew ? [] : [change.soa.after(serial), ...change.added]
  const at = timestamp(now)
  if (from !== undefined) {
    const set = join([sql`serial = ${serial}`, sql`changed_at = ${at}`, ...(change.set ?? [])])
    const updated = await tx.run(sql`update zones set ${set} where id = ${zone_id} and serial = ${from}`)
    if (updated !== 1) throw new Error(`zone ${zone_id} was to go from serial ${from} to ${serial} but is elsewhere`)
  }
  await tx.run(statement`
    insert into changes (zone_id, serial, previous, removed, added, user_id, project_id, request_id, at)
    values (${zone_id}, ${serial}, ${change.anew ? fromNowhere : (from ?? 0)}, ${encodeRecords(removed)}, ${encodeRecords(added)},
      ${author.user_id}, ${author.project_id}, ${author.request_id}, ${at})`)
  tx.wake(zone_id)
  return serial
}

/** What `previous` is of a change that does not say how it came about: no serial, so that no chain of changes goes through it. */
const fromNowhere = -1

/** The time in seconds, or one more than the present serial where that is not newer. */
export function nextSerial(serial: number | undefined, now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000) >>> 0
  return serial === undefined || isNewerSerial(seconds, serial) ? seconds : addSerial(serial, 1)
}
