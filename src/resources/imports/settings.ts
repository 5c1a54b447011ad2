import type { RecordsetSettings } from '../recordsets/routes.ts'
import type { ZoneSettings } from '../zones/create.ts'

/** What doing imports needs to know. */
export type RunSettings = ZoneSettings &
  Pick<RecordsetSettings, 'recordTypes'> & {
    /** The most sets that an import may change in a zone that is there. */
    readonly importMaxChanges: number
  }

/** Those settings alone: they go to another thread, where secrets have no business. */
export const runSettings = (all: RunSettings): RunSettings => ({
  maxZoneNameLength: all.maxZoneNameLength,
  allowSpecialNames: all.allowSpecialNames,
  defaultTtl: all.defaultTtl,
  minTtl: all.minTtl,
  managedEmail: all.managedEmail,
  schedulerFilters: all.schedulerFilters,
  quotaDefaults: all.quotaDefaults,
  recordTypes: all.recordTypes,
  importMaxChanges: all.importMaxChanges,
})
