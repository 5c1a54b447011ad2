import type { Caller } from '../../api/auth.ts'
import { timestamp } from '../../clock.ts'
import { bulkInsert, type RowValues } from '../../db/bulk-rows.ts'
import { join, sql, type Tx } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { addToCounts } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFitLater } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { findable, parseRecords } from '../recordsets/records.ts'
import { authorOf, changeZone } from '../zones/change.ts'
import type { Zone } from '../zones/fields.ts'
import { treeKey } from '../zones/rules.ts'
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

/** Makes the changes that a file means for a zone, as one change of it.  */
export async function applyChanges(tx: Tx, application: Application): Promise<void> {
  const { zone, changes, caller, requestId, now } = application
  if (changes.length === 0) return
  if (zone.type !== 'PRIMARY' && !caller.roles.has('admin')) {
    fail('forbidden', 'the records of a SECONDARY zone come from its masters')
  }
  const grown = growth(changes)
  const wanted = {
    ...(grown.sets > 0 && { zone_recordsets: zone.recordset_count + grown.sets }),
    ...(grown.records > 0 && { zone_records: zone.record_count + grown.records }),
    ...(grown.records > 0 && { recordset_records: grown.largest }),
  }
  mustFitLater(await quotasOf(tx, zone.project_id, application.quotaDefaults), wanted, zone.project_id)
  const counts = { recordset_count: zone.recordset_count + grown.sets, record_count: zone.record_count + grown.records }
  const removed = changes.flatMap((change) => change.removed)
  const added = changes.flatMap((change) => change.added)
  const change = { removed, added, zone: counts, anew: removed.length + added.length > mostListed }
  const { serial } = await changeZone(tx, zone, change, authorOf({ caller, requestId }), now)
  const at = { zone, serial, moment: timestamp(now) }
  await removeSets(tx, changes)
  await insertSets(tx, changes, at)
  await updateSets(tx, changes, at)
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

const newSets = bulkInsert('recordsets', ['id', 'name', 'tree_key', 'type', 'ttl', 'records'])
const newRecords = bulkInsert('records', ['recordset_id', 'data', 'canonical'])

async function insertSets(tx: Tx, changes: readonly SetChange[], { zone, serial, moment }: At): Promise<void> {
  const fresh = changes.flatMap(({ before, staged, after }) =>
    before === undefined ? [{ ...staged!, ...after! }] : [],
  )
  const same = { managed: 0, serial, version: 1, created_at: moment, zone_id: zone.id, project_id: zone.project_id }
  await newSets(
    tx,
    fresh.map(({ id, name, type, ttl, records }) => [id, name, treeKey(name), type, ttl, JSON.stringify(records)]),
    same,
  )
  await newRecords(tx, fresh.flatMap(recordRows))
}

async function updateSets(tx: Tx, changes: readonly SetChange[], { serial, moment }: At): Promise<void> {
  const changed = changes.flatMap(({ before, after }) => (before && after ? [{ ...before, ...after }] : []))
  for (let at = 0; at < changed.length; at += atOnce) {
    const some = changed.slice(at, at + atOnce)
    const values = Object.fromEntries(some.map(({ id, ttl, records }) => [id, [ttl, JSON.stringify(records)]]))
    await tx.run(sql`
      update recordsets set ttl = cast(e.value ->> 0 as integer), records = e.value ->> 1, serial = ${serial},
        version = version + 1, updated_at = ${moment}
      from json_each(${JSON.stringify(values)}) e where recordsets.id = e.key`)
    await tx.run(sql`delete from records where recordset_id in (${join(some.map(({ id }) => id))})`)
    await newRecords(tx, some.flatMap(recordRows))
  }
}

type Content = { readonly id: string; readonly type: string; readonly records: readonly string[] }

const recordRows = ({ id, type, records }: Content): RowValues[] =>
  findable(parseRecords(type, records, [])).map(({ data, canonical }) => [id, data, canonical])
