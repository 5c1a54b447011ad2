/** The ways to narrow down which pool a new zone goes to. */
export const schedulerFilters = [
  'default_pool',
  'attribute',
  'pool_id_attribute',
  'random',
  'fallback',
  'in_doubt_default_pool',
] as const

export type SchedulerFilter = (typeof schedulerFilters)[number]
