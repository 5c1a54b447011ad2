import type { Route } from '../api/route.ts'
import { blacklistRoutes } from './blacklists/routes.ts'
import { type LimitSettings, limitRoutes } from './limits/routes.ts'
import { poolTransferRoutes } from './pool-transfers/routes.ts'
import { poolRoutes } from './pools/routes.ts'
import { type QuotaSettings, quotaRoutes } from './quotas/routes.ts'
import { type RecordsetSettings, recordsetRoutes } from './recordsets/routes.ts'
import { tldRoutes } from './tlds/routes.ts'
import { type TsigkeySettings, tsigkeyRoutes } from './tsigkeys/routes.ts'
import { type ZoneRouteSettings, zoneRoutes } from './zones/routes.ts'

/** What the resources are given: each says what it needs. */
export type ResourceSettings = QuotaSettings & LimitSettings & TsigkeySettings & ZoneRouteSettings & RecordsetSettings

/** The table of contents of the API. */
export const routes = (settings: ResourceSettings): readonly Route[] => [
  ...zoneRoutes(settings),
  ...recordsetRoutes(settings),
  ...poolRoutes,
  ...poolTransferRoutes,
  ...tldRoutes,
  ...blacklistRoutes,
  ...tsigkeyRoutes(settings),
  ...quotaRoutes(settings),
  ...limitRoutes(settings),
]
