import { isDeepStrictEqual } from 'node:util'
import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, type Route, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { Secrets } from '../../secrets.ts'
import { poolFor, poolToChange } from '../pools/access.ts'
import { mustBeKeyForPools } from '../tsigkeys/users.ts'
import { poolTarget } from './fields.ts'
import { masterFaults, settle } from './options.ts'
import * as store from './store.ts'

export type PoolTargetSettings = { readonly secrets: Secrets }

const about = { resource: poolTarget } as const

export const poolTargetRoutes = ({ secrets }: PoolTargetSettings): readonly Route[] => [
  route(
    'POST /v2/pools/{pool_id}/targets',
    {
      ...about,
      may: 'update_pool',
      operation: 'create_pool_target',
      summary: 'Add a server that the zones of a pool are delivered to',
      returns: 'one',
      status: 201,
    },
    async (call) => {
      const { tx, now } = call
      const { id: pool_id } = await poolToChange(call)
      const body = poolTarget.create(call.body, ({ type, options, masters }) => [
        ...(type && options ? settle(type, options, {}).faults : []),
        ...(type && masters ? masterFaults(type, masters) : []),
      ])
      await mustBeKeyForPools(tx, body.tsigkey_id)
      const { options, secrets: hidden } = settle(body.type, body.options, {})
      const made = { id: newId(now), pool_id, created_at: timestamp(now), updated_at: null }
      const row: store.Opened = { ...body, ...made, options, secrets: hidden }
      await store.insert(tx, secrets, row)
      return created(call, poolTarget, store.shownOf(row))
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/targets',
    {
      ...about,
      may: 'get_pool',
      operation: 'find_pool_targets',
      summary: 'List the targets of a pool',
      returns: 'list',
      status: 200,
    },
    async (call) => {
      const { id: pool_id } = await poolFor(call)
      return listed(call, poolTarget, {
        only: { pool_id },
        path: `/pools/${pool_id}/targets`,
        fromRow: (row) => store.shownOf(store.open(secrets, row)),
      })
    },
  ),

  route(
    'GET /v2/pools/{pool_id}/targets/{target_id}',
    {
      ...about,
      may: 'get_pool',
      operation: 'get_pool_target',
      summary: 'Show a target',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { id } = await poolFor(call)
      const row = (await store.get(call.tx, secrets, id, call.params.target_id)) ?? notFound(poolTarget)
      return shown(call, poolTarget, store.shownOf(row))
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}/targets/{target_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'update_pool_target',
      summary: 'Change a target; options that are sent replace all but the secrets',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx, now } = call
      const { id } = await poolToChange(call)
      const row = (await store.get(tx, secrets, id, call.params.target_id)) ?? notFound(poolTarget)
      const view = poolTarget.view(store.shownOf(row), call.profile, call.mount)
      const changes = poolTarget.update(call.body, view, ({ options, masters }) => [
        ...(options ? settle(row.type, options, row.secrets).faults : []),
        ...(masters ? masterFaults(row.type, masters) : []),
      ])
      if (changes.tsigkey_id !== undefined) await mustBeKeyForPools(tx, changes.tsigkey_id)
      const settled = changes.options === undefined ? row : settle(row.type, changes.options, row.secrets)
      const { options, secrets: hidden } = settled
      const after: store.Opened = { ...row, ...changes, options, secrets: hidden, updated_at: timestamp(now) }
      const hasMoved = options.host !== row.options.host || options.port !== row.options.port
      if (isAlike(row, after)) await store.keepGiven(tx, row, after.updated_at!)
      await store.update(tx, secrets, after, hasMoved)
      return shown(call, poolTarget, store.shownOf(after))
    },
  ),

  route(
    'DELETE /v2/pools/{pool_id}/targets/{target_id}',
    {
      ...about,
      may: 'update_pool',
      operation: 'delete_pool_target',
      summary: 'Deliver to a server no more; the zones it has stay there',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      const { id } = await poolToChange(call)
      if (!(await store.remove(call.tx, id, call.params.target_id))) notFound(poolTarget)
      return noContent
    },
  ),
]

/** Whether nothing of a target changed that its zones go by. */
const isAlike = (before: store.Opened, after: store.Opened): boolean =>
  (['options', 'secrets', 'masters', 'tsigkey_id'] as const).every((name) =>
    isDeepStrictEqual(before[name], after[name]),
  )
