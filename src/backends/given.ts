import { type TargetKind, targetKinds } from '../target-kinds.ts'
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

/** The options that tell where a kind of server is controlled, and which of its zones are meant. */
const places: Readonly<Record<string, readonly string[]>> = {
  bind9: ['rndc_host', 'rndc_port', 'view'],
  knot: ['socket'],
  nsd4: ['control_host', 'host', 'control_port'],
  pdns4: ['api_endpoint'],
}

/** Whether another target, with its options as they are stored, is the very same server. */
export function isSameServer(target: PoolTarget, other: { readonly type: string; readonly options: string }): boolean {
  const names = places[target.type]
  if (other.type !== target.type || names === undefined) return false
  const kind: TargetKind | undefined = targetKinds[other.type as keyof typeof targetKinds]
  const given = JSON.parse(other.options) as Record<string, unknown>
  return names.every((name) => (given[name] ?? kind?.options[name]?.preset) === target.options[name])
}
