import { textFilter } from '../../api/filter.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, noContent, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { UniqueViolation } from '../../db/sql.ts'
import { DnsError } from '../../dns/errors.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { dropName } from './change.ts'
import { canonicalAddress, type ReverseAddress, reverseAddress } from './fields.ts'
import { mostAddresses } from './source.ts'
import * as store from './store.ts'

const about = { resource: reverseAddress } as const

/** The list of addresses that administrators keep. */
export const addressRoutes = [
  route(
    'POST /v2/reverse/addresses',
    {
      ...about,
      may: 'create_reverse_address',
      summary: 'Say that a project has an address',
      returns: 'one',
      status: 201,
    },
    async (call) => {
      const { tx, now } = call
      const row = { ...reverseAddress.create(call.body), id: newId(now), created_at: timestamp(now), updated_at: null }
      await mustHaveRoom(call, row.project_id)
      await store.insert(tx, row).catch((error: unknown) => {
        if (error instanceof UniqueViolation) fail('duplicate_reverse_address', 'Duplicate ReverseAddress')
        throw error
      })
      return created(call, reverseAddress, row)
    },
  ),

  route(
    'GET /v2/reverse/addresses',
    {
      ...about,
      may: 'find_reverse_addresses',
      summary: 'List the addresses that projects have',
      returns: 'list',
      status: 200,
    },
    (call) =>
      listed(call, reverseAddress, {
        path: '/reverse/addresses',
        filters: { address: (value) => textFilter('address', inOneForm(value)) },
      }),
  ),

  route(
    'GET /v2/reverse/addresses/{address_id}',
    { ...about, may: 'get_reverse_address', summary: 'Show one', returns: 'one', status: 200 },
    async (call) =>
      shown(call, reverseAddress, (await store.get(call.tx, call.params.address_id)) ?? notFound(reverseAddress)),
  ),

  route(
    'PATCH /v2/reverse/addresses/{address_id}',
    {
      ...about,
      may: 'update_reverse_address',
      summary: 'Change one; the name goes with its project',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const { tx, now, profile, mount } = call
      const row = (await store.lock(tx, call.params.address_id)) ?? notFound(reverseAddress)
      const changes = reverseAddress.update(call.body, reverseAddress.view(row, profile, mount))
      const changed = { ...row, ...changes, updated_at: timestamp(now) }
      if (changed.project_id !== row.project_id) {
        await mustHaveRoom(call, changed.project_id)
        await releaseName(call, row)
      }
      await store.update(tx, changed)
      return shown(call, reverseAddress, changed)
    },
  ),

  route(
    'DELETE /v2/reverse/addresses/{address_id}',
    {
      ...about,
      may: 'delete_reverse_address',
      summary: 'Take one off the list, and its name with it',
      returns: 'nothing',
      status: 204,
    },
    async (call) => {
      const row = (await store.lock(call.tx, call.params.address_id)) ?? notFound(reverseAddress)
      await releaseName(call, row)
      await store.remove(call.tx, row.id)
      return noContent
    },
  ),
]

async function mustHaveRoom({ tx }: Call, projectId: string): Promise<void> {
  if (await store.isFull(tx, projectId)) fail('over_quota', `a project has at most ${mostAddresses} addresses`)
}

/** Takes away the name that the project which has an address gave it. */
async function releaseName(call: Call, row: ReverseAddress): Promise<void> {
  await store.lockName(call.tx, row.address)
  const name = await store.nameOf(call.tx, row.address)
  if (name !== undefined && store.isOf(name, row)) await dropName(call, name)
}

/** An address as it is stored; patterns and what is no address stay as they are. */
function inOneForm(value: string): string {
  try {
    return canonicalAddress(value)
  } catch (error) {
    if (error instanceof DnsError) return value
    throw error
  }
}
