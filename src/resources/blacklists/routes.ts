import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { blacklist } from './fields.ts'
import * as store from './store.ts'

const duplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation) fail('duplicate_blacklist', 'Duplicate Blacklist')
  throw error
}

const about = { resource: blacklist } as const

export const blacklistRoutes = [
  route(
    'POST /v2/blacklists',
    { ...about, may: 'create_blacklist', summary: 'Add a pattern', returns: 'one', status: 201 },
    async (call) => {
      const { tx, now } = call
      const row = { ...blacklist.create(call.body), id: newId(now), created_at: timestamp(now), updated_at: null }
      await store.insert(tx, row).catch(duplicate)
      return created(call, blacklist, row)
    },
  ),

  route(
    'GET /v2/blacklists',
    { ...about, may: 'find_blacklists', summary: 'List the patterns', returns: 'list', status: 200 },
    (call) => listed(call, blacklist, { scope: [] }),
  ),

  route(
    'GET /v2/blacklists/{blacklist_id}',
    { ...about, may: 'get_blacklist', summary: 'Show one', returns: 'one', status: 200 },
    async (call) => shown(call, blacklist, (await store.get(call.tx, call.params.blacklist_id)) ?? notFound(blacklist)),
  ),

  route(
    'PATCH /v2/blacklists/{blacklist_id}',
    { ...about, may: 'update_blacklist', summary: 'Change one', returns: 'one', status: 200 },
    async (call) => {
      const { tx, now } = call
      const row = (await store.lock(tx, call.params.blacklist_id)) ?? notFound(blacklist)
      const changes = blacklist.update(call.body, blacklist.view(row, call.profile, call.mount))
      const changed = { ...row, ...changes, updated_at: timestamp(now) }
      await store.update(tx, changed).catch(duplicate)
      return shown(call, blacklist, changed)
    },
  ),

  route(
    'DELETE /v2/blacklists/{blacklist_id}',
    { ...about, may: 'delete_blacklist', summary: 'Take one off the list', returns: 'nothing', status: 204 },
    async ({ tx, params }) => {
      if ((await store.remove(tx, params.blacklist_id)) === 0) notFound(blacklist)
      return noContent
    },
  ),
]
