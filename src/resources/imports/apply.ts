import type { Caller } from '../../api/auth.ts'
import { timestamp } from '../../clock.ts'
import { bulkInsert, type RowValues } from '../../db/bulk-rows.ts'
import { join, sql, type Tx } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { addToCounts } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFit } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { findable, parseRecords } from '../recordsets/records.ts'
import { authorOf, changeZone } from '../zones/change.ts'
import type { Zone } from '../zones/fields.ts'
import type { SetChange } from './difference.ts'

const mostListed = 10_000
const atOnce = 200

export type Application = {
  /** Locked, and as it was when the changes were found. */
  readonly zone: Zone
  readonly changes: readonly SetChange[]
  readonly quotaDefaults: Quotas
  readonly caller: Caller
  readonly requestId: string
  readonly now: Date
}

/** Makes the changes that a file means for a zone, as one change of it. What is new is there already, hidden: it is moved. */
export async function applyChanges(tx: Tx, application: Application): Promise<void> {
  const { zone, changes, caller, requestId, now } = application
  if (changes.length === 0) return
  if (zone.type !== 'PRIMARY' && !caller.roles.has('admin')) {
    fail('forbidden', 'the records of a SECONDARY zone come from its masters')
  }
  const grown = growth(changes)
  mustFit(await quotasOf(tx, zone.project_id, application.quotaDefaults), {
    ...(grown.sets > 0 && { zone_recordsets: zone.recordset_count + grown.sets }),
    ...(grown.records > 0 && { zone_records: zone.record_count + grown.records }),
    ...(grown.records > 0 && { recordset_records: grown.largest }),
  })
  const counts = { recordset_count: zone.recordset_count + grown.sets, record_count: zone.record_count + grown.records }
  const removed = changes.flatMap((change) => change.removed)
  const added = changes.flatMap((change) => change.added)
  const change = { removed, added, zone: counts, anew: removed.length + added.length > mostListed }
  const { serial } = await changeZone(tx, zone, change, authorOf({ caller, requestId }), now)
  const at = { zone, serial, moment: timestamp(now) }
  await removeSets(tx, changes)
  await moveSets(tx, changes, at)
  for (const one of changes) await updateSet(tx, one, at)
  await addToCounts(
    tx,
    [
      { project_id: zone.project_id, what: 'recordsets', n: grown.sets },
      { project_id: zone.project_id, what: 'records', n: grown.records },
    ],
    zone.id,
  )
}

type At = { readonly zone: Zone; readonly serial: number; readonly moment: string }

function growth(changes: readonly SetChange[]): { sets: number; records: number; largest: number } {
  let [sets, records, largest] = [0, 0, 0]
  for (const { before, after, texts } of changes) {
    sets += Number(before === undefined) - Number(after === undefined)
    records += texts.added.length - texts.removed.length
    largest = Math.max(largest, after?.records.length ?? 0)
  }
  return { sets, records, largest }
}

async function removeSets(tx: Tx, changes: readonly SetChange[]): Promise<void> {
  const ids = changes.filter(({ after }) => after === undefined).map(({ before }) => before!.id)
  for (let at = 0; at < ids.length; at += atOnce) {
    await tx.run(sql`delete from recordsets where id in (${join(ids.slice(at, at + atOnce))})`)
  }
}

async function moveSets(tx: Tx, changes: readonly SetChange[], { zone, serial }: At): Promise<void> {
  const ids = changes.filter(({ before }) => before === undefined).map(({ staged }) => staged!.id)
  for (let at = 0; at < ids.length; at += atOnce) {
    await tx.run(sql`
      update recordsets set zone_id = ${zone.id}, project_id = ${zone.project_id}, serial = ${serial}
      where id in (${join(ids.slice(at, at + atOnce))})`)
  }
}

const insertRecords = bulkInsert('records', ['recordset_id', 'data', 'canonical'])

async function updateSet(tx: Tx, { before, after }: SetChange, { serial, moment }: At): Promise<void> {
  if (before === undefined || after === undefined) return
  await tx.run(sql`
    update recordsets set ttl = ${after.ttl}, records = ${JSON.stringify(after.records)}, serial = ${serial},
      version = version + 1, updated_at = ${moment}
    where id = ${before.id}`)
  await tx.run(sql`delete from records where recordset_id = ${before.id}`)
  const found = findable(parseRecords(before.type, after.records, []))
  await insertRecords(
    tx,
    found.map(({ data, canonical }): RowValues => [before.id, data, canonical]),
  )
}
