import { type Row, sql, type Tx } from '../db/sql.ts'
import type { TsigAlgorithm, TsigKey } from '../dns/tsig.ts'
import type { Server } from '../exchange/server.ts'
import { settingsOf } from '../resources/pool-delivery/store.ts'
import { alsoNotifiesOf, nameserversOf } from '../resources/pool-hosts/store.ts'
import { allOf as targetsOf } from '../resources/pool-targets/store.ts'
import { keyById } from '../resources/tsigkeys/store.ts'
import type { Secrets } from '../secrets.ts'
import type { HostPort, Target } from './kind.ts'

/** A server that is asked for proof. */
export type ProofServer = Server & { readonly id: string; readonly role: 'nameserver' | 'target' }

/** A target with when it or its key was last changed: zones that were given to it earlier are given to it again. */
export type PoolTarget = Target & { readonly changedAt: string }

/** All that delivering a pool goes by. */
export type PoolConfig = {
  readonly id: string
  readonly name: string
  readonly targets: readonly PoolTarget[]
  readonly servers: readonly ProofServer[]
  /** Who is told of changes beside the targets. */
  readonly alsoNotify: readonly HostPort[]
  /** How many servers must show a serial for it to count as published. */
  readonly threshold: number
  readonly graceMilliseconds: number
  /** The catalog zone as the pool's settings have it; null where they do not name one. */
  readonly catalog: { readonly catalog_zone_fqdn: string; readonly catalog_zone_refresh: number | null } | null
}

/** The pools that other servers than the built-in one answer for. */
export async function deliveredPools(tx: Tx, secrets: Secrets): Promise<PoolConfig[]> {
  const pools = await tx.all<{ id: string; name: string }>(sql`
    select id, name from pools where delivered = 1 order by id`)
  const configs: PoolConfig[] = []
  for (const pool of pools) configs.push(await configOf(tx, secrets, pool))
  return configs
}

async function configOf(tx: Tx, secrets: Secrets, pool: { id: string; name: string }): Promise<PoolConfig> {
  const keys = new Map<string, TsigKey | undefined>()
  const keyOf = async (id: string | null): Promise<TsigKey | undefined> => {
    if (id === null) return undefined
    if (!keys.has(id)) {
      const key = await keyById(tx, secrets, id)
      keys.set(id, key && { name: key.name, algorithm: key.algorithm as TsigAlgorithm, secret: key.secret })
    }
    return keys.get(id)
  }
  const changedAt = new Map(
    (
      await tx.all<Row & { id: string; at: string; key_at: string }>(sql`
      select t.id, coalesce(t.updated_at, t.created_at) as at, coalesce(k.updated_at, '') as key_at
      from pool_targets t left join tsigkeys k on k.id = t.tsigkey_id where t.pool_id = ${pool.id}`)
    ).map(({ id, at, key_at }) => [id, at > key_at ? at : key_at]),
  )
  const targets: PoolTarget[] = []
  for (const { tsigkey_id, ...target } of await targetsOf(tx, secrets, pool.id)) {
    targets.push({ ...target, key: await keyOf(tsigkey_id), changedAt: changedAt.get(target.id) ?? '' })
  }
  const nameservers: ProofServer[] = []
  for (const { tsigkey_id, ...server } of await nameserversOf(tx, pool.id)) {
    nameservers.push({ ...server, role: 'nameserver', key: await keyOf(tsigkey_id) })
  }
  const servers = nameservers.length > 0 ? nameservers : targets.map(proofOf)
  const { threshold_percentage, grace_seconds, catalog_zone } = await settingsOf(tx, pool.id)
  return {
    ...pool,
    targets,
    servers,
    alsoNotify: await alsoNotifiesOf(tx, pool.id),
    threshold: Math.max(1, Math.ceil((servers.length * threshold_percentage) / 100)),
    graceMilliseconds: grace_seconds * 1000,
    catalog: catalog_zone,
  }
}

const proofOf = (target: PoolTarget): ProofServer => ({
  id: target.id,
  role: 'target',
  ...addressOf(target),
  key: target.key,
})

/** Where a target answers DNS, and is told of changes. */
export const addressOf = ({ options }: Target): HostPort => ({
  host: String(options.host),
  port: Number(options.port),
})

/** Whether a target takes zones from the pool's catalog zone: it says so, or the pool does for all. */
export const followsCatalog = ({ catalog }: PoolConfig, { type }: Target): boolean =>
  catalog !== null || type === 'catalog'

/** A host and port as people write them. */
export const placeText = ({ host, port }: HostPort): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The target of an id that the pool has. */
export const targetOf = ({ targets }: PoolConfig, id: string): PoolTarget => targets.find((target) => target.id === id)!
