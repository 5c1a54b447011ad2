import { timestamp } from '../clock.ts'
import { type Database, sql, type Tx } from '../db/sql.ts'
import { nameToWire, sameName } from '../dns/name.ts'
import type { ResourceRecord } from '../dns/record.ts'
import { newId } from '../ids.ts'
import { type Author, commit, nextSerial } from '../journal/journal.ts'
import * as pools from '../resources/pools/store.ts'
import {
  countContent,
  insert,
  lockTree,
  markDeleted,
  treeKey,
  sameName as zonesNamed,
} from '../resources/zones/store.ts'
import { catalogRecords, memberName } from '../zonedata/catalog.ts'
import { planMembers, type WantedMembers } from './catalog-members.ts'
import {
  type CatalogRow,
  catalogOf,
  catalogRevision,
  deleteRows,
  insertRows,
  lockCatalog,
  serviceProject,
  updateSoa,
} from './catalog-rows.ts'

/** The catalog zone of a pool (RFC 9432). One that was renamed is another, and lists nothing yet. */
export type CatalogZone = Pick<CatalogRow, 'id' | 'name' | 'pool_id' | 'serial' | 'created_at'>

/** What a pool says of its catalog zone; null leaves it to the service. */
export type CatalogSettings = {
  readonly catalog_zone_fqdn: string
  readonly catalog_zone_refresh: number | null
} | null

/** Throws where the caller may not change what it is about to change any more. */
export type Fence = (tx: Tx) => Promise<void>

/** The catalog zone cannot be what it should be; the message says why, for a person. */
export class CatalogTrouble extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CatalogTrouble'
  }
}

type Store = Pick<Database, 'read' | 'write'>

const defaultParent = '.catalog.invalid.'
const author: Author = { user_id: 'nameplane', project_id: 'nameplane', request_id: 'catalog-zone' }
const [retry, expire] = [10, 2_147_483_646]
// More records than this are not listed in the journal: whoever is behind takes the whole zone.
const mostListed = 10_000

/** The catalog zone of a pool: made, given another name, or as it is. It costs one read where nothing is to be done. */
export async function ensureCatalog(
  db: Store,
  pool: { readonly id: string; readonly name: string },
  settings: CatalogSettings,
  now: Date,
  fence: Fence = async () => {},
): Promise<CatalogZone> {
  const refresh = settings?.catalog_zone_refresh ?? 60
  // A pool that is given another name keeps its catalog: its servers know that by its name.
  const isNamed = ({ name }: CatalogRow) =>
    settings === null ? name.endsWith(defaultParent) : sameName(name, settings.catalog_zone_fqdn)
  const isRight = (row: CatalogRow | undefined): row is CatalogRow =>
    row !== undefined && isNamed(row) && row.refresh === refresh
  const present = await db.read((tx) => catalogOf(tx, pool.id))
  if (isRight(present)) return present
  const names = namesFor(pool, settings)
  for (const name of names) mustBeShort(name)
  return db.write(async (tx) => {
    await fence(tx)
    await lockTree(tx, names[0]!)
    if ((await pools.lock(tx, pool.id, undefined)) === undefined) throw new CatalogTrouble('the pool is gone')
    const found = await catalogOf(tx, pool.id)
    const row = found && (await lockCatalog(tx, found.id))
    if (isRight(row)) return row
    if (row !== undefined && isNamed(row)) return changeRefresh(tx, row, refresh, now)
    if (row !== undefined) await leave(tx, row, now)
    return make(tx, { name: await freeName(tx, names), pool_id: pool.id, refresh }, now)
  })
}

/**
 * Makes a catalog list some zones and list others no more, as one change of it; returns the serial it has then. What is
 * as wanted costs nothing. A zone is listed once: whoever else has its name is listed no more.
 */
export function changeMembers(
  db: Store,
  catalog: Pick<CatalogZone, 'id' | 'name'>,
  wanted: WantedMembers,
  now: Date,
  fence: Fence,
): Promise<number> {
  return db.write(async (tx) => {
    await fence(tx)
    const row = await lockCatalog(tx, catalog.id)
    if (row === undefined) throw new CatalogTrouble(`the catalog zone ${catalog.name} is gone`)
    const { removed, added, gone } = await planMembers(tx, row, wanted)
    if (removed.length + added.length === 0) return row.serial
    const serial = nextSerial(row.serial, now)
    const at = timestamp(now)
    await deleteRows(tx, gone)
    const sets = await insertRows(tx, added, { zone_id: row.id, serial, at, now, managed: 0 })
    const grown = { sets: sets - gone.length, records: added.length - removed.length }
    const soa = (serial: number) => soaOf(row, serial)
    await commit(
      tx,
      {
        zone_id: row.id,
        from: row.serial,
        to: serial,
        removed,
        added,
        soa: { before: soa, after: soa },
        anew: removed.length + added.length > mostListed,
        set: [
          sql`recordset_count = recordset_count + ${grown.sets}, record_count = record_count + ${grown.records}`,
          sql`version = version + 1, updated_at = ${at}`,
        ],
      },
      author,
      now,
    )
    await updateSoa(tx, row, soa(serial), serial)
    await countContent(tx, { id: row.id, project_id: serviceProject }, grown)
    return serial
  })
}

