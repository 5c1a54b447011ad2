import type { Caller } from '../../api/auth.ts'
import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { type Tx, UniqueViolation } from '../../db/sql.ts'
import { mailboxName } from '../../dns/mailbox.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { commit, nextSerial } from '../../journal/journal.ts'
import type { SchedulerFilter } from '../../scheduler-filters.ts'
import { addToCounts, countOf, lockCount } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFit } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { authorOf } from './change.ts'
import { type Zone, zone } from './fields.ts'
import { nsRecords, serverNames, soaRecord, soaText } from './managed.ts'
import { mustBeAllowedName, type NamingRules } from './naming.ts'
import { insertRecordset, type RecordsetRow } from './recordset-rows.ts'
import { treeKey, zoneFaults } from './rules.ts'
import { choosePool } from './scheduler.ts'
import * as store from './store.ts'

export type ZoneSettings = NamingRules & {
  readonly defaultTtl: number
  readonly minTtl: number
  readonly managedEmail: string
  readonly schedulerFilters: readonly SchedulerFilter[]
  readonly quotaDefaults: Quotas
}

/** Makes a zone from a request's body. The order of the checks decides which error a client sees first. */
export async function createZone(call: Call, settings: ZoneSettings): Promise<Zone> {
  const { tx, caller, now } = call
  const body = zone.create(call.body, zoneFaults)
  if (body.type === 'CATALOG') fail('forbidden', 'catalog zones are made by the service')
  const quotas = await quotasOf(tx, caller.project_id, settings.quotaDefaults)
  if (quotas.zones >= 0) mustFit(quotas, { zones: (await countOf(tx, caller.project_id, 'zones')) + 1 })
  await mustBeAllowedName(tx, body.name, settings, caller.roles.has('admin'))
  const ttl = body.ttl ?? settings.defaultTtl
  mustHaveTtl(ttl, settings.minTtl, caller)
  const { formerSerial } = await mustFitTheTree(tx, body.name, caller)
  const pool = await choosePool(tx, settings.schedulerFilters, { attributes: body.attributes, caller })
  const servers = serverNames(pool)
  if (servers.length === 0)
    fail('no_servers_configured', `pool ${pool.name} has no ns_records, so no zone can be placed in it`)

  const email = body.email ?? settings.managedEmail
  const isPrimary = body.type === 'PRIMARY'
  const serial = isPrimary ? nextSerial(formerSerial, now) : 1
  const made: Zone = {
    ...body,
    id: newId(now),
    tree_key: treeKey(body.name),
    email,
    ttl,
    project_id: caller.project_id,
    pool_id: pool.id,
    shared: 0,
    primary_ns: servers[0]!,
    contact: mailboxName(email),
    refresh: 3500 + Math.floor(Math.random() * 101),
    retry: 600,
    expire: 86_400,
    minimum: 3600,
    ns_revision: pool.ns_revision,
    serial,
    created_serial: serial,
    published_serial: 0,
    status: 'PENDING',
    status_reason: null,
    action: 'CREATE',
    version: 1,
    recordset_count: isPrimary ? 2 : 1,
    record_count: 0,
    created_at: timestamp(now),
    updated_at: null,
    transferred_at: null,
    deleted_at: null,
  }
  await store.insert(tx, made).catch(duplicate)
  await addManaged(call, made, isPrimary ? servers : [])
  if (!isPrimary) await store.askRefresh(tx, made.id, made.created_at)
  await countIn(tx, made, quotas)
  return made
}

/**
 * Counts the zone, the last thing done so that others wait for the count only briefly. Who raced past the first
 * look at the quota meets it here again, with the count locked; where there is no limit nobody waits.
 */
export async function countIn(tx: Tx, made: Zone, quotas: Quotas): Promise<void> {
  if (quotas.zones >= 0) mustFit(quotas, { zones: (await lockCount(tx, made.project_id, 'zones')) + 1 })
  const { id, project_id, recordset_count, record_count } = made
  await addToCounts(
    tx,
    [
      { project_id, what: 'zones', n: 1 },
      { project_id, what: 'recordsets', n: recordset_count },
      { project_id, what: 'records', n: record_count },
    ],
    id,
  )
}

/** The SOA, and for a primary zone the NS set, as rows and as the zone's first change. */
async function addManaged(call: Call, made: Zone, servers: readonly string[]): Promise<void> {
  const { tx, now } = call
  const row = (type: string, records: readonly string[]): RecordsetRow => ({
    id: newId(now),
    zone_id: made.id,
    project_id: made.project_id,
    name: made.name,
    type,
    ttl: null,
    description: null,
    records,
    managed: 1,
    serial: made.serial,
    version: 1,
    created_at: made.created_at,
    updated_at: null,
  })
  // The SOA changes with every change; searching for what it held a moment ago is of no use.
  await insertRecordset(tx, row('SOA', [soaText(made, made.serial)]), [])
  if (servers.length > 0) {
    await insertRecordset(
      tx,
      row('NS', servers),
      servers.map((data) => ({ data, canonical: null })),
    )
  }
  const soa = (serial: number) => soaRecord(made, serial)
  const added = nsRecords(made, servers)
  await commit(
    tx,
    { zone_id: made.id, from: undefined, to: made.serial, removed: [], added, soa: { before: soa, after: soa } },
    authorOf(call),
    now,
  )
}

/** Refuses a TTL below the operator's least; administrators may go lower. */
export function mustHaveTtl(ttl: number, least: number, caller: Caller): void {
  if (ttl < least && !caller.roles.has('admin')) fail('invalid_ttl', `ttl must be at least ${least}, not ${ttl}`)
}

/** A zone may stand above or below others only where they are of the same project; returns those that have its name or are above it. */
export async function mustFitTheTree(tx: Tx, name: string, { project_id }: Caller): Promise<store.Ancestry> {
  await store.lockTree(tx, name)
  const ancestry = await store.ancestryOf(tx, name)
  const { same, above } = ancestry
  if (same.some((other) => other.project_id !== project_id)) fail('duplicate_zone', 'Duplicate Zone')
  if (above !== undefined && above.project_id !== project_id) {
    fail('illegal_child', 'the zone would lie below a zone of another project')
  }
  if ((await store.belowOfOthers(tx, name, project_id)) !== undefined) {
    fail('illegal_parent', 'the zone would lie above a zone of another project')
  }
  return ancestry
}

function duplicate(error: unknown): never {
  if (error instanceof UniqueViolation) fail('duplicate_zone', 'Duplicate Zone')
  throw error
}
