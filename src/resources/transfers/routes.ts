import type { Caller } from '../../api/auth.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, type Reply, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sql, UniqueViolation } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { zoneToChange } from '../zones/access.ts'
import { accept, type TransferSettings } from './accept.ts'
import { type TransferRequest, transferAccept, transferRequest } from './fields.ts'
import { newKey } from './key.ts'
import * as store from './store.ts'

const aboutRequests = { resource: transferRequest } as const
const aboutAccepts = { resource: transferAccept } as const

export const transferRoutes = (settings: TransferSettings) => [
  route(
    'POST /v2/zones/{zone_id}/tasks/transfer_requests',
    {
      ...aboutRequests,
      may: 'create_zone_transfer_request',
      summary: 'Offer a zone to another project, or to whoever has the key',
      body: 'optional',
      returns: 'one',
      status: 201,
    },
    async (call) => {
      const { tx, now, caller } = call
      const zone = await zoneToChange(call)
      const row: TransferRequest = {
        ...transferRequest.create(call.body),
        id: newId(now),
        zone_id: zone.id,
        project_id: caller.allProjects ? zone.project_id : caller.project_id,
        key: newKey(),
        status: 'ACTIVE',
        zone_name: zone.name,
        created_at: timestamp(now),
        updated_at: null,
      }
      await store.insertRequest(tx, row).catch((error: unknown) => {
        if (error instanceof UniqueViolation) fail('duplicate_zone_transfer_request', 'Duplicate ZoneTransferRequest')
        throw error
      })
      return created(call, transferRequest, row)
    },
  ),

  route(
    'GET /v2/zones/tasks/transfer_requests',
    {
      ...aboutRequests,
      may: 'find_zone_transfer_requests',
      summary: 'List the offers of your zones, and those made to you',
      returns: 'list',
      status: 200,
    },
    (call) => {
      const { allProjects, project_id } = call.caller
      const toThem = sql`target_project_id = ${project_id} and project_id <> ${project_id}`
      return listed(call, transferRequest, {
        scope: allProjects ? [] : [sql`project_id = ${project_id}`],
        ...(!allProjects && { also: { scope: [toThem] } }),
        path: '/zones/tasks/transfer_requests',
        fromRow: (row) => seenBy(call.caller, row as TransferRequest),
      })
    },
  ),

  route(
    'GET /v2/zones/tasks/transfer_requests/{zone_transfer_request_id}',
    { ...aboutRequests, may: 'get_zone_transfer_request', summary: 'Show an offer', returns: 'one', status: 200 },
    async (call) => {
      const row = (await store.getRequest(call.tx, call.params.zone_transfer_request_id)) ?? notFound(transferRequest)
      if (!isOwner(call.caller, row) && ![null, call.caller.project_id].includes(row.target_project_id)) {
        fail('forbidden', 'the zone is offered to another project')
      }
      return shownRequest(call, row)
    },
  ),

  route(
    'PATCH /v2/zones/tasks/transfer_requests/{zone_transfer_request_id}',
    { ...aboutRequests, may: 'update_zone_transfer_request', summary: 'Change an offer', returns: 'one', status: 200 },
    async (call) => {
      const row = await ownRequest(call)
      const changes = transferRequest.update(call.body, transferRequest.view(row, call.profile, call.mount))
      const changed = { ...row, ...changes, updated_at: timestamp(call.now) }
      if (row.status !== 'ACTIVE' && changed.target_project_id !== row.target_project_id) {
        fail('invalid_zone_transfer_request', 'Zone Transfer Request has been used')
      }
      await store.updateRequest(call.tx, changed)
      return shownRequest(call, changed)
    },
  ),

  route(
    'DELETE /v2/zones/tasks/transfer_requests/{zone_transfer_request_id}',
    {
      ...aboutRequests,
      may: 'delete_zone_transfer_request',
      summary: 'Take an offer back',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      await store.removeRequest(call.tx, (await ownRequest(call)).id)
      return noContent
    },
  ),

  route(
    'POST /v2/zones/tasks/transfer_accepts',
    {
      ...aboutAccepts,
      may: 'create_zone_transfer_accept',
      summary: 'Take over a zone with the key of its offer',
      returns: 'one',
      status: 201,
    },
    async (call) => created(call, transferAccept, await accept(call, settings)),
  ),

  route(
    'GET /v2/zones/tasks/transfer_accepts',
    {
      ...aboutAccepts,
      may: 'find_zone_transfer_accepts',
      summary: 'List the zones taken over',
      returns: 'list',
      status: 200,
    },
    (call) =>
      listed(call, transferAccept, {
        scope: call.caller.allProjects ? [] : [sql`project_id = ${call.caller.project_id}`],
        path: '/zones/tasks/transfer_accepts',
      }),
  ),

  route(
    'GET /v2/zones/tasks/transfer_accepts/{transfer_accept_id}',
    { ...aboutAccepts, may: 'get_zone_transfer_accept', summary: 'Show a take-over', returns: 'one', status: 200 },
    async (call) => {
      const { allProjects, project_id } = call.caller
      const row = await store.getAccept(call.tx, call.params.transfer_accept_id)
      if (row === undefined || (!allProjects && row.project_id !== project_id)) return notFound(transferAccept)
      return shown(call, transferAccept, row)
    },
  ),
]

const isOwner = ({ roles, project_id }: Caller, row: TransferRequest): boolean =>
  roles.has('admin') || row.project_id === project_id

/** The request a call is about to change, locked. */
async function ownRequest({ tx, params, caller }: Call<'zone_transfer_request_id'>): Promise<TransferRequest> {
  const row = (await store.lockRequest(tx, params.zone_transfer_request_id)) ?? notFound(transferRequest)
  if (!isOwner(caller, row)) fail('forbidden', 'the offer was made by another project')
  return row
}

/** What a caller is shown of a request: the key, and by and to whom, only those who may read what the owner has. */
function seenBy(caller: Caller, row: TransferRequest): Record<string, unknown> {
  if (isOwner(caller, row) && caller.roles.has('reader')) return row
  const { id, zone_id, description, status, zone_name } = row
  return { id, zone_id, description, status, zone_name }
}

const shownRequest = (call: Call, row: TransferRequest): Reply => ({
  status: 200,
  body: transferRequest.view(seenBy(call.caller, row), call.profile, call.mount),
})
