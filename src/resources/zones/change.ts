import type { Call } from '../../api/route.ts'
import { sql, statement, type Tx } from '../../db/sql.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { type Author, commit } from '../../journal/journal.ts'
import type { Zone } from './fields.ts'
import { soaRecord, soaText } from './managed.ts'

/** What a change takes from and adds to a zone, and what else of its row changes with it. */
export type ZoneChange = {
  readonly removed: readonly ResourceRecord[]
  readonly added: readonly ResourceRecord[]
  readonly zone?: Partial<Assignable>
  /** Whether it is too large for the journal to list. */
  readonly anew?: boolean
}

/** Who to name in the journal for what a call does. */
export const authorOf = ({ caller, requestId }: Pick<Call, 'caller' | 'requestId'>): Author => ({
  user_id: caller.user_id,
  project_id: caller.project_id,
  request_id: requestId,
})

/** How each column that may change is written. */
const assign = {
  email: ({ email }: Zone) => sql`email = ${email}`,
  description: ({ description }: Zone) => sql`description = ${description}`,
  ttl: ({ ttl }: Zone) => sql`ttl = ${ttl}`,
  attributes: ({ attributes }: Zone) => sql`attributes = ${JSON.stringify(attributes)}`,
  masters: ({ masters }: Zone) => sql`masters = ${JSON.stringify(masters)}`,
  pool_id: ({ pool_id }: Zone) => sql`pool_id = ${pool_id}`,
  primary_ns: ({ primary_ns }: Zone) => sql`primary_ns = ${primary_ns}`,
  contact: ({ contact }: Zone) => sql`contact = ${contact}`,
  ns_revision: ({ ns_revision }: Zone) => sql`ns_revision = ${ns_revision}`,
  recordset_count: ({ recordset_count }: Zone) => sql`recordset_count = ${recordset_count}`,
  record_count: ({ record_count }: Zone) => sql`record_count = ${record_count}`,
  version: ({ version }: Zone) => sql`version = ${version}`,
  updated_at: ({ updated_at }: Zone) => sql`updated_at = ${updated_at}`,
}

type Assignable = Pick<Zone, keyof typeof assign>

/** Makes a change to a zone whose row is locked; returns the zone after it. Its SOA set follows. */
export async function changeZone(tx: Tx, zone: Zone, change: ZoneChange, author: Author, now: Date): Promise<Zone> {
  const after: Zone = { ...zone, ...change.zone }
  const changed = Object.keys(change.zone ?? {}) as (keyof Assignable)[]
  const serial = await commit(
    tx,
    {
      zone_id: zone.id,
      from: zone.serial,
      removed: change.removed,
      added: change.added,
      soa: { before: (at) => soaRecord(zone, at), after: (at) => soaRecord(after, at) },
      set: changed.map((name) => assign[name](after)),
      ...(change.anew && { anew: true }),
    },
    author,
    now,
  )
  await tx.run(statement`
    update recordsets set records = ${JSON.stringify([soaText(after, serial)])}, serial = ${serial}
    where zone_id = ${zone.id} and name_key = ${zone.name.toLowerCase()} and type = 'SOA'`)
  return { ...after, serial, status: 'PENDING', status_reason: null, action: 'UPDATE' }
}
