import { followsCatalog, type PoolConfig, type PoolTarget } from './config.ts'
import type { Job } from './job.ts'

export type Givers = {
  readonly config: PoolConfig
  /** The target that stands for all which follow the catalog. */
  readonly catalog: PoolTarget | undefined
  /** The targets that are given zones, by their ids. */
  readonly given: ReadonlyMap<string, unknown>
}

/** Whether a server may show what is wanted by now: it was given to the server, or, where it is no target, to some target. */
export function mayShow(job: Job, serverId: string, { config, catalog, given }: Givers): boolean {
  const target = config.targets.find(({ id }) => id === serverId)
  if (target === undefined) return given.size === 0 || given.keys().some((id) => !job.isLackingAt(id))
  return !job.isLackingAt(followsCatalog(config, target) ? (catalog?.id ?? serverId) : serverId)
}
