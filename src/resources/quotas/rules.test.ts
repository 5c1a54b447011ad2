import { deepEqual, doesNotThrow, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../errors.ts'
import { quotaPresets } from './fields.ts'
import { mustFit, overQuota } from './rules.ts'

const quotas = { ...quotaPresets.designate, zones: 2, zone_records: -1, recordset_records: 0 }

test('[Q8] a quota may be filled to the last one and not over it', () => {
  deepEqual(overQuota(quotas, { zones: 2 }), [])
  deepEqual(overQuota(quotas, { zones: 3 }), ['zones'])
})

test('[Q8] a quota of -1 is never full, and one of 0 always is', () => {
  deepEqual(overQuota(quotas, { zone_records: Number.MAX_SAFE_INTEGER }), [])
  deepEqual(overQuota(quotas, { recordset_records: 1 }), ['recordset_records'])
})

test('[Q8] only what is asked for is compared', () => {
  deepEqual(overQuota(quotas, {}), [])
})

test('[Q8] the refusal names every quota that is exceeded, the shortest first', () => {
  const wanted = { recordset_records: 21, zone_recordsets: 501, zones: 3, api_export_size: 1 }
  throws(
    () => mustFit(quotas, wanted),
    (error: ApiError) =>
      error instanceof ApiError &&
      error.type === 'over_quota' &&
      error.status === 413 &&
      error.message === 'Quota exceeded for zones, zone_recordsets, recordset_records.',
  )
  doesNotThrow(() => mustFit(quotas, { zones: 1 }))
})
