import { noContent, type Reply, route } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { fail } from '../../errors.ts'
import { zoneToChange, zoneToRemove } from './access.ts'
import { zone } from './fields.ts'
import { type MoveSettings, movePool, poolMove } from './move.ts'
import { removeZone } from './remove.ts'
import * as store from './store.ts'

export type ZoneTaskSettings = MoveSettings & { readonly purgeAgeSeconds: number }

/** What Designate answers to a task it has taken on: a JSON text with nothing in it. */
const takenOn: Reply = { status: 202, body: '' }

const about = { resource: zone, body: 'none', returns: 'nothing' } as const

export const zoneTaskRoutes = (settings: ZoneTaskSettings) => [
  route(
    'POST /v2/zones/{zone_id}/tasks/abandon',
    { ...about, may: 'abandon_zone', summary: 'Forget a zone without waiting for its servers', status: 204 },
    async (call) => {
      const row = await zoneToRemove(call)
      await removeZone(call, row, settings.purgeAgeSeconds)
      await store.leaveAtTargets(call.tx, row)
      await store.markGone(call.tx, [row.id], timestamp(call.now))
      call.tx.wake(row.id)
      return noContent
    },
  ),

  route(
    'POST /v2/zones/{zone_id}/tasks/xfr',
    { ...about, may: 'xfr_zone', summary: 'Ask the masters of a SECONDARY zone for news', status: 202 },
    async (call) => {
      const row = await zoneToChange(call)
      if (row.type !== 'SECONDARY') fail('bad_request', "Can't XFR a non Secondary zone.")
      await store.askRefresh(call.tx, row.id, timestamp(call.now))
      return takenOn
    },
  ),

  route(
    'POST /v2/zones/{zone_id}/tasks/pool_move',
    {
      resource: poolMove,
      may: 'pool_move_zone',
      summary: 'Move a zone to another pool',
      returns: 'nothing',
      status: 202,
    },
    async (call) => {
      await movePool(call, await zoneToChange(call), settings)
      return takenOn
    },
  ),
]
