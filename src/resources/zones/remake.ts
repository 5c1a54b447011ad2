import { isDeepStrictEqual } from 'node:util'
import { timestamp } from '../../clock.ts'
import { type Database, sql, type Tx } from '../../db/sql.ts'
import type { Author } from '../../journal/journal.ts'
import type { Pool } from '../pools/fields.ts'
import * as pools from '../pools/store.ts'
import { changeZone, type ZoneChange } from './change.ts'
import type { Zone } from './fields.ts'
import { nsRecords, serverNames } from './managed.ts'
import { recordsetAtApex, updateRecordset } from './recordset-rows.ts'
import * as store from './store.ts'

const service: Author = { user_id: 'nameplane', project_id: 'nameplane', request_id: 'name-servers-changed' }
const batch = 50

/** A pool some of whose zones still name its former servers. */
export type Behind = { readonly pool: Pool; readonly left: number }

/** The pools whose zones have not all followed a change of their name servers yet. */
export function behind(db: Database): Promise<Behind[]> {
  return db.read(async (tx) => {
    const found: Behind[] = []
    for (const pool of await pools.all(tx)) {
      const row = await tx.get<{ n: number }>(sql`
        select count(*) as n from zones where pool_id = ${pool.id} and ns_revision < ${pool.ns_revision} and deleted_at is null`)
      if (row!.n > 0) found.push({ pool, left: row!.n })
    }
    return found
  })
}

/**
 * Makes the NS and SOA of some zones of a pool anew; tells how many it looked at, none when all are done.
 * Each batch is a transaction of its own: other writers get their turn, and a crash loses only the batch.
 */
export function remakeSome(db: Database, poolId: string, now: Date): Promise<number> {
  return db.write(async (tx) => {
    const pool = await pools.get(tx, poolId, undefined)
    if (pool === undefined) return 0
    const rows = await tx.all<{ id: string }>(sql`
      select id from zones where pool_id = ${pool.id} and ns_revision < ${pool.ns_revision} and deleted_at is null
      order by ns_revision, id limit ${batch}`)
    for (const { id } of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      const zone = await store.lockAny(tx, id)
      if (zone !== undefined && zone.ns_revision < pool.ns_revision) await remake(tx, zone, pool, now)
    }
    return rows.length
  })
}

async function remake(tx: Tx, zone: Zone, pool: Pool, now: Date): Promise<void> {
  const [servers, set] = [serverNames(pool), await recordsetAtApex(tx, zone, 'NS')]
  const isSame = isDeepStrictEqual(set?.records, servers) && zone.primary_ns === servers[0]
  if (zone.type === 'PRIMARY' && !isSame) await giveServers(tx, zone, pool, {}, { author: service, now })
  else await tx.run(sql`update zones set ns_revision = ${pool.ns_revision} where id = ${zone.id}`)
}

/** Gives a locked primary zone the name servers of a pool, with one change; `more` is what else changes in its row. */
export async function giveServers(
  tx: Tx,
  zone: Zone,
  pool: Pool,
  more: NonNullable<ZoneChange['zone']>,
  { author, now }: { readonly author: Author; readonly now: Date },
): Promise<Zone> {
  const set = await recordsetAtApex(tx, zone, 'NS')
  if (set === undefined) throw new Error(`zone ${zone.id} has no NS set at its top`)
  const servers = serverNames(pool)
  const removed = nsRecords(
    zone,
    set.records.filter((name) => !servers.includes(name)),
  )
  const added = nsRecords(
    zone,
    servers.filter((name) => !set.records.includes(name)),
  )
  const update = { ...more, ns_revision: pool.ns_revision, primary_ns: servers[0]! }
  const after = await changeZone(tx, zone, { removed, added, zone: update }, author, now)
  const findable = servers.map((data) => ({ data, canonical: null }))
  const remade = {
    ...set,
    records: servers,
    serial: after.serial,
    version: set.version + 1,
    updated_at: timestamp(now),
  }
  await updateRecordset(tx, remade, findable)
  return after
}
