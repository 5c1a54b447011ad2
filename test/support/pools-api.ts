import { equal } from 'node:assert/strict'
import type { NewStore, Problem, Shown } from './api.ts'
import { startZonesApi, type ZonesApi } from './zones-api.ts'

/** The service with a client that knows pools and what they have. */
export type PoolsApi = ZonesApi & {
  /** Creates a pool and expects it to work; returns its path. */
  newPool(headers?: Record<string, string>): Promise<string>
  /** Adds to one of a pool's collections and expects it to work. */
  add(pool: string, collection: string, body?: object): Promise<Shown>
  /** Adds a TSIG key to a pool and returns its id. */
  newKey(pool: string, more?: object): Promise<string>
  /** The status and type of a refusal, and the paths of its faults. */
  faults(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<[number, string, string[]]>
}

let made = 0

export async function startPoolsApi(newStore: NewStore): Promise<PoolsApi> {
  const api = await startZonesApi(newStore, { schedulerFilters: ['pool_id_attribute', 'in_doubt_default_pool'] })
  const added = async (path: string, body: object, headers = {}) => {
    const answer = await api.post(path, body, headers)
    equal(answer.status, 201, answer.text)
    return answer.body
  }
  return {
    ...api,
    async newPool(headers = {}) {
      made += 1
      const ns_records = [{ hostname: 'ns1.example.org.', priority: 1 }]
      return `/v2/pools/${(await added('/v2/pools', { name: `pool ${made}`, ns_records }, headers)).id}`
    },
    add: (pool, collection, body = {}) => added(`${pool}/${collection}`, body),
    async newKey(pool, more = {}) {
      made += 1
      const owner = { scope: 'POOL', resource_id: pool.split('/').at(-1) }
      const key = { name: `key-${made}.`, algorithm: 'hmac-sha256', secret: 'c2VjcmV0', ...owner, ...more }
      return (await added('/v2/tsigkeys', key)).id
    },
    async faults(method, path, body) {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await api.call<Problem>(method, path, { headers, body })
      const paths = answer.body.errors?.errors.map((fault) => fault.path.join('/')) ?? []
      return [answer.status, answer.body.type, paths]
    },
  }
}
