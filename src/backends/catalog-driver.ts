import type { Clock } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { type CatalogZone, changeMembers } from './catalog-zone.ts'
import type { Driver } from './kind.ts'
import { type Lease, mustHold } from './leases.ts'

export type CatalogDriverOptions = {
  readonly db: Pick<Database, 'read' | 'write'>
  readonly clock: Clock
  readonly lease: Lease
  readonly catalog: CatalogZone
}

/** Gives zones to every server that follows a catalog zone by listing them in it. */
export function catalogDriver({ db, clock, lease, catalog }: CatalogDriverOptions): Driver {
  const fence: Parameters<typeof changeMembers>[4] = (tx) => mustHold(tx, lease)
  return {
    async addZones(zones) {
      await changeMembers(db, catalog, { add: zones, drop: [] }, clock(), fence)
      return []
    },
    async dropZones(zones) {
      await changeMembers(db, catalog, { add: [], drop: zones }, clock(), fence)
      return []
    },
    check: async () => [],
    close: async () => {},
  }
}
