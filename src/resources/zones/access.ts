import type { Caller } from '../../api/auth.ts'
import { notFound } from '../../api/resource.ts'
import type { Call } from '../../api/route.ts'
import { fail } from '../../errors.ts'
import { type Zone, zone } from './fields.ts'
import * as store from './store.ts'

type ZoneCall = Call<'zone_id'>

/** The zone a call names, if the caller may see it: of its own project, or shared with that. */
export const zoneFor = async ({ tx, params, caller }: ZoneCall): Promise<Zone> =>
  (await store.get(tx, params.zone_id, caller)) ?? notFound(zone)

/** The id of the zone a call names, if the caller may see it, and how many record sets it has. */
export async function contentFor({ tx, params, caller }: ZoneCall): Promise<Pick<Zone, 'id' | 'recordset_count'>> {
  const values = await store.valuesOf(tx, ['id', 'recordset_count'], params.zone_id, caller)
  if (values === undefined) return notFound(zone)
  const [id, recordset_count] = values as [string, number]
  return { id, recordset_count }
}

/** The zone a call names, for what those it is shared with may not see. */
export async function ownZoneFor(call: ZoneCall): Promise<Zone> {
  const row = await zoneFor(call)
  mustOwn(call.caller, row)
  return row
}

/** The zone a call is about to add to or to change in part, locked; the caller may be one it is shared with. */
export async function zoneToAddTo(call: ZoneCall): Promise<Zone> {
  const row = await locked(call)
  mustStay(row)
  return row
}

/** The zone a call is about to change, locked; one that is being deleted cannot be changed any more. */
export async function zoneToChange(call: ZoneCall): Promise<Zone> {
  const row = await zoneToRemove(call)
  mustStay(row)
  return row
}

/** The zone a call is about to remove, locked; it may be on its way out already. */
export async function zoneToRemove(call: ZoneCall): Promise<Zone> {
  const row = await locked(call)
  mustOwn(call.caller, row)
  return row
}

/** Whether a caller who sees a zone may change all of it. */
export const mayChangeAll = ({ allProjects, project_id, roles }: Caller, { project_id: owner }: Zone): boolean =>
  allProjects || project_id === owner || roles.has('admin')

/** Refuses what would change a catalog zone: it lists the zones of a pool, and nothing else. */
export function mustNotBeCatalog({ type }: Pick<Zone, 'type'>): void {
  if (type === 'CATALOG') fail('forbidden', 'catalog zones are kept by the service: they list the zones of their pool')
}

async function locked({ tx, params, caller }: ZoneCall): Promise<Zone> {
  const row = (await store.lock(tx, params.zone_id, caller)) ?? notFound(zone)
  mustNotBeCatalog(row)
  return row
}

/** Refuses what only the project of a zone may do with it, or an administrator. */
export function mustOwn(caller: Caller, row: Zone): void {
  if (mayChangeAll(caller, row)) return
  fail('forbidden', 'the zone belongs to another project, which shares it: you may see it and add record sets to it')
}

function mustStay({ deleted_at }: Zone): void {
  if (deleted_at !== null) fail('bad_request', 'the zone is being deleted and cannot be changed')
}
