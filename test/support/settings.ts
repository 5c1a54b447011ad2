import type { ResourceSettings } from '../../src/resources/index.ts'
import { quotaPresets } from '../../src/resources/quotas/fields.ts'
import { staticList } from '../../src/resources/reverse-names/sources/static.ts'
import { secretsWith } from '../../src/secrets.ts'

/** What the resources are given where a test does not say otherwise. */
export const testSettings: ResourceSettings = {
  secrets: secretsWith(new Uint8Array(32).fill(7)),
  quotaDefaults: quotaPresets.nameplane,
  minTtl: 0,
  maxZoneNameLength: 255,
  maxRecordsetNameLength: 255,
  defaultTtl: 3600,
  managedEmail: 'hostmaster@example.com',
  schedulerFilters: ['default_pool'],
  allowSpecialNames: false,
  recordTypes: undefined,
  purgeAgeSeconds: 604_800,
  importMaxBytes: 64 * 1024 * 1024,
  importMaxChanges: 100_000,
  managedProject: '00000000-0000-0000-0000-000000000000',
  reversePrefixes: { ipv4: 24, ipv6: 64 },
  addressSource: staticList,
  adminApi: true,
}
