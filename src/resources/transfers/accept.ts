import { notFound } from '../../api/resource.ts'
import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { sql, type Tx } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { addToCounts, lockCount } from '../quotas/counts.ts'
import type { Quotas } from '../quotas/fields.ts'
import { mustFit } from '../quotas/rules.ts'
import { quotasOf } from '../quotas/store.ts'
import type { Zone } from '../zones/fields.ts'
import { giveSets } from '../zones/sharing.ts'
import { lockAny } from '../zones/store.ts'
import { type TransferAccept, type TransferRequest, transferAccept, transferRequest } from './fields.ts'
import { isKey } from './key.ts'
import * as store from './store.ts'

export type TransferSettings = { readonly quotaDefaults: Quotas }

/** Takes over the zone that a request offers. Of several who try at once one finds the request open. */
export async function accept(call: Call, { quotaDefaults }: TransferSettings): Promise<TransferAccept> {
  const { tx, now, caller } = call
  const body = transferAccept.create(call.body)
  if (caller.project_id === '') fail('missing_project_id', 'the token names no project, and a zone needs one')
  const request = (await store.lockRequest(tx, body.zone_transfer_request_id)) ?? notFound(transferRequest)
  if (request.status !== 'ACTIVE') fail('invalid_zone_transfer_request', 'Zone Transfer Request has been used')
  if (!isKey(body.key ?? '', request.key)) fail('invalid_key', 'Key does not match stored key for request')
  mustBeFor(call, request)
  const zone = (await lockAny(tx, request.zone_id)) ?? fail('bad_request', 'the zone is being deleted')
  const at = timestamp(now)
  await store.updateRequest(tx, { ...request, status: 'COMPLETE', updated_at: at })
  const row: TransferAccept = {
    id: newId(now),
    zone_transfer_request_id: request.id,
    project_id: caller.project_id,
    key: body.key,
    status: 'COMPLETE',
    zone_id: zone.id,
    created_at: at,
    updated_at: at,
  }
  await store.insertAccept(tx, row)
  if (zone.project_id !== row.project_id) {
    await give(tx, zone, row.project_id, { quotas: await quotasOf(tx, row.project_id, quotaDefaults), at })
  }
  return row
}

function mustBeFor({ caller }: Call, { target_project_id }: TransferRequest): void {
  if (target_project_id === null || target_project_id === caller.project_id || caller.roles.has('admin')) return
  fail('forbidden', 'the zone is offered to another project')
}

/** Gives a locked zone with all it holds to a project; the counts go last, those of one project after the other's. */
async function give(
  tx: Tx,
  zone: Zone,
  projectId: string,
  { quotas, at }: { readonly quotas: Quotas; readonly at: string },
): Promise<void> {
  const sets = await giveSets(tx, zone, projectId)
  const ended = await tx.run(sql`
    delete from zone_shares where zone_id = ${zone.id} and target_project_id = ${projectId}`)
  await tx.run(sql`
    update zones set project_id = ${projectId}, version = version + 1, updated_at = ${at},
      shared = case when exists (select 1 from zone_shares where zone_id = zones.id) then 1 else 0 end
    where id = ${zone.id}`)
  for (const project_id of [zone.project_id, projectId].toSorted()) {
    if (project_id === projectId && quotas.zones >= 0) {
      mustFit(quotas, { zones: (await lockCount(tx, project_id, 'zones')) + 1 })
    }
    await addToCounts(tx, [{ project_id, what: 'zones', n: project_id === projectId ? 1 : -1 }], zone.id)
  }
  await addToCounts(tx, sets, zone.id)
  await addToCounts(
    tx,
    [
      { project_id: zone.project_id, what: 'records', n: -zone.record_count },
      { project_id: projectId, what: 'records', n: zone.record_count },
      { project_id: projectId, what: 'shared_zones', n: -ended },
    ],
    zone.id,
  )
}
