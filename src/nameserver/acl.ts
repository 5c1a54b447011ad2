import { type Networks, networks } from '../networks.ts'

/** What is known of a key that may sign requests. */
export type ScopedKey = { readonly name: string; readonly scope: string; readonly resource_id: string }

/** Who may transfer the zones of one pool without a key of it. */
export type PoolRule = { readonly addresses: readonly string[]; readonly require_key: boolean }

export type TransferRules = { readonly pools: ReadonlyMap<string, PoolRule>; readonly keys: readonly ScopedKey[] }

/** Decides who may transfer which zone: holders of a key of the zone or its pool, and the addresses of the pool's rule. */
export function transferAcl(rules: TransferRules) {
  const keys = new Map(rules.keys.map((key) => [key.name, key]))
  const listed = new Map<string, Networks>()
  for (const [pool, { addresses, require_key }] of rules.pools) {
    if (!require_key && addresses.length > 0) listed.set(pool, networks(addresses))
  }
  return (
    zone: { readonly id: string; readonly pool_id: string },
    address: string,
    keyName: string | undefined,
  ): boolean => {
    const key = keyName === undefined ? undefined : keys.get(keyName)
    // A key speaks for what it is bound to and for nothing else, wherever the request comes from.
    if (key !== undefined) return key.resource_id === (key.scope === 'POOL' ? zone.pool_id : zone.id)
    return listed.get(zone.pool_id)?.has(address) ?? false
  }
}
