import { type Networks, networks } from '../networks.ts'

/** What is known of a key that may sign requests. */
export type ScopedKey = { readonly name: string; readonly scope: string; readonly resource_id: string }

/** A zone that may be asked for. */
export type TransferZone = { readonly id: string; readonly pool_id: string }

/** Who may transfer the zones of one pool without a key of it. */
export type PoolRule = { readonly addresses: readonly string[]; readonly require_key: boolean }

export type AccessRules = {
  /** Whether a client may have a zone, or the holder of a key that signed its request. */
  mayTransfer(zone: TransferZone, address: string, keyName: string | undefined): boolean
  /** Whether a key is one of a zone or its pool. */
  isKeyOf(zone: TransferZone, keyName: string): boolean
}

/** Decides who may transfer which zone: holders of a key of the zone or its pool, and the addresses of the pool's rule. */
export function accessRules(given: {
  readonly pools: ReadonlyMap<string, PoolRule>
  readonly keys: readonly ScopedKey[]
}): AccessRules {
  const keys = new Map(given.keys.map((key) => [key.name, key]))
  const listed = new Map<string, Networks>()
  for (const [pool, { addresses, require_key }] of given.pools) {
    if (!require_key && addresses.length > 0) listed.set(pool, networks(addresses))
  }
  const isKeyOf = (zone: TransferZone, keyName: string) => {
    const key = keys.get(keyName)
    return key !== undefined && key.resource_id === (key.scope === 'POOL' ? zone.pool_id : zone.id)
  }
  return {
    isKeyOf,
    mayTransfer: (zone, address, keyName) =>
      // A key speaks for what it is bound to and for nothing else, wherever the request comes from.
      keyName === undefined ? (listed.get(zone.pool_id)?.has(address) ?? false) : isKeyOf(zone, keyName),
  }
}
