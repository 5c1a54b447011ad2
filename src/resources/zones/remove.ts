import { isTrue } from '../../api/auth.ts'
import type { Call } from '../../api/route.ts'
import { timestamp } from '../../clock.ts'
import { fail } from '../../errors.ts'
import type { Zone } from './fields.ts'
import { endShares } from './sharing.ts'
import * as store from './store.ts'

/** Frees a locked zone's name, and with it the way for its servers to drop it; refuses while others lean on it. */
export async function removeZone(call: Call, row: Zone, purgeAgeSeconds: number): Promise<void> {
  if (row.deleted_at !== null) return
  const { tx, now, caller, headers } = call
  if (row.shared !== 0 && !isTrue(String(headers['x-designate-delete-shares']))) {
    fail('zone_is_shared', 'the zone is shared; unshare it first, or send X-Designate-Delete-Shares: true')
  }
  const child = await store.below(tx, row.name)
  if (child !== undefined) fail('zone_has_sub_zone', `${child.name} lies below this zone; delete it first`)
  const keep = caller.hardDelete ? 0 : purgeAgeSeconds * 1000
  await store.markDeleted(tx, row.id, timestamp(now), timestamp(new Date(now.getTime() + keep)))
  tx.wake(row.id)
  if (row.shared !== 0) await endShares(tx, row)
}
