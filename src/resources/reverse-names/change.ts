import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sameName } from '../../dns/name.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { addSet, changeSet, dropSet } from '../recordsets/change.ts'
import type { Recordset } from '../recordsets/fields.ts'
import { parseRecords } from '../recordsets/records.ts'
import { placementFault } from '../recordsets/rules.ts'
import * as recordsets from '../recordsets/store.ts'
import type { Zone } from '../zones/fields.ts'
import * as zones from '../zones/store.ts'
import { type FoundPlace, findPlace, type PlaceSettings } from './place.ts'
import type { Held } from './source.ts'
import * as store from './store.ts'

/** The name an address is to have. */
export type Wanted = { readonly ptrdname: string; readonly ttl: number | null; readonly description: string | null }

/** Gives an address its name, in place of what it had; `source` knew the address. */
export async function setName(
  call: Call,
  held: Held,
  wanted: Wanted,
  source: string,
  settings: PlaceSettings,
): Promise<void> {
  const { tx } = call
  await store.lockName(tx, held.address)
  const place = await findPlace(call, held.address, settings)
  const before = await store.nameOf(tx, held.address)
  if (before !== undefined && before.recordset_id !== null && before.region !== held.region) {
    fail('duplicate_recordset', `${held.address} has a name in the region ${before.region}; it can have but one`)
  }
  const isThere = before?.name != null && before.zone_id === place.zone.id && sameName(before.name, place.name)
  const present =
    isThere && store.isOf(before, held)
      ? await recordsets.get(tx, place.zone.id, before.recordset_id!)
      : await clearAway(call, before)
  const zone = (await zones.lockAny(tx, place.zone.id))!
  const set = present
    ? await changed(call, zone, present, wanted, settings)
    : await added(call, place, wanted, settings)
  const alias_id = await aliasFor(call, place, settings)
  await store.putName(tx, held, source, { zone_id: zone.id, recordset_id: set.id, alias_id })
}

async function clearAway(call: Call, name: store.ReverseName | undefined): Promise<undefined> {
  if (name !== undefined) await dropName(call, name)
}

const changed = (call: Call, zone: Zone, set: Recordset, wanted: Wanted, { quotaDefaults }: PlaceSettings) => {
  const isSame =
    set.ttl === wanted.ttl && set.description === wanted.description && set.records.join() === wanted.ptrdname
  const records = parseRecords('PTR', [wanted.ptrdname], [])
  return isSame ? set : changeSet(call, zone, set, { ...wanted, records }, quotaDefaults)
}

/** Puts a new PTR set in its place; what else had the name of the address gives way. */
async function added(call: Call, place: FoundPlace, wanted: Wanted, settings: PlaceSettings): Promise<Recordset> {
  const { zone, name } = place
  for (const type of ['PTR', 'CNAME']) {
    const inTheWay = await recordsets.at(call.tx, zone.id, name, type)
    // A CNAME that a user made leads on purpose elsewhere.
    if (inTheWay !== undefined && (type === 'PTR' || inTheWay.managed)) await dropIn(call, zone.id, inTheWay.id)
  }
  const { ttl, description } = wanted
  return addManaged(call, { zone_id: zone.id, name, type: 'PTR', ttl, description }, wanted.ptrdname, settings)
}

type NewSet = Pick<Recordset, 'zone_id' | 'name' | 'type' | 'ttl' | 'description'>

async function addManaged(call: Call, set: NewSet, record: string, settings: PlaceSettings): Promise<Recordset> {
  const { tx, now } = call
  const zone = (await zones.lockAny(tx, set.zone_id)) ?? fail('unavailable', 'the zone is being deleted; try again')
  const around = await recordsets.surroundings(tx, zone, set.name, set.type)
  const taken = `there is a ${set.type} at ${set.name} that leads elsewhere`
  const misplaced = around.isTaken ? taken : placementFault(set.name, set.type, around)
  if (misplaced !== undefined) fail('invalid_recordset_location', misplaced)
  const row = {
    ...set,
    id: newId(now),
    project_id: zone.project_id,
    records: [record],
    managed: 1,
    version: 1,
    created_at: timestamp(now),
    updated_at: null,
  }
  return addSet(call, zone, row, parseRecords(set.type, [record], []), settings.quotaDefaults)
}

/** The CNAME of ours that leads to a name in a classless zone, made where there is none; one that a user made will do. */
async function aliasFor(call: Call, { above, name }: FoundPlace, settings: PlaceSettings): Promise<string | null> {
  if (above === undefined) return null
  const present = await recordsets.at(call.tx, above.zone_id, above.name, 'CNAME')
  if (present !== undefined && sameName(present.records[0] ?? '.', name)) return present.managed ? present.id : null
  if (present?.managed) await dropIn(call, above.zone_id, present.id)
  const set = { zone_id: above.zone_id, name: above.name, type: 'CNAME', ttl: null, description: null }
  return (await addManaged(call, set, name, settings)).id
}

/** Takes a name away, and tells that it is on its way out until every server has dropped it. */
export async function unsetName(call: Call, name: store.ReverseName): Promise<void> {
  if (name.recordset_id === null) return
  await dropName(call, name)
  const zone = await zones.lockAny(call.tx, name.zone_id)
  if (zone !== undefined) await store.noteRemoval(call.tx, name, zone.serial)
}

/** Takes a name away and remembers nothing of it. */
export async function dropName(call: Call, name: store.ReverseName): Promise<void> {
  if (name.recordset_id !== null) await dropIn(call, name.zone_id, name.recordset_id)
  const alias = name.alias_id === null ? undefined : await recordsets.find(call.tx, name.alias_id)
  if (alias !== undefined) await dropIn(call, alias.zone_id, alias.id)
  await store.forgetName(call.tx, name.address)
}

/** Takes a set out of its zone, unless the zone is on its way out itself. */
async function dropIn(call: Call, zoneId: string, id: string): Promise<void> {
  const zone = await zones.lockAny(call.tx, zoneId)
  const set = zone && (await recordsets.get(call.tx, zoneId, id))
  if (zone !== undefined && set !== undefined) await dropSet(call, zone, set)
}
