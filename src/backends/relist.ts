import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import type { Job } from './job.ts'
import { type Lease, mustHold } from './leases.ts'
import type { PoolCatalog } from './pool-catalog.ts'
import { namesakesOf, willAdd } from './rows.ts'
import type { TargetWorker } from './target.ts'

export type RelistOptions = {
  readonly db: Pick<Database, 'write'>
  readonly lease: Lease
  readonly log: Logger
  readonly catalog: PoolCatalog | undefined
  readonly workers: ReadonlyMap<string, TargetWorker>
  readonly signal: AbortSignal
}

const patience = 5000
// Long enough for servers to have read the one before they read the other.
const listedMilliseconds = 3000

/**
 * Lists a deleted zone once more, and then no more, for servers that serve it though the catalog does not list it. Knot 3.2
 * passes over removals that it reads while it starts ("duplicate addition/removal of the member node, ignoring").
 */
export async function relist(job: Job, { db, lease, log, catalog, workers, signal }: RelistOptions): Promise<void> {
  const { id, name } = job.zone
  const worker = catalog && workers.get(catalog.target.id)
  if (worker === undefined || worker.isAbout(id) || job.hasNamesake || performance.now() - job.begunAt < patience)
    return
  try {
    const isFree = await db.write(async (tx) => {
      await mustHold(tx, lease)
      if ((await namesakesOf(tx, lease.poolId, [job.zone])).size > 0) return false
      // So that whoever goes on from here drops it.
      await willAdd(tx, catalog!.target.id, [{ id, name }])
      return true
    })
    if (!isFree) return
    await catalog!.driver.addZones([{ id, name }], signal)
    await sleep(listedMilliseconds, undefined, { signal })
    log.info({ zone: name }, 'a deleted zone that a server still had was listed once more, and is dropped again')
    worker.drop({ id, name })
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error, zone: name }, 'a deleted zone could not be listed once more')
  }
}
