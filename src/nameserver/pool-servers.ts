import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Tx } from '../db/sql.ts'
import * as hosts from '../resources/pool-hosts/store.ts'
import * as targets from '../resources/pool-targets/store.ts'
import type { PoolRule } from './acl.ts'

/** A server of a pool, by its name or address. */
export type PoolServer = { readonly pool_id: string; readonly host: string; readonly hasKey: boolean }

/** The servers of every pool. */
export const poolServers = async (tx: Tx): Promise<PoolServer[]> => [
  ...(await targets.hosts(tx)),
  ...(await hosts.hosts(tx)),
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

/** A server of a pool, at one of its addresses. */
export type ServerAddress = PoolServer & { readonly address: string }

/** Every address of servers. */
export async function addressesOf(servers: readonly PoolServer[], known: HostAddresses): Promise<ServerAddress[]> {
  const found: ServerAddress[] = []
  for (const server of servers) {
    for (const address of await known.of(server.host)) found.push({ ...server, address })
  }
  return found
}

/** The rules of pools with the pools' own servers in them; one that was given a key must use it. */
export function withServers(rules: ReadonlyMap<string, PoolRule>, servers: readonly ServerAddress[]) {
  const all = new Map(rules)
  for (const { pool_id, address, hasKey } of servers) {
    const rule = all.get(pool_id) ?? { addresses: [], require_key: false }
    if (!hasKey) all.set(pool_id, { ...rule, addresses: [...rule.addresses, address] })
  }
  return all
}
