import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, type Route, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFit } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import { ownZoneFor } from '../zones/access.ts'
import { type ZoneExport, zoneExport } from './fields.ts'
import { zoneFile } from './file.ts'
import * as store from './store.ts'

export type ExportSettings = {
  readonly quotaDefaults: Quotas
  /** Whether there is an admin API, which has exports of its own. */
  readonly adminApi: boolean
}

const about = { resource: zoneExport } as const

export const exportRoutes = (settings: ExportSettings): readonly Route[] => [
  route(
    'POST /v2/zones/{zone_id}/tasks/export',
    {
      ...about,
      may: 'create_zone_export',
      summary: 'Export a zone as a file',
      returns: 'one',
      status: 202,
      body: 'none',
    },
    async (call) => {
      const row = await begin(call, settings)
      return { ...created(call, zoneExport, row), status: 202 }
    },
  ),
  // Clients differ in which of the two they read under.
  ...readRoutes('exports', ''),
  ...readRoutes('export', '_singular'),
  ...(settings.adminApi ? [adminRoute] : []),
]

const adminRoute = route(
  'GET /admin/zones/export/{zone_id}',
  {
    ...about,
    may: 'get_zone_export_file',
    operation: 'admin_export_zone',
    summary: 'Fetch the zone file of a zone',
    returns: 'parts',
    answers: 'text/dns',
    status: 200,
  },
  async (call) => ({ status: 200, stream: zoneFile(call.tx, await ownZoneFor(call)) }),
)

const readRoutes = (word: 'exports' | 'export', suffix: string): Route[] => [
  route(
    `GET /v2/zones/tasks/${word}`,
    {
      ...about,
      may: 'find_zone_exports',
      operation: `find_zone_exports${suffix}`,
      summary: 'List exports',
      returns: 'list',
      status: 200,
    },
    (call) =>
      listed(call, zoneExport, {
        scope: store.visibleTo(call.caller),
        path: `/zones/tasks/${word}`,
        fromRow: (row) => zoneExport.fromRow(row),
      }),
  ),

  route(
    `GET /v2/zones/tasks/${word}/{export_id}`,
    {
      ...about,
      may: 'get_zone_export',
      operation: `get_zone_export${suffix}`,
      summary: 'Show an export',
      returns: 'one',
      status: 200,
    },
    async (call) => shown(call, zoneExport, await exportFor(call)),
  ),

  route(
    `GET /v2/zones/tasks/${word}/{export_id}/export`,
    {
      ...about,
      may: 'get_zone_export_file',
      operation: `get_zone_export_file${suffix}`,
      summary: 'Fetch the zone file, as the zone is now',
      returns: 'parts',
      answers: 'text/dns',
      status: 200,
    },
    async (call) => {
      const { zone_id, status } = await exportFor(call)
      if (status !== 'COMPLETE') fail('bad_request', 'the export is not complete')
      // The zone may belong to another project by now.
      const row = await ownZoneFor({ ...call, params: { zone_id } })
      return { status: 200, stream: zoneFile(call.tx, row) }
    },
  ),

  route(
    `DELETE /v2/zones/tasks/${word}/{export_id}`,
    {
      ...about,
      may: 'delete_zone_export',
      operation: `delete_zone_export${suffix}`,
      summary: 'Forget an export',
      returns: 'nothing',
      status: 204,
    },
    async ({ tx, params, caller }) =>
      (await store.remove(tx, params.export_id, caller)) ? noContent : notFound(zoneExport),
  ),
]

const exportFor = async ({ tx, params, caller }: Call<'export_id'>): Promise<ZoneExport> =>
  (await store.get(tx, params.export_id, caller)) ?? notFound(zoneExport)

/** Stores an export. There is no work to wait for, so it is complete once it is stored; the answer shows it as it began. */
async function begin(call: Call<'zone_id'>, { quotaDefaults }: ExportSettings): Promise<ZoneExport> {
  const { tx, caller, now } = call
  const { id: zone_id, recordset_count, project_id } = await ownZoneFor(call)
  mustFit(await quotasOf(tx, project_id, quotaDefaults), { api_export_size: recordset_count })
  const id = newId(now)
  const at = timestamp(now)
  const row: ZoneExport = {
    id,
    status: 'PENDING',
    message: null,
    location: null,
    zone_id,
    project_id: caller.project_id,
    created_at: at,
    updated_at: null,
    version: 1,
  }
  const location = `designate://v2/zones/tasks/exports/${id}/export`
  await store.insert(tx, { ...row, status: 'COMPLETE', location, updated_at: at, version: 2 })
  return row
}
