import { notFound } from '../../api/resource.ts'
import { created, listed, noContent, type Route, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { type Tx, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Secrets } from '../../secrets.ts'
import { tsigkey, tsigkeysTopic } from './fields.ts'
import * as store from './store.ts'
import { mustBeUnused } from './users.ts'

export type TsigkeySettings = {
  readonly secrets: Secrets
}

const duplicate = (error: unknown): never => {
  if (error instanceof UniqueViolation) fail('duplicate_tsigkey', 'Duplicate TsigKey')
  throw error
}

async function mustExist(tx: Tx, owner: store.Owner): Promise<void> {
  if (await store.exists(tx, owner)) return
  const word = owner.scope.toLowerCase()
  fail(
    'invalid_tsigkey',
    `with scope ${owner.scope}, resource_id must be the id of a ${word}; none is ${owner.resource_id}`,
  )
}

const about = { resource: tsigkey } as const

export const tsigkeyRoutes = ({ secrets }: TsigkeySettings): readonly Route[] => [
  route(
    'POST /v2/tsigkeys',
    { ...about, may: 'create_tsigkey', summary: 'Add a key', returns: 'one', status: 201 },
    async (call) => {
      const { tx, now } = call
      const row = { ...tsigkey.create(call.body), id: newId(now), created_at: timestamp(now), updated_at: null }
      await mustExist(tx, row)
      await store.insert(tx, secrets, row).catch(duplicate)
      await store.askMasters(tx, row, row.created_at)
      tx.wake(tsigkeysTopic)
      return created(call, tsigkey, row)
    },
  ),

  route(
    'GET /v2/tsigkeys',
    { ...about, may: 'find_tsigkeys', summary: 'List the keys', returns: 'list', status: 200 },
    (call) => listed(call, tsigkey, { scope: [], fromRow: (row) => store.open(secrets, row) }),
  ),

  route(
    'GET /v2/tsigkeys/{tsigkey_id}',
    { ...about, may: 'get_tsigkey', summary: 'Show one', returns: 'one', status: 200 },
    async (call) =>
      shown(call, tsigkey, (await store.get(call.tx, secrets, call.params.tsigkey_id)) ?? notFound(tsigkey)),
  ),

  route(
    'PATCH /v2/tsigkeys/{tsigkey_id}',
    { ...about, may: 'update_tsigkey', summary: 'Change one', returns: 'one', status: 200 },
    async (call) => {
      const { tx, now } = call
      const row = (await store.lock(tx, secrets, call.params.tsigkey_id)) ?? notFound(tsigkey)
      const changes = tsigkey.update(call.body, tsigkey.view(row, call.profile, call.mount))
      const changed = { ...row, ...changes, updated_at: timestamp(now) }
      if (changed.scope !== row.scope || changed.resource_id !== row.resource_id) await mustExist(tx, changed)
      if (changed.scope !== 'POOL') await mustBeUnused(tx, row.id)
      await store.update(tx, secrets, changed).catch(duplicate)
      await store.askMasters(tx, changed, changed.updated_at)
      tx.wake(tsigkeysTopic)
      return shown(call, tsigkey, changed)
    },
  ),

  route(
    'DELETE /v2/tsigkeys/{tsigkey_id}',
    { ...about, may: 'delete_tsigkey', summary: 'Remove one', returns: 'nothing', status: 204 },
    async ({ tx, params }) => {
      await mustBeUnused(tx, params.tsigkey_id)
      if ((await store.remove(tx, params.tsigkey_id)) === 0) notFound(tsigkey)
      tx.wake(tsigkeysTopic)
      return noContent
    },
  ),
]
