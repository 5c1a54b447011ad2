import type { Route } from '../api/route.ts'
import { type AdminSettings, adminRoutes } from './admin/routes.ts'
import { blacklistRoutes } from './blacklists/routes.ts'
import { type ExportSettings, exportRoutes } from './exports/routes.ts'
import { type ImportSettings, importRoutes } from './imports/routes.ts'
import { type LimitSettings, limitRoutes } from './limits/routes.ts'
import { poolCheckRoutes } from './pool-checks/routes.ts'
import { type PoolDeliverySettings, poolDeliveryRoutes } from './pool-delivery/routes.ts'
import { alsoNotifyRoutes } from './pool-hosts/also-notify-routes.ts'
import { nameserverRoutes } from './pool-hosts/nameserver-routes.ts'
import { type PoolTargetSettings, poolTargetRoutes } from './pool-targets/routes.ts'
import { poolTransferRoutes } from './pool-transfers/routes.ts'
import { poolRoutes } from './pools/routes.ts'
import { type QuotaSettings, quotaRoutes } from './quotas/routes.ts'
import { type RecordsetSettings, recordsetRoutes } from './recordsets/routes.ts'
import { type ReverseNameSettings, reverseNameRoutes } from './reverse-names/routes.ts'
import { serviceStatusRoutes } from './service-statuses/routes.ts'
import { shareRoutes } from './shares/routes.ts'
import { tldRoutes } from './tlds/routes.ts'
import type { TransferSettings } from './transfers/accept.ts'
import { transferRoutes } from './transfers/routes.ts'
import { type TsigkeySettings, tsigkeyRoutes } from './tsigkeys/routes.ts'
import { type ZoneRouteSettings, zoneRoutes } from './zones/routes.ts'
import { type ZoneTaskSettings, zoneTaskRoutes } from './zones/task-routes.ts'

/** What the resources are given: each says what it needs. */
export type ResourceSettings = QuotaSettings &
  LimitSettings &
  TsigkeySettings &
  PoolTargetSettings &
  PoolDeliverySettings &
  ZoneRouteSettings &
  ZoneTaskSettings &
  RecordsetSettings &
  TransferSettings &
  ImportSettings &
  ExportSettings &
  ReverseNameSettings &
  AdminSettings

/** The table of contents of the API. */
export const routes = (settings: ResourceSettings): readonly Route[] => [
  ...zoneRoutes(settings),
  ...recordsetRoutes(settings),
  ...zoneTaskRoutes(settings),
  ...shareRoutes,
  ...transferRoutes(settings),
  ...importRoutes(settings),
  ...exportRoutes(settings),
  ...reverseNameRoutes(settings),
  ...poolRoutes,
  ...poolTransferRoutes,
  ...poolTargetRoutes(settings),
  ...nameserverRoutes,
  ...alsoNotifyRoutes,
  ...poolDeliveryRoutes(settings),
  ...poolCheckRoutes,
  ...tldRoutes,
  ...blacklistRoutes,
  ...tsigkeyRoutes(settings),
  ...quotaRoutes(settings),
  ...limitRoutes(settings),
  ...serviceStatusRoutes,
  ...adminRoutes(settings),
]
