import type { ValuesOf } from '../../api/flat.ts'
import { type Route, route } from '../../api/route.ts'
import type { QuotaSettings } from '../quotas/routes.ts'
import { quotasOf } from '../quotas/store.ts'
import { limits } from './fields.ts'

export type LimitSettings = QuotaSettings & {
  readonly minTtl: number
  readonly maxZoneNameLength: number
  readonly maxRecordsetNameLength: number
}

export const limitRoutes = (settings: LimitSettings): readonly Route[] => [
  route(
    'GET /v2/limits',
    { resource: limits, may: 'get_limits', summary: 'Show the bounds you work within', returns: 'one', status: 200 },
    async ({ tx, caller, maxLimit }) => {
      const quotas = await quotasOf(tx, caller.project_id, settings.quotaDefaults)
      const body: ValuesOf<typeof limits> = {
        max_zones: quotas.zones,
        max_zone_recordsets: quotas.zone_recordsets,
        max_zone_records: quotas.zone_records,
        max_recordset_records: quotas.recordset_records,
        min_ttl: settings.minTtl,
        max_zone_name_length: settings.maxZoneNameLength,
        max_recordset_name_length: settings.maxRecordsetNameLength,
        max_page_limit: maxLimit,
      }
      return { status: 200, body }
    },
  ),
]
