import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import type { Tx } from '../../db/sql.ts'
import { newId } from '../../ids.ts'
import { poolFor, poolToChange } from '../pools/access.ts'
import { mustBeKeyForPools } from '../tsigkeys/users.ts'
import { mustDiffer } from './duplicates.ts'
import { type Nameserver, nameserver } from './fields.ts'
import * as store from './store.ts'

const about = { resource: nameserver } as const

const mustBeNew = async (tx: Tx, row: Nameserver): Promise<void> =>
  mustDiffer(row, await store.nameserversOf(tx, row.pool_id), 'duplicate_pool_nameserver', nameserver.label)

export const nameserverRoutes = [
  route(
    'POST /v2/pools/{pool_id}/nameservers',
    {
      ...about,
      may: 'update_pool',
      operation: 'create_pool_nameserver',
      summary: 'Add a server that is asked for proof',
      returns: 'one',
      status: 201,
    },
    async (call) => {
      const { tx, now } = call
      const { id: pool_id } = await poolToChange(call)
      const made = { id: newId(now), pool_id, created_at: timestamp(now), updated_at: null }
      const row = { ...nameserver.create(call.body), ...made }
      await mustBeKeyForPools(tx, row.tsigkey_id)
      await mustBeNew(tx, row)
      await store.insertNameserver(tx, row)
      return created(call, nameserver, row)
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/nameservers',
    {
      ...about,
      may: 'get_pool',
      operation: 'find_pool_nameservers',
      summary: 'List the servers of a pool that are asked for proof',
      returns: 'list',
      status: 200,
    },
    async (call) => {
      const { id: pool_id } = await poolFor(call)
      return listed(call, nameserver, { only: { pool_id }, path: `/pools/${pool_id}/nameservers` })
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/nameservers/{nameserver_id}',
    {
      ...about,
      may: 'get_pool',
      operation: 'get_pool_nameserver',
      summary: 'Show one of the servers of a pool that are asked for proof',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { id } = await poolFor(call)
      return shown(
        call,
        nameserver,
        (await store.getNameserver(call.tx, id, call.params.nameserver_id)) ?? notFound(nameserver),
      )
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}/nameservers/{nameserver_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'update_pool_nameserver',
      summary: 'Change one of the servers of a pool that are asked for proof',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx, now } = call
      const { id } = await poolToChange(call)
      const row = (await store.getNameserver(tx, id, call.params.nameserver_id)) ?? notFound(nameserver)
      const changes = nameserver.update(call.body, nameserver.view(row, call.profile, call.mount))
      if (changes.tsigkey_id !== undefined) await mustBeKeyForPools(tx, changes.tsigkey_id)
      const after = { ...row, ...changes, updated_at: timestamp(now) }
      await mustBeNew(tx, after)
      await store.updateNameserver(tx, after, after.host !== row.host || after.port !== row.port)
      return shown(call, nameserver, after)
    },
  ),

  route(
    'DELETE /v2/pools/{pool_id}/nameservers/{nameserver_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'delete_pool_nameserver',
      summary: 'Ask a server for proof no more',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      const { id } = await poolToChange(call)
      if (!(await store.removeNameserver(call.tx, id, call.params.nameserver_id))) notFound(nameserver)
      return noContent
    },
  ),
]
