import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import type { Tx } from '../../db/sql.ts'
import { newId } from '../../ids.ts'
import { poolFor, poolToChange } from '../pools/access.ts'
import { mustDiffer } from './duplicates.ts'
import { type AlsoNotify, alsoNotify } from './fields.ts'
import * as store from './store.ts'

const about = { resource: alsoNotify } as const

const mustBeNew = async (tx: Tx, row: AlsoNotify): Promise<void> =>
  mustDiffer(row, await store.alsoNotifiesOf(tx, row.pool_id), 'duplicate_pool_also_notify', alsoNotify.label)

export const alsoNotifyRoutes = [
  route(
    'POST /v2/pools/{pool_id}/also_notifies',
    {
      ...about,
      may: 'update_pool',
      operation: 'create_pool_also_notify',
      summary: 'Add a server that is told of changes',
      returns: 'one',
      status: 201,
    },
    async (call) => {
      const { tx, now } = call
      const { id: pool_id } = await poolToChange(call)
      const made = { id: newId(now), pool_id, created_at: timestamp(now), updated_at: null }
      const row = { ...alsoNotify.create(call.body), ...made }
      await mustBeNew(tx, row)
      await store.insertAlsoNotify(tx, row)
      return created(call, alsoNotify, row)
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/also_notifies',
    {
      ...about,
      may: 'get_pool',
      operation: 'find_pool_also_notifies',
      summary: 'List those who are told of changes beside the servers of a pool',
      returns: 'list',
      status: 200,
    },
    async (call) => {
      const { id: pool_id } = await poolFor(call)
      return listed(call, alsoNotify, { only: { pool_id }, path: `/pools/${pool_id}/also_notifies` })
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/also_notifies/{also_notify_id}',
    {
      ...about,
      may: 'get_pool',
      operation: 'get_pool_also_notify',
      summary: 'Show one of those who are told of changes beside the servers of a pool',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { id } = await poolFor(call)
      return shown(
        call,
        alsoNotify,
        (await store.getAlsoNotify(call.tx, id, call.params.also_notify_id)) ?? notFound(alsoNotify),
      )
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}/also_notifies/{also_notify_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'update_pool_also_notify',
      summary: 'Change one of those who are told of changes beside the servers of a pool',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx, now } = call
      const { id } = await poolToChange(call)
      const row = (await store.getAlsoNotify(tx, id, call.params.also_notify_id)) ?? notFound(alsoNotify)
      const changes = alsoNotify.update(call.body, alsoNotify.view(row, call.profile, call.mount))
      const after = { ...row, ...changes, updated_at: timestamp(now) }
      await mustBeNew(tx, after)
      await store.updateAlsoNotify(tx, after)
      return shown(call, alsoNotify, after)
    },
  ),

  route(
    'DELETE /v2/pools/{pool_id}/also_notifies/{also_notify_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'delete_pool_also_notify',
      summary: 'Tell a server of changes no more',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      const { id } = await poolToChange(call)
      if (!(await store.removeAlsoNotify(call.tx, id, call.params.also_notify_id))) notFound(alsoNotify)
      return noContent
    },
  ),
]
