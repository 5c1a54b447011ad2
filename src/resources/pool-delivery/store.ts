import { sql, type Tx } from '../../db/sql.ts'
import { deliveryTopic } from '../pools/store.ts'

/** What a pool's servers must have shown before a zone counts as published, and the catalog that drives them. */
export type Settings = {
  readonly threshold_percentage: number
  readonly grace_seconds: number
  readonly catalog_zone: CatalogZone | null
}

export type CatalogZone = { readonly catalog_zone_fqdn: string; readonly catalog_zone_refresh: number | null }

/** Settings as they are kept: with the key that was made for the catalog. */
export type Stored = Omit<Settings, 'catalog_zone'> & { readonly catalog_zone: StoredCatalog | null }
export type StoredCatalog = CatalogZone & { readonly tsigkey_id: string | null }

const presets: Stored = { threshold_percentage: 100, grace_seconds: 300, catalog_zone: null }

export async function settingsOf(tx: Tx, poolId: string): Promise<Settings> {
  const { catalog_zone, ...rest } = await storedOf(tx, poolId)
  if (catalog_zone === null) return { ...rest, catalog_zone }
  const { catalog_zone_fqdn, catalog_zone_refresh } = catalog_zone
  return { ...rest, catalog_zone: { catalog_zone_fqdn, catalog_zone_refresh } }
}

export async function storedOf(tx: Tx, poolId: string): Promise<Stored> {
  const row = await tx.get<Omit<Stored, 'catalog_zone'> & { readonly catalog_zone: string | null }>(sql`
    select threshold_percentage, grace_seconds, catalog_zone from pool_delivery where pool_id = ${poolId}`)
  if (row === undefined) return presets
  return { ...row, catalog_zone: row.catalog_zone === null ? null : JSON.parse(row.catalog_zone) }
}

export async function set(tx: Tx, poolId: string, { threshold_percentage, grace_seconds, catalog_zone }: Stored) {
  await tx.run(sql`
    insert into pool_delivery (pool_id, threshold_percentage, grace_seconds, catalog_zone)
    values (${poolId}, ${threshold_percentage}, ${grace_seconds}, ${catalog_zone && JSON.stringify(catalog_zone)})
    on conflict (pool_id) do update set threshold_percentage = excluded.threshold_percentage,
      grace_seconds = excluded.grace_seconds, catalog_zone = excluded.catalog_zone`)
  tx.wake(deliveryTopic)
}

/** The pool whose catalog zone has this name, in any letter case. */
export async function poolOfCatalog(tx: Tx, fqdn: string): Promise<string | undefined> {
  const rows = await tx.all<{ pool_id: string; catalog_zone: string }>(sql`
    select pool_id, catalog_zone from pool_delivery where catalog_zone is not null`)
  const named = (row: { catalog_zone: string }) => (JSON.parse(row.catalog_zone) as CatalogZone).catalog_zone_fqdn
  return rows.find((row) => named(row).toLowerCase() === fqdn.toLowerCase())?.pool_id
}

/** Whether there is a zone of this name, in whatever pool, that is not the pool's catalog. */
export const hasOtherZone = async (tx: Tx, poolId: string, name: string): Promise<boolean> =>
  (await tx.get(sql`
    select 1 as one from zones
    where name_key = ${name.toLowerCase()} and deleted_at is null and (type <> 'CATALOG' or pool_id <> ${poolId})
    limit 1`)) !== undefined
