import { type Call, type Route, route } from '../../api/route.ts'
import type { Tx } from '../../db/sql.ts'
import { type Fault, fail, refuse } from '../../errors.ts'
import type { Secrets } from '../../secrets.ts'
import { poolFor, poolToChange } from '../pools/access.ts'
import type { Tsigkey } from '../tsigkeys/fields.ts'
import * as keys from '../tsigkeys/store.ts'
import { zoneFor } from '../zones/access.ts'
import { lockTree } from '../zones/store.ts'
import { keepCatalogKey } from './catalog-key.ts'
import { type GivenCatalog, type PoolDelivery, poolDelivery, poolServers, zoneServers } from './fields.ts'
import * as store from './store.ts'
import { viewPool, viewZone } from './views.ts'

export type PoolDeliverySettings = { readonly secrets: Secrets }

export const poolDeliveryRoutes = ({ secrets }: PoolDeliverySettings): readonly Route[] => [
  route(
    'GET /v2/pools/{pool_id}/delivery',
    {
      resource: poolDelivery,
      may: 'get_pool',
      operation: 'get_pool_delivery',
      summary: 'Show when the zones of a pool count as published',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { id } = await poolFor(call)
      const settings = await store.storedOf(call.tx, id)
      return { status: 200, body: shown(settings, await keyOf(call.tx, secrets, settings)) }
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}/delivery',
    {
      resource: poolDelivery,
      may: 'update_pool',
      operation: 'update_pool_delivery',
      summary: 'Say when the zones of a pool count as published',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx } = call
      const { id } = await poolToChange(call)
      const before = await store.storedOf(tx, id)
      const { catalog_zone, ...given } = poolDelivery.update(call.body)
      const after = { ...before, ...given }
      const changed =
        catalog_zone === undefined
          ? after
          : { ...after, catalog_zone: await changeCatalog(call, secrets, before, catalog_zone) }
      await store.set(tx, id, changed)
      return { status: 200, body: shown(changed, await keyOf(tx, secrets, changed)) }
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/servers',
    {
      resource: poolServers,
      may: 'get_pool',
      operation: 'get_pool_servers',
      summary: 'Show how the servers of a pool were last seen',
      returns: 'one',
      status: 200,
      isSlow: true,
    },
    async (call) => ({ status: 200, body: await viewPool(call.tx, (await poolFor(call)).id, call.now) }),
  ),

  route(
    'GET /v2/zones/{zone_id}/servers',
    {
      resource: zoneServers,
      may: 'get_zone',
      operation: 'get_zone_servers',
      summary: 'Show what each server was last seen to have of a zone',
      returns: 'one',
      status: 200,
    },
    async (call) => ({ status: 200, body: await viewZone(call.tx, await zoneFor(call), call.now) }),
  ),
]

const keyOf = async (tx: Tx, secrets: Secrets, { catalog_zone }: store.Stored): Promise<Tsigkey | undefined> =>
  catalog_zone?.tsigkey_id ? keys.get(tx, secrets, catalog_zone.tsigkey_id) : undefined

function shown({ catalog_zone, ...rest }: store.Stored, key: Tsigkey | undefined): PoolDelivery {
  if (catalog_zone === null) return { ...rest, catalog_zone }
  const { tsigkey_id: _, ...catalog } = catalog_zone
  return {
    ...rest,
    catalog_zone: { ...catalog, catalog_zone_tsig_key: undefined, catalog_zone_tsig_algorithm: key?.algorithm ?? null },
  }
}

async function changeCatalog(
  { tx, params, now }: Call,
  secrets: Secrets,
  before: store.Stored,
  given: GivenCatalog | null,
): Promise<store.StoredCatalog | null> {
  const key = await keyOf(tx, secrets, before)
  if (given !== null) {
    refuse(catalogFaults(given, key !== undefined))
    await mustBeFree(tx, params.pool_id!, given.catalog_zone_fqdn)
  }
  const wanted = { poolId: params.pool_id!, given: given ?? undefined, before: key }
  const tsigkey_id = await keepCatalogKey(tx, secrets, wanted, now)
  if (given === null) return null
  const { catalog_zone_fqdn, catalog_zone_refresh } = given
  return { catalog_zone_fqdn, catalog_zone_refresh, tsigkey_id }
}

/** What is wrong with a catalog's parts taken together. */
function catalogFaults(given: GivenCatalog, hasKey: boolean): Fault[] {
  const { catalog_zone_fqdn: name, catalog_zone_tsig_key: key, catalog_zone_tsig_algorithm: algorithm } = given
  const keepsKey = key === undefined ? hasKey : key !== null
  const faults: Fault[] = []
  if (algorithm !== null && !keepsKey) {
    const message = 'needs a catalog_zone_tsig_key that it is the algorithm of'
    faults.push({
      path: ['catalog_zone', 'catalog_zone_tsig_algorithm'],
      message,
      validator: 'dependentRequired',
      validator_value: ['catalog_zone_tsig_key'],
    })
  }
  if (keepsKey && name.length > 160) {
    const message = `must be at most 160 characters where there is a key, which goes by this name, not ${name.length}`
    faults.push({ path: ['catalog_zone', 'catalog_zone_fqdn'], message, validator: 'maxLength', validator_value: 160 })
  }
  return faults
}

/** Refuses a name for a catalog that another zone has or is to have. */
async function mustBeFree(tx: Tx, poolId: string, name: string): Promise<void> {
  const other = await store.poolOfCatalog(tx, name)
  if (other !== undefined && other !== poolId)
    fail('duplicate_zone', `Duplicate Zone: ${name} is the catalog of pool ${other}`)
  await lockTree(tx, name)
  if (await store.hasOtherZone(tx, poolId, name))
    fail('duplicate_zone', `Duplicate Zone: there is a zone ${name} already, which cannot be a catalog too`)
}
