import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Tx } from '../db/sql.ts'
import * as hosts from '../resources/pool-hosts/store.ts'
import * as targets from '../resources/pool-targets/store.ts'
import type { PoolRule } from './acl.ts'

/** A server of a pool that may take its zones because it is one. */
export type PoolServer = { readonly pool_id: string; readonly host: string }

/** The servers of every pool that need no key; one that was given a key must use it. */
export const poolServers = async (tx: Tx): Promise<PoolServer[]> => [
  ...(await targets.hostsWithoutKey(tx)),
  ...(await hosts.hostsWithoutKey(tx)),
]

const namesKeptMilliseconds = 60_000

/** The addresses of hosts; what a name stood for is remembered for a minute, and for as long as it cannot be looked up. */
export class HostAddresses {
  readonly #known = new Map<string, { addresses: readonly string[]; at: number }>()

  async of(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    const known = this.#known.get(host)
    if (known !== undefined && performance.now() - known.at < namesKeptMilliseconds) return known.addresses
    const found = await lookup(host, { all: true }).catch(() => undefined)
    const addresses = found?.map(({ address }) => address) ?? known?.addresses ?? []
    this.#known.set(host, { addresses, at: performance.now() })
    return addresses
  }
}

/** The rules of pools with the pools' own servers in them. */
export async function withServers(
  rules: ReadonlyMap<string, PoolRule>,
  servers: readonly PoolServer[],
  addresses: HostAddresses,
): Promise<Map<string, PoolRule>> {
  const all = new Map(rules)
  for (const { pool_id, host } of servers) {
    const rule = all.get(pool_id) ?? { addresses: [], require_key: false }
    all.set(pool_id, { ...rule, addresses: [...rule.addresses, ...(await addresses.of(host))] })
  }
  return all
}
