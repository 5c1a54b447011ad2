import { fault, field } from '../../api/field.ts'
import { flat } from '../../api/flat.ts'
import type { Described } from '../../api/resource.ts'
import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sql, type Tx, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { toUuid } from '../../ids.ts'
import type { SchedulerFilter } from '../../scheduler-filters.ts'
import type { Pool } from '../pools/fields.ts'
import * as pools from '../pools/store.ts'
import { authorOf } from './change.ts'
import type { Zone } from './fields.ts'
import { giveServers } from './remake.ts'
import { choosePool } from './scheduler.ts'

const body = flat(
  { name: 'pool_move', plural: 'zones', purpose: 'Where to move a zone; without a pool, the scheduler chooses.' },
  {
    pool_id: field<string, 'always'>(
      { type: 'string', format: 'uuid' },
      (value, path, faults) =>
        (typeof value === 'string' ? toUuid(value) : undefined) ??
        fault(faults, path, 'format', 'uuid', 'must be the id of a pool, a UUID'),
      { write: 'always' },
    ),
  },
)

export const poolMove: Described = { ...body, schema: { ...body.schema, create: body.schema.update! } }

export type MoveSettings = { readonly schedulerFilters: readonly SchedulerFilter[] }

/** Moves a locked zone to the pool that the body names or the scheduler chooses: it is served there, by that pool's names. */
export async function movePool(call: Call, zone: Zone, settings: MoveSettings): Promise<void> {
  const { tx, now } = call
  const pool = await targetPool(call, zone, settings)
  if (pool.ns_records.length === 0) {
    fail('no_servers_configured', `pool ${pool.name} has no ns_records, so no zone can be placed in it`)
  }
  const more = { pool_id: pool.id, version: zone.version + 1, updated_at: timestamp(now) }
  const moved =
    zone.type === 'PRIMARY'
      ? giveServers(tx, zone, pool, more, { author: authorOf(call), now })
      : placeIn(tx, zone, pool, timestamp(now))
  await moved.catch((error: unknown) => {
    if (error instanceof UniqueViolation) fail('duplicate_zone', `pool ${pool.name} has a zone of that name already`)
    throw error
  })
}

async function targetPool({ tx, caller, ...call }: Call, zone: Zone, settings: MoveSettings): Promise<Pool> {
  const { pool_id } = body.update(call.body)
  if (pool_id === undefined) {
    const chosen = await choosePool(tx, settings.schedulerFilters, { attributes: zone.attributes, caller })
    if (chosen.id === zone.pool_id) fail('bad_request', 'no valid pool: the scheduler chooses the one the zone is in')
    return chosen
  }
  if (pool_id === zone.pool_id) fail('bad_request', 'the zone is in that pool already')
  return (await pools.get(tx, pool_id, undefined)) ?? fail('bad_request', `there is no pool ${pool_id}`)
}

/** What a secondary zone holds, its serial too, comes from its masters: only its place changes. */
async function placeIn(tx: Tx, zone: Zone, pool: Pool, at: string): Promise<void> {
  await tx.run(sql`
    update zones set pool_id = ${pool.id}, ns_revision = ${pool.ns_revision}, version = version + 1, updated_at = ${at},
      changed_at = ${at}, published_serial = case when ${pool.id} in (select id from pools where delivered = 1) then 0 else published_serial end
    where id = ${zone.id}`)
  tx.wake(zone.id)
}
