import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import type { ResourceRecord } from '../../dns/record.ts'
import { typeCode } from '../../dns/types/index.ts'
import { fail } from '../../errors.ts'
import { recordsOf } from '../../journal/content.ts'
import { addToCounts } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFit } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { authorOf, changeZone } from '../zones/change.ts'
import type { Zone } from '../zones/fields.ts'
import { insertRecordset, type RecordsetRow, removeRecordset, updateRecordset } from '../zones/recordset-rows.ts'
import type { Recordset } from './fields.ts'
import { findable, type ParsedRecord } from './records.ts'

type Wanted = { readonly name: string; readonly type: string; readonly ttl: number | null }

/** The records of a set that were parsed from a request. */
function served({ name, type, ttl }: Wanted, records: readonly ParsedRecord[], zone: Zone): ResourceRecord[] {
  return records.map(({ rdata }) => ({ name, type: typeCode(type)!, class: 1, ttl: ttl ?? zone.ttl, rdata }))
}

/** Refuses what the quotas of the zone's owner leave no room for. */
async function mustHaveRoom(
  call: Call,
  zone: Zone,
  defaults: Quotas,
  more: { sets: number; records: number; inSet: number },
) {
  mustFit(await quotasOf(call.tx, zone.project_id, defaults), {
    ...(more.sets > 0 && { zone_recordsets: zone.recordset_count + more.sets }),
    ...(more.records > 0 && { zone_records: zone.record_count + more.records }),
    ...(more.records > 0 && { recordset_records: more.inSet }),
  })
}

/** Refuses records that are more than there is room for as they are written, before anybody parses them. `held` is how many the set has. */
export async function mustHaveRoomFor(
  call: Call,
  zone: Zone,
  defaults: Quotas,
  texts: readonly string[],
  held: number | undefined,
): Promise<void> {
  const written = new Set(texts).size
  const more = written - (held ?? 0)
  if (more > 0) {
    await mustHaveRoom(call, zone, defaults, { sets: held === undefined ? 1 : 0, records: more, inSet: written })
  }
}

/** Stores a new set and publishes its records; a set without records changes nothing that is answered. */
export async function addSet(
  call: Call,
  zone: Zone,
  row: Omit<RecordsetRow, 'serial'>,
  records: readonly ParsedRecord[],
  defaults: Quotas,
): Promise<Recordset> {
  const { tx, now } = call
  // What the service keeps itself is in nobody's way.
  const own = row.managed ? 0 : records.length
  if (!row.managed) await mustHaveRoom(call, zone, defaults, { sets: 1, records: own, inSet: own })
  const counts = { recordset_count: zone.recordset_count + 1, record_count: zone.record_count + own }
  const added = served(row, records, zone)
  const after = await changeZone(tx, zone, { removed: [], added, zone: counts }, authorOf(call), now)
  const stored = { ...row, serial: records.length === 0 ? 0 : after.serial }
  await insertRecordset(tx, stored, findable(records))
  await countSets(call, zone, row, 1, own)
  return seen(stored, zone, 'CREATE')
}

/** Stores what changed in a set and publishes the difference. */
export async function changeSet(
  call: Call,
  zone: Zone,
  before: Recordset,
  wanted: Pick<Recordset, 'ttl' | 'description'> & { readonly records: readonly ParsedRecord[] | undefined },
  defaults: Quotas,
): Promise<Recordset> {
  const { tx, now } = call
  const old = recordsOf(before, zone.ttl)
  const row: Recordset = {
    ...before,
    ttl: wanted.ttl,
    description: wanted.description,
    records: wanted.records?.map(({ text }) => text) ?? before.records,
    version: before.version + 1,
    updated_at: timestamp(now),
  }
  const fresh = wanted.records === undefined ? recordsOf(row, zone.ttl) : served(row, wanted.records, zone)
  const more = before.managed ? 0 : fresh.length - old.length
  if (more > 0) await mustHaveRoom(call, zone, defaults, { sets: 0, records: more, inSet: fresh.length })
  const changes = difference(old, fresh)
  const counts = more === 0 ? {} : { zone: { record_count: zone.record_count + more } }
  const after = await changeZone(tx, zone, { ...changes, ...counts }, authorOf(call), now)
  const stored = { ...row, serial: fresh.length === 0 ? 0 : after.serial }
  await updateRecordset(tx, stored, wanted.records && findable(wanted.records))
  await countSets(call, zone, row, 0, more)
  return seen(stored, zone, 'UPDATE')
}

/** Takes a set and its records away. */
export async function dropSet(call: Call, zone: Zone, row: Recordset): Promise<Recordset> {
  const { tx, now } = call
  const counts = {
    recordset_count: zone.recordset_count - 1,
    record_count: zone.record_count - (row.managed ? 0 : row.records.length),
  }
  await changeZone(tx, zone, { removed: recordsOf(row, zone.ttl), added: [], zone: counts }, authorOf(call), now)
  await removeRecordset(tx, row.id)
  await countSets(call, zone, row, -1, counts.record_count - zone.record_count)
  return seen({ ...row, serial: row.records.length === 0 ? 0 : 1 }, zone, 'DELETE')
}

/** Sets are counted for the project that made them, records for the one that owns the zone. */
const countSets = ({ tx }: Call, zone: Zone, set: Pick<Recordset, 'project_id'>, sets: number, records: number) =>
  addToCounts(
    tx,
    [
      { project_id: set.project_id, what: 'recordsets', n: sets },
      { project_id: zone.project_id, what: 'records', n: records },
    ],
    zone.id,
  )

/** Refuses to change what the service keeps itself, unless an administrator insists. */
export function mustBeEditable(call: Call, zone: Zone, row: Recordset): void {
  if (row.managed === 0) return
  const isApexNs = row.type === 'NS' && row.name.toLowerCase() === zone.name.toLowerCase()
  if (row.type === 'SOA' || isApexNs)
    fail('bad_request', `the ${row.type} of a zone is kept by the service; change the zone or its pool`)
  if (!call.caller.editManaged) {
    fail(
      'bad_request',
      'Managed records may not be changed; an administrator may with X-Designate-Edit-Managed-Records',
    )
  }
}

function seen(row: RecordsetRow, zone: Zone, action: string): Recordset {
  const pending = row.serial > 0
  return { ...row, zone_name: zone.name, status: pending ? 'PENDING' : 'ACTIVE', action: pending ? action : 'NONE' }
}

function difference(old: readonly ResourceRecord[], fresh: readonly ResourceRecord[]) {
  const key = ({ ttl, rdata }: ResourceRecord) => `${ttl} ${Buffer.from(rdata).toString('latin1')}`
  const had = new Set(old.map(key))
  const has = new Set(fresh.map(key))
  return { removed: old.filter((one) => !has.has(key(one))), added: fresh.filter((one) => !had.has(key(one))) }
}
