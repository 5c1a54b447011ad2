import { isDeepStrictEqual } from 'node:util'
import { asSeen, mustMatch, tagged, unlessKnown, versionIn } from '../../api/etag.ts'
import { notFound } from '../../api/resource.ts'
import { type Call, created, listed, printed, route, shown } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { mailboxName } from '../../dns/mailbox.ts'
import { fail, refuse } from '../../errors.ts'
import * as pools from '../pools/store.ts'
import { countOf } from '../quotas/counts.ts'
import { ownZoneFor, zoneToChange, zoneToRemove } from './access.ts'
import { authorOf, changeZone } from './change.ts'
import { createZone, mustHaveTtl, type ZoneSettings } from './create.ts'
import { masterState, nameservers, type Zone, zone } from './fields.ts'
import { zoneNameMatches } from './name-filter.ts'
import { removeZone } from './remove.ts'
import { zoneFaults } from './rules.ts'
import * as store from './store.ts'
import { changeDefaultTtl } from './ttl.ts'

const about = { resource: zone } as const

export type ZoneRouteSettings = ZoneSettings & { readonly purgeAgeSeconds: number }

export const zoneRoutes = (settings: ZoneRouteSettings) => [
  route(
    'POST /v2/zones',
    { ...about, may: 'create_zone', summary: 'Create a zone', returns: 'one', status: 202 },
    async (call) => {
      const row = await createZone(call, settings)
      return tagged(row, { ...created(call, zone, row), status: 202 })
    },
  ),

  route(
    'GET /v2/zones',
    { ...about, may: 'find_zones', summary: 'List zones', returns: 'list', status: 200 },
    async (call) => {
      const { tx, caller } = call
      const project = caller.allProjects ? undefined : caller.project_id
      const hasShared = project !== undefined && (await store.sharesAny(tx, caller))
      return listed(call, zone, {
        ...store.ownedBy(caller),
        ...(hasShared && { also: store.sharedWith(caller) }),
        filters: { name: zoneNameMatches(tx) },
        total: async () =>
          (await countOf(tx, project, 'zones')) + (hasShared ? await countOf(tx, project, 'shared_zones') : 0),
      })
    },
  ),

  route(
    'GET /v2/zones/{zone_id}',
    { ...about, may: 'get_zone', summary: 'Show a zone', returns: 'one', status: 200 },
    async (call) => {
      const { columns } = zone.alone(call.profile)
      const values = await store.valuesOf(call.tx, columns, call.params.zone_id, call.caller)
      if (values === undefined) return notFound(zone)
      return unlessKnown(call, versionIn(columns, values), printed(call, zone, values))
    },
  ),

  route(
    'PATCH /v2/zones/{zone_id}',
    { ...about, may: 'update_zone', summary: 'Change a zone', returns: 'one', status: 202 },
    async (call) => {
      const row = await zoneToChange(call)
      mustMatch(call, row)
      const after = await patch(call, row, settings)
      return tagged(after, shown(call, zone, after, after.status === 'PENDING' || after !== row ? 202 : 200))
    },
  ),

  route(
    'DELETE /v2/zones/{zone_id}',
    { ...about, may: 'delete_zone', summary: 'Delete a zone with all it holds', returns: 'one', status: 202 },
    async (call) => {
      const row = await zoneToRemove(call)
      mustMatch(call, row)
      await removeZone(call, row, settings.purgeAgeSeconds)
      return shown(call, zone, { ...row, action: 'DELETE', status: 'PENDING', status_reason: null }, 202)
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/nameservers',
    {
      resource: nameservers,
      may: 'get_zone_ns_records',
      summary: 'List the name servers of a zone',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const pool = await pools.get(call.tx, (await ownZoneFor(call)).pool_id, undefined)
      return { status: 200, body: { nameservers: pool?.ns_records ?? [] } }
    },
  ),

  route(
    'GET /v2/zones/{zone_id}/masters',
    {
      resource: masterState,
      may: 'get_zone',
      operation: 'get_zone_masters',
      summary: 'Show what the masters of a SECONDARY zone last said',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      const row = await ownZoneFor(call)
      if (row.type !== 'SECONDARY') fail('bad_request', 'only a SECONDARY zone has masters')
      return { status: 200, body: await store.masterStateOf(call.tx, row.id) }
    },
  ),
]

/** The zone with a body's changes; the very same row when they change nothing. */
async function patch(call: Call, row: Zone, settings: ZoneSettings): Promise<Zone> {
  const { tx, now, caller, profile, mount } = call
  const given = zone.update(call.body, asSeen(call.body, zone.view(row, profile, mount), row))
  const isPrimary = row.type === 'PRIMARY'
  const unset = isPrimary ? { ttl: settings.defaultTtl, email: null } : row
  const wanted = {
    ...given,
    ...(given.ttl === null && { ttl: unset.ttl }),
    ...(given.email === null && { email: unset.email }),
  }
  const names = Object.keys(wanted) as (keyof typeof wanted)[]
  const changes = Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(wanted[name], row[name])).map((name) => [name, wanted[name]]),
  ) as Partial<Zone>
  if (Object.keys(changes).length === 0) return row
  // A SECONDARY zone shows what its masters say of these two; only other values of them are refused.
  const { email = isPrimary ? row.email : null, ttl = null } = changes
  refuse(zoneFaults({ type: row.type, email, ttl, masters: changes.masters ?? row.masters }))
  if (!isPrimary) {
    const isNewStart = changes.masters !== undefined && row.transferred_at === null
    const fresh = isNewStart ? { status: 'PENDING', status_reason: null } : {}
    const after: Zone = { ...row, ...changes, ...fresh, version: row.version + 1, updated_at: timestamp(now) }
    await store.updateSecondary(tx, after, changes.masters !== undefined, timestamp(now))
    return after
  }
  if (changes.ttl !== undefined) mustHaveTtl(changes.ttl, settings.minTtl, caller)
  const content = changes.ttl === undefined ? { removed: [], added: [] } : await changeDefaultTtl(tx, row, changes.ttl)
  const contact = changes.email === undefined ? {} : { contact: mailboxName(changes.email) }
  const update = { ...changes, ...contact, version: row.version + 1, updated_at: timestamp(now) }
  return changeZone(tx, row, { ...content, zone: update }, authorOf(call), now)
}
