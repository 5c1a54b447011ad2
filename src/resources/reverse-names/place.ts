import type { Caller } from '../../api/auth.ts'
import type { Call } from '../../api/route.ts'
import type { Tx } from '../../db/sql.ts'
import { isAtOrBelow, isBelow } from '../../dns/name.ts'
import { fail } from '../../errors.ts'
import type { Quotas } from '../quotas/fields.ts'
import { createZone, type ZoneSettings } from '../zones/create.ts'
import type { Zone } from '../zones/fields.ts'
import * as zones from '../zones/store.ts'
import { type Place, type Prefixes, placesOf, zoneToMake } from './rules.ts'
import * as store from './store.ts'

export type PlaceSettings = ZoneSettings & {
  /** The project that the zones belong to which the service makes. */
  readonly managedProject: string
  readonly reversePrefixes: Prefixes
}

/** Where the PTR record of an address goes; its zone is locked. */
export type FoundPlace = {
  readonly zone: Zone
  readonly name: string
  /** The zone above a classless one, where it is held here: a CNAME in it leads to the record. */
  readonly above: { readonly zone_id: string; readonly name: string } | undefined
}

const unlimited: Quotas = {
  zones: -1,
  zone_recordsets: -1,
  zone_records: -1,
  recordset_records: -1,
  api_export_size: -1,
}

/** Finds the zone that the name of an address goes to, and makes it where there is none. */
export async function findPlace(call: Call, address: string, settings: PlaceSettings): Promise<FoundPlace> {
  const { tx } = call
  const wanted = zoneToMake(address, settings.reversePrefixes)
  let found = await hosted(tx, address, wanted, settings)
  if (found.length === 0) {
    // Another may be making it: whoever waited looks again.
    await zones.lockTree(tx, wanted)
    found = await hosted(tx, address, wanted, settings)
  }
  const [nearest, ...others] = found
  if (nearest === undefined) {
    const zone = await makeZone(call, wanted, settings)
    return { zone, name: placesOf(address)[0]!.name, above: undefined }
  }
  const { place } = nearest
  if (nearest.type !== 'PRIMARY') {
    fail('bad_request', `the name belongs in ${place.zone}, a ${nearest.type} zone: it is set where that comes from`)
  }
  const zone = (await zones.lockAny(tx, nearest.id)) ?? fail('unavailable', `${place.zone} is being deleted; try again`)
  const above = others.find((other) => isBelow(place.zone, other.place.zone))
  const isAlias = above !== undefined && above.type === 'PRIMARY' && above.place.name !== place.name
  return { zone, name: place.name, above: isAlias ? { zone_id: above.id, name: above.place.name } : undefined }
}

type Hosted = store.HostedZone & { readonly place: Place }

/**
 * The zones held here that may have the name of an address, the nearest first: those of the managed project, and
 * whosever they are those that stand where one would be made, or below.
 */
async function hosted(tx: Tx, address: string, wanted: string, { managedProject }: PlaceSettings): Promise<Hosted[]> {
  const places = placesOf(address)
  const found = await store.zonesNamed(
    tx,
    places.map(({ zone }) => zone),
  )
  return places.flatMap((place) => {
    const zone = found.get(place.zone)
    const isOurs = zone !== undefined && (zone.project_id === managedProject || isAtOrBelow(place.zone, wanted))
    return isOurs ? [{ ...zone, place }] : []
  })
}

function makeZone(call: Call, name: string, settings: PlaceSettings): Promise<Zone> {
  const service: Caller = {
    user_id: call.caller.user_id,
    project_id: settings.managedProject,
    roles: new Set(['admin', 'member', 'reader']),
    allProjects: false,
    editManaged: false,
    hardDelete: false,
  }
  const body = { name, email: settings.managedEmail }
  return createZone({ ...call, caller: service, body }, { ...settings, quotaDefaults: unlimited, anyTld: true })
}
