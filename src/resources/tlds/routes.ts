import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { tld } from './fields.ts'
import * as store from './store.ts'

const duplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation) fail('duplicate_tld', 'Duplicate Tld')
  throw error
}

const about = { resource: tld } as const

export const tldRoutes = [
  route(
    'POST /v2/tlds',
    { ...about, may: 'create_tld', summary: 'Allow a top-level name', returns: 'one', status: 201 },
    async (call) => {
      const { tx, now } = call
      const row = { ...tld.create(call.body), id: newId(now), created_at: timestamp(now), updated_at: null }
      await store.insert(tx, row).catch(duplicate)
      return created(call, tld, row)
    },
  ),

  route(
    'GET /v2/tlds',
    { ...about, may: 'find_tlds', summary: 'List the allowed top-level names', returns: 'list', status: 200 },
    (call) => listed(call, tld, { scope: [] }),
  ),

  route(
    'GET /v2/tlds/{tld_id}',
    { ...about, may: 'get_tld', summary: 'Show one', returns: 'one', status: 200 },
    async (call) => shown(call, tld, (await store.get(call.tx, call.params.tld_id)) ?? notFound(tld)),
  ),

  route(
    'PATCH /v2/tlds/{tld_id}',
    { ...about, may: 'update_tld', summary: 'Change one', returns: 'one', status: 200 },
    async (call) => {
      const { tx, now } = call
      const row = (await store.lock(tx, call.params.tld_id)) ?? notFound(tld)
      const changes = tld.update(call.body, tld.view(row, call.profile, call.mount))
      const changed = { ...row, ...changes, updated_at: timestamp(now) }
      await store.update(tx, changed).catch(duplicate)
      return shown(call, tld, changed)
    },
  ),

  route(
    'DELETE /v2/tlds/{tld_id}',
    { ...about, may: 'delete_tld', summary: 'Take one off the list', returns: 'nothing', status: 204 },
    async ({ tx, params }) => {
      if ((await store.remove(tx, params.tld_id)) === 0) notFound(tld)
      return noContent
    },
  ),
]
