import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sql, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { addToCounts } from '../quotas/counts.ts'
import { mayChangeAll, zoneFor, zoneToChange } from '../zones/access.ts'
import type { Zone } from '../zones/fields.ts'
import { belowOf } from '../zones/store.ts'
import { type SharedZone, sharedZone } from './fields.ts'
import * as store from './store.ts'

const about = { resource: sharedZone } as const

export const shareRoutes = [
  route(
    'POST /v2/zones/{zone_id}/shares',
    { ...about, may: 'share_zone', summary: 'Share a zone with another project', returns: 'one', status: 201 },
    async (call) => {
      const { tx, now, caller } = call
      const zone = await zoneToChange(call)
      const { target_project_id } = sharedZone.create(call.body)
      if (target_project_id === zone.project_id) fail('bad_request', 'a zone cannot be shared with its own project')
      const row: SharedZone = {
        id: newId(now),
        zone_id: zone.id,
        project_id: caller.allProjects ? zone.project_id : caller.project_id,
        target_project_id,
        created_at: timestamp(now),
        updated_at: null,
      }
      await store.insert(tx, row, zone.name).catch((error: unknown) => {
        if (error instanceof UniqueViolation) fail('duplicate_shared_zone', 'Duplicate SharedZone')
        throw error
      })
      await addToCounts(tx, [{ project_id: target_project_id, what: 'shared_zones', n: 1 }], zone.id)
      const { status, body } = created(call, sharedZone, row)
      return { status, body }
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/shares',
    { ...about, may: 'find_zone_shares', summary: 'List with whom a zone is shared', returns: 'list', status: 200 },
    async (call) => {
      const zone = await zoneFor(call)
      const target = mayChangeAll(call.caller, zone) ? [] : [sql`target_project_id = ${call.caller.project_id}`]
      return listed(call, sharedZone, {
        scope: [sql`zone_id = ${zone.id}`, ...target],
        path: `/zones/${zone.id}/shares`,
      })
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/shares/{zone_share_id}',
    { ...about, may: 'get_zone_share', summary: 'Show a share', returns: 'one', status: 200 },
    async (call) => shown(call, sharedZone, await shareOf(call, await zoneFor(call))),
  ),

  route(
    'DELETE /v2/zones/{zone_id}/shares/{zone_share_id}',
    { ...about, may: 'unshare_zone', summary: 'End a share', returns: 'nothing', status: 204 },
    async (call) => {
      const { tx, now } = call
      const zone = await zoneToChange(call)
      const row = await shareOf(call, zone)
      if (await store.hasRecordsets(tx, zone.id, row.target_project_id)) {
        fail('shared_zone_has_recordsets', `project ${row.target_project_id} still has record sets in the zone`)
      }
      const child = await belowOf(tx, zone.name, row.target_project_id)
      if (child !== undefined) {
        fail('shared_zone_has_sub_zone', `project ${row.target_project_id} still has ${child.name} below the zone`)
      }
      await store.remove(tx, row, timestamp(now))
      await addToCounts(tx, [{ project_id: row.target_project_id, what: 'shared_zones', n: -1 }], zone.id)
      return noContent
    },
  ),
]

/** The share a call names; those a zone is shared with know only of their own. */
async function shareOf({ tx, params, caller }: Call<'zone_share_id'>, zone: Zone): Promise<SharedZone> {
  const row = await store.get(tx, zone.id, params.zone_share_id)
  const isTheirs = row !== undefined && (mayChangeAll(caller, zone) || row.target_project_id === caller.project_id)
  return isTheirs ? row : notFound(sharedZone)
}
