import { catalogDriver } from './catalog-driver.ts'
import { catalogOf } from './catalog-rows.ts'
import { type CatalogZone, dropCatalog, ensureCatalog } from './catalog-zone.ts'
import { followsCatalog, type PoolConfig, type PoolTarget } from './config.ts'
import type { Driver } from './kind.ts'
import { mustHold } from './leases.ts'
import type { PoolOptions } from './pool-options.ts'
import { toBeGivenAgain } from './rows.ts'

/** How the followers of a pool's catalog zone are given zones: one of them stands for all. */
export type PoolCatalog = CatalogZone & { readonly target: PoolTarget; readonly driver: Driver }

/** The catalog zone of a pool, where some of its targets follow one; where none does, there is none from now on. */
export async function openCatalog(
  config: PoolConfig,
  { db, clock, lease }: Pick<PoolOptions, 'db' | 'clock' | 'lease'>,
): Promise<PoolCatalog | undefined> {
  const target = config.targets.find((one) => followsCatalog(config, one))
  if (target !== undefined) {
    const catalog = await ensureCatalog(db, config, config.catalog, clock(), (tx) => mustHold(tx, lease))
    return { ...catalog, target, driver: catalogDriver({ db, clock, lease, catalog }) }
  }
  if ((await db.read((tx) => catalogOf(tx, config.id))) === undefined) return undefined
  // What servers had by the catalog they are given in their own way.
  await db.write(async (tx) => {
    await mustHold(tx, lease)
    await toBeGivenAgain(tx, config.id)
  })
  await dropCatalog(db, config.id, clock(), (tx) => mustHold(tx, lease))
  return undefined
}
