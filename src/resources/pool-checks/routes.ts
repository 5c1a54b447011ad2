import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { poolFor, poolToChange } from '../pools/access.ts'
import { type PoolCheck, poolCheck } from './fields.ts'
import * as store from './store.ts'

const about = { resource: poolCheck } as const

export const poolCheckRoutes = [
  route(
    'POST /v2/pools/{pool_id}/checks',
    {
      ...about,
      may: 'update_pool',
      operation: 'create_pool_check',
      summary: 'Ask for a look at every server of a pool',
      returns: 'one',
      status: 202,
      body: 'optional',
    },
    async (call) => {
      const { tx, now } = call
      const { id: pool_id } = await poolToChange(call)
      const row: PoolCheck = {
        ...poolCheck.create(call.body),
        id: newId(now),
        pool_id,
        status: 'PENDING',
        zones_checked: 0,
        findings: [],
        created_at: timestamp(now),
        updated_at: null,
      }
      await store.insert(tx, row)
      return { ...created(call, poolCheck, row), status: 202 }
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/checks',
    {
      ...about,
      may: 'get_pool',
      operation: 'find_pool_checks',
      summary: 'List the last checks of a pool',
      returns: 'list',
      status: 200,
    },
    async (call) => {
      const { id: pool_id } = await poolFor(call)
      return listed(call, poolCheck, { only: { pool_id }, path: `/pools/${pool_id}/checks` })
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/checks/{check_id}',
    {
      ...about,
      may: 'get_pool',
      operation: 'get_pool_check',
      summary: 'Show a check and what it found',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { id } = await poolFor(call)
      return shown(call, poolCheck, (await store.get(call.tx, id, call.params.check_id)) ?? notFound(poolCheck))
    },
  ),

  route(
    'DELETE /v2/pools/{pool_id}/checks/{check_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'delete_pool_check',
      summary: 'Forget a check',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      const { id } = await poolToChange(call)
      if (!(await store.remove(call.tx, id, call.params.check_id))) notFound(poolCheck)
      return noContent
    },
  ),
]
