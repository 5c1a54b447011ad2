import { toUuid } from '../ids.ts'
import { Trouble } from '../trouble.ts'
import { type Client, openClient, Refusal } from './client.ts'
import type { NsRecord } from './pools-file.ts'
import type { HostPort } from './pools-read.ts'
import type { TargetOptions } from './pools-targets.ts'

export type PoolView = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly attributes: Readonly<Record<string, string>> | null
  readonly ns_records: readonly NsRecord[]
}
export type TargetView = {
  readonly id: string
  readonly type: string
  readonly description: string | null
  readonly tsigkey_id: string | null
  readonly masters: readonly HostPort[]
  readonly options: TargetOptions
  readonly secrets_set: readonly string[]
}
export type ServerView = HostPort & { readonly id: string }
export type NameserverView = ServerView & { readonly tsigkey_id: string | null }
export type DeliveryView = {
  readonly threshold_percentage: number
  readonly grace_seconds: number
  readonly catalog_zone: { readonly catalog_zone_fqdn: string; readonly catalog_zone_refresh: number | null } | null
}
export type KeyView = { readonly id: string; readonly algorithm: string; readonly secret: string }

/** All that the service knows of how a pool is served. */
export type PoolState = {
  readonly pool: PoolView
  readonly targets: readonly TargetView[]
  readonly nameservers: readonly NameserverView[]
  readonly also_notifies: readonly ServerView[]
  readonly delivery: DeliveryView
  /** The key of the catalog zone, which has its name. */
  readonly catalogKey: KeyView | undefined
}

/** A client that sees the pools of all projects. */
export const openPools = (url: string | undefined): Client =>
  openClient(url, process.env, { 'X-Auth-All-Projects': 'true' })

/** Every pool, oldest first. */
export const allPools = (client: Client): Promise<PoolView[]> => listAll<PoolView>(client, '/v2/pools', 'pools')

/** The pools of these names or ids, each once; all pools where none is named. */
export async function namedPools(client: Client, words: readonly string[]): Promise<PoolView[]> {
  const pools = await allPools(client)
  if (words.length === 0) return pools
  const found = words.map((word) => {
    const id = toUuid(word)
    return pools.find((pool) => pool.id === id) ?? pools.find((pool) => pool.name === word) ?? word
  })
  const missing = found.filter((one) => typeof one === 'string')
  if (missing.length > 0) {
    const known = pools.map(({ name }) => name).join(', ')
    throw new Trouble(missing.map((word) => `there is no pool ${JSON.stringify(word)}; there are ${known}`).join('\n'))
  }
  return [...new Set(found as PoolView[])]
}

/** Asks for all that belongs to a pool. */
export async function stateOf(client: Client, pool: PoolView): Promise<PoolState> {
  const below = `/v2/pools/${pool.id}`
  const [targets, nameservers, also_notifies, delivery] = await Promise.all([
    listAll<TargetView>(client, `${below}/targets`, 'targets'),
    listAll<NameserverView>(client, `${below}/nameservers`, 'nameservers'),
    listAll<ServerView>(client, `${below}/also_notifies`, 'also_notifies'),
    client.json<DeliveryView>('GET', `${below}/delivery`),
  ])
  const fqdn = delivery.catalog_zone?.catalog_zone_fqdn
  const catalogKey = fqdn === undefined ? undefined : await keyNamed(client, fqdn)
  return { pool, targets, nameservers, also_notifies, delivery, catalogKey }
}

/** What a TSIG key is for; undefined where there is none. */
export async function keyScope(client: Client, id: string): Promise<string | undefined> {
  try {
    return (await client.json<{ scope: string }>('GET', `/v2/tsigkeys/${id}`)).scope
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  }
}

async function keyNamed(client: Client, name: string): Promise<KeyView | undefined> {
  const { tsigkeys } = await client.json<{ tsigkeys: KeyView[] }>(
    'GET',
    `/v2/tsigkeys?name=${encodeURIComponent(name)}`,
  )
  return tsigkeys[0]
}

const mostPages = 10_000

async function listAll<T>(client: Client, path: string, plural: string): Promise<T[]> {
  const found: T[] = []
  let query = '?sort_key=created_at&limit=1000'
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.json<{ links: { next?: string } } & Record<string, T[]>>('GET', path + query)
    found.push(...(answer[plural] ?? []))
    if (answer.links.next === undefined) return found
    // Only what it asks for: the service may know itself by another address than we do.
    query = new URL(answer.links.next).search
  }
  throw new Trouble(`${client.url}${path} does not end`)
}
