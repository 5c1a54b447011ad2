import type { Caller } from '../../api/auth.ts'
import { timestamp } from '../../clock.ts'
import { sql, type Tx, UniqueViolation } from '../../db/sql.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { fail } from '../../errors.ts'
import { commit } from '../../journal/journal.ts'
import { countOf } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFitLater } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { authorOf } from '../zones/change.ts'
import { countIn, mustFitTheTree, mustHaveTtl, type ZoneSettings } from '../zones/create.ts'
import type { Zone } from '../zones/fields.ts'
import { nsRecords, serverNames, soaRecord, soaText } from '../zones/managed.ts'
import { mustBeAllowedName } from '../zones/naming.ts'
import { insertRecordset } from '../zones/recordset-rows.ts'
import { choosePool } from '../zones/scheduler.ts'
import * as zones from '../zones/store.ts'

/** Where a new zone goes, and what its project may have. */
export type Place = {
  readonly pool_id: string
  readonly ns_revision: number
  readonly servers: readonly string[]
  readonly quotas: Quotas
}

type Wanted = {
  readonly name: string
  readonly ttl: number
  readonly attributes: Readonly<Record<string, string>>
}

/** Refuses a zone that may not be, as when one is created by a request; tells where it goes. */
export async function admit(tx: Tx, wanted: Wanted, caller: Caller, settings: ZoneSettings): Promise<Place> {
  const quotas = await quotasOf(tx, caller.project_id, settings.quotaDefaults)
  mustFitLater(quotas, { zones: (await countOf(tx, caller.project_id, 'zones')) + 1 }, caller.project_id)
  await mustBeAllowedName(tx, wanted.name, settings, caller.roles.has('admin'))
  mustHaveTtl(wanted.ttl, settings.minTtl, caller)
  await mustFitTheTree(tx, wanted.name, caller)
  const pool = await choosePool(tx, settings.schedulerFilters, { attributes: wanted.attributes, caller })
  const servers = serverNames(pool)
  if (servers.length === 0) {
    fail('no_servers_configured', `pool ${pool.name} has no ns_records, so no zone can be placed in it`)
  }
  const taken = await tx.get(sql`
    select 1 as one from zones where name_key = ${wanted.name.toLowerCase()} and pool_id = ${pool.id} and deleted_at is null`)
  if (taken !== undefined) fail('duplicate_zone', 'Duplicate Zone')
  return { pool_id: pool.id, ns_revision: pool.ns_revision, servers, quotas }
}

/** Makes room for a zone that nobody sees: as one that is gone, and is never purged until it is said to be. */
export async function hide(tx: Tx, made: Zone, at: string): Promise<void> {
  // Its own name may be taken before it is whole.
  await zones.insert(tx, { ...made, name: `${made.id}.` })
  await tx.run(sql`update zones set deleted_at = ${at}, gone_at = ${at} where id = ${made.id}`)
}

/** Gives up a zone that nobody saw; its rows are removed in small steps by those who purge. */
export const giveUp = (tx: Tx, id: string, at: string): Promise<number> =>
  tx.run(sql`update zones set purge_at = ${at} where id = ${id} and gone_at is not null and purge_at is null`)

export type Publication = {
  readonly zone: Zone
  readonly place: Place
  readonly managedIds: { readonly soa: string; readonly ns: string }
  /** What the zone holds beside SOA and NS, for the journal; undefined when it is too much to list. */
  readonly content: readonly ResourceRecord[] | undefined
  readonly caller: Caller
  readonly requestId: string
  readonly now: Date
}

/** Makes a hidden zone appear, whole: its last rows, its first change, and its place in the counts. */
export async function publish(
  tx: Tx,
  { zone, place, managedIds, content, caller, requestId, now }: Publication,
): Promise<void> {
  const shown = await tx
    .run(sql`
      update zones set name = ${zone.name}, tree_key = ${zone.tree_key}, pool_id = ${zone.pool_id}, email = ${zone.email},
        ttl = ${zone.ttl}, attributes = ${JSON.stringify(zone.attributes)}, primary_ns = ${zone.primary_ns},
        contact = ${zone.contact}, refresh = ${zone.refresh}, retry = ${zone.retry}, expire = ${zone.expire},
        minimum = ${zone.minimum}, ns_revision = ${zone.ns_revision}, serial = ${zone.serial},
        created_serial = ${zone.serial}, published_serial = 0, recordset_count = ${zone.recordset_count},
        record_count = ${zone.record_count}, changed_at = ${timestamp(now)}, deleted_at = null, gone_at = null
      where id = ${zone.id} and gone_at is not null and purge_at is null`)
    .catch(duplicate)
  if (shown !== 1) throw new Error(`the hidden zone ${zone.id} of an import is gone`)
  const row = {
    zone_id: zone.id,
    project_id: zone.project_id,
    name: zone.name,
    ttl: null,
    description: null,
    managed: 1,
    serial: zone.serial,
    version: 1,
    created_at: zone.created_at,
    updated_at: null,
  }
  const { servers } = place
  const findable = servers.map((data) => ({ data, canonical: null }))
  await insertRecordset(tx, { ...row, id: managedIds.soa, type: 'SOA', records: [soaText(zone, zone.serial)] }, [])
  await insertRecordset(tx, { ...row, id: managedIds.ns, type: 'NS', records: servers }, findable)
  const soa = (serial: number) => soaRecord(zone, serial)
  const change = {
    zone_id: zone.id,
    from: undefined,
    to: zone.serial,
    removed: [],
    added: [...nsRecords(zone, servers), ...(content ?? [])],
    soa: { before: soa, after: soa },
    ...(content === undefined && { anew: true }),
  }
  await commit(tx, change, authorOf({ caller, requestId }), now)
  await countIn(tx, zone, place.quotas)
}

function duplicate(error: unknown): never {
  if (error instanceof UniqueViolation) fail('duplicate_zone', 'Duplicate Zone')
  throw error
}
