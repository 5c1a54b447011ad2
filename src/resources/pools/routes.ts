import { isDeepStrictEqual } from 'node:util'
import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, printed, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sql, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { removeOf as removeKeysOf } from '../tsigkeys/store.ts'
import { userElsewhere } from '../tsigkeys/users.ts'
import { poolToChange, projectOf } from './access.ts'
import { defaultPoolId, pool, poolTopic } from './fields.ts'
import { mustBeServable } from './rules.ts'
import { forgetServers } from './servers.ts'
import * as store from './store.ts'

const duplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation) fail('duplicate_pool', 'Duplicate Pool')
  throw error
}

const about = { resource: pool } as const

export const poolRoutes = [
  route(
    'POST /v2/pools',
    { ...about, may: 'create_pool', summary: 'Create a pool', returns: 'one', status: 201 },
    async (call) => {
      const { tx, now, caller } = call
      const row = {
        ...pool.create(call.body),
        id: newId(now),
        project_id: caller.project_id,
        ns_revision: 1,
        created_at: timestamp(now),
        updated_at: null,
      }
      mustBeServable(row.ns_records, [])
      await store.insert(tx, row).catch(duplicate)
      return created(call, pool, row)
    },
  ),

  route(
    'GET /v2/pools',
    { ...about, may: 'find_pools', summary: 'List pools', returns: 'list', status: 200 },
    (call) => {
      const project = projectOf(call.caller)
      const scope = project === undefined ? [] : [sql`(project_id = ${project} or project_id is null)`]
      return listed(call, pool, { scope })
    },
  ),

  route(
    'GET /v2/pools/{pool_id}',
    { ...about, may: 'get_pool', summary: 'Show a pool', returns: 'one', status: 200 },
    async (call) => {
      const { columns } = pool.alone(call.profile)
      const values = await store.valuesOf(call.tx, columns, call.params.pool_id, projectOf(call.caller))
      return values === undefined ? notFound(pool) : printed(call, pool, values)
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}',
    {
      ...about,
      may: 'update_pool',
      summary: 'Change a pool; a field that is sent replaces the stored one whole',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx, now, profile } = call
      const row = await poolToChange(call)
      const changes = pool.update(call.body, pool.view(row, profile, call.mount))
      const ns_revision =
        row.ns_revision + (isDeepStrictEqual(changes.ns_records ?? row.ns_records, row.ns_records) ? 0 : 1)
      const changed = { ...row, ...changes, ns_revision, updated_at: timestamp(now) }
      mustBeServable(changed.ns_records, row.ns_records)
      await store.update(tx, changed).catch(duplicate)
      if (ns_revision !== row.ns_revision) tx.wake(poolTopic)
      return shown(call, pool, changed, profile.poolUpdatedStatus)
    },
  ),

  route(
    'DELETE /v2/pools/{pool_id}',
    { ...about, may: 'delete_pool', summary: 'Delete a pool that holds no zones', returns: 'nothing', status: 204 },
    async (call) => {
      const { tx, now } = call
      const row = await poolToChange(call)
      if (row.id === defaultPoolId) fail('invalid_operation', 'the default pool cannot be deleted')
      if (await store.holdsZones(tx, row.id))
        fail('invalid_operation', 'the pool still holds zones; move or delete them first')
      const keys = { scope: 'POOL', resource_id: row.id } as const
      const user = await userElsewhere(tx, keys)
      if (user !== undefined) fail('invalid_operation', `${user} signs with a TSIG key of this pool`)
      await removeKeysOf(tx, keys)
      await forgetServers(tx, row.id)
      await store.remove(tx, row.id, timestamp(now))
      return noContent
    },
  ),
]