/** Lets go of the catalog zone of a pool that has none any more. */
export async function dropCatalog(
  db: Store,
  poolId: string,
  now: Date = new Date(),
  fence: Fence = async () => {},
): Promise<void> {
  if ((await db.read((tx) => catalogOf(tx, poolId))) === undefined) return
  await db.write(async (tx) => {
    await fence(tx)
    const found = await catalogOf(tx, poolId)
    const row = found && (await lockCatalog(tx, found.id))
    if (row !== undefined) await leave(tx, row, now)
  })
}

async function make(
  tx: Tx,
  { name, pool_id, refresh }: Pick<CatalogRow, 'name' | 'pool_id' | 'refresh'>,
  now: Date,
): Promise<CatalogRow> {
  const [at, serial] = [timestamp(now), nextSerial(undefined, now)]
  const row = { id: newId(now), name, pool_id, serial, refresh, recordset_count: 3, record_count: 1, created_at: at }
  await insert(tx, {
    ...row,
    tree_key: treeKey(name),
    type: 'CATALOG',
    project_id: serviceProject,
    email: 'hostmaster@invalid',
    description: 'The zones of a pool, for its servers (RFC 9432)',
    ttl: 0,
    attributes: {},
    masters: [],
    shared: 0,
    primary_ns: 'invalid.',
    contact: 'invalid.',
    retry,
    expire,
    minimum: 0,
    ns_revision: catalogRevision,
    created_serial: serial,
    published_serial: 0,
    status: 'PENDING',
    status_reason: null,
    action: 'CREATE',
    version: 1,
    updated_at: null,
    transferred_at: null,
    deleted_at: null,
  })
  const [soa, ns, version] = catalogRecords(name, serial, [], { refresh, retry, expire }) as Records3
  await insertRows(tx, [soa, ns], { zone_id: row.id, serial, at, now, managed: 1 })
  await insertRows(tx, [version], { zone_id: row.id, serial, at, now, managed: 0 })
  const soaAt = (serial: number) => soaOf(row, serial)
  const change = { zone_id: row.id, from: undefined, to: serial, removed: [], added: [ns, version] }
  await commit(tx, { ...change, soa: { before: soaAt, after: soaAt } }, author, now)
  await countContent(tx, { id: row.id, project_id: serviceProject }, { zones: 1, sets: 3, records: 1 })
  return row
}

type Records3 = [ResourceRecord, ResourceRecord, ResourceRecord]

async function changeRefresh(tx: Tx, row: CatalogRow, refresh: number, now: Date): Promise<CatalogRow> {
  const after = { ...row, refresh }
  const soa = { before: (serial: number) => soaOf(row, serial), after: (serial: number) => soaOf(after, serial) }
  const set = [sql`refresh = ${refresh}, version = version + 1, updated_at = ${timestamp(now)}`]
  const change = { zone_id: row.id, from: row.serial, removed: [], added: [], soa, set }
  const serial = await commit(tx, change, author, now)
  await updateSoa(tx, row, soaOf(after, serial), serial)
  return { ...after, serial }
}

async function leave(tx: Tx, { id }: CatalogRow, now: Date): Promise<void> {
  await markDeleted(tx, id, timestamp(now), timestamp(now))
  tx.wake(id)
}

const soaOf = ({ name, refresh }: Pick<CatalogRow, 'name' | 'refresh'>, serial: number): ResourceRecord =>
  catalogRecords(name, serial, [], { refresh, retry, expire })[0]!

/** The names a pool's catalog may have, the first that is free is taken. */
function namesFor(pool: { readonly id: string; readonly name: string }, settings: CatalogSettings): string[] {
  if (settings !== null) return [settings.catalog_zone_fqdn]
  const label = pool.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const trimmed = label.replaceAll(/^-|-$/g, '') || 'pool'
  return [`${trimmed}${defaultParent}`, `${trimmed}-${pool.id.slice(-8)}${defaultParent}`]
}

async function freeName(tx: Tx, names: readonly string[]): Promise<string> {
  for (const name of names) if ((await zonesNamed(tx, name)).length === 0) return name
  throw new CatalogTrouble(
    `there is a zone ${names[0]} already: give the pool's catalog_zone another catalog_zone_fqdn`,
  )
}

/** The longest name that a catalog holds is that of a member's group. */
function mustBeShort(name: string): void {
  const longest = `group.${memberName('', 'x'.repeat(32))}`.length
  const octets = nameToWire(name).length
  if (octets + longest <= 255) return
  throw new CatalogTrouble(
    `catalog_zone_fqdn must have at most ${254 - longest} characters: names of members lie below it`,
  )
}
