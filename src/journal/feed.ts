import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sql } from '../db/sql.ts'

/** A zone that changed, as its row is now. */
export type ChangedZone = {
  readonly id: string
  readonly name: string
  readonly serial: number
  readonly deleted_at: string | null
  readonly changed_at: string
}

export type FeedOptions = {
  /** Called with zones that may have changed since the last call, in batches; some may come again. */
  readonly onZones: (zones: readonly ChangedZone[]) => Promise<void>
  readonly onError: (error: unknown) => void
  readonly pollMilliseconds?: number
}

const batch = 500
// Rows of transactions that commit late have a moment that is past already, so polling looks back this far.
const lookBackMilliseconds = 10_000

/**
 * Follows every change of any zone from now on. Wakes bring them at once; polling finds those whose wake
 * was lost, so followers miss nothing while the database can be reached, and catch up when it is back.
 */
export function followZones(db: Database, startAt: Date, options: FeedOptions): { stop(): Promise<void> } {
  const seen = new Map<string, { readonly state: string; readonly changed_at: string }>()
  let cursor = startAt.getTime()
  let woken = new Set<string>()
  let stopped = false
  let ring = () => {}
  const unfollow = db.follow((topics) => {
    for (const topic of topics) woken.add(topic)
    ring()
  })

  const rung = () =>
    new Promise<void>((resolve) => {
      ring = resolve
    })

  const running = (async () => {
    let nextPoll = 0
    while (!stopped) {
      try {
        if (woken.size > 0) {
          const ids = woken
          woken = new Set()
          await deliver(await zonesById(db, [...ids]))
        }
        if (Date.now() >= nextPoll) {
          nextPoll = Date.now() + (options.pollMilliseconds ?? 1000)
          await poll()
        }
      } catch (error) {
        options.onError(error)
        await sleep(200)
      }
      if (woken.size === 0 && !stopped) await Promise.race([rung(), sleep(Math.max(1, nextPoll - Date.now()))])
    }
  })()

  async function deliver(zones: readonly ChangedZone[]): Promise<void> {
    const fresh = zones.filter((zone) => seen.get(zone.id)?.state !== stateOf(zone))
    if (fresh.length === 0) return
    await options.onZones(fresh)
    for (const zone of fresh) seen.set(zone.id, { state: stateOf(zone), changed_at: zone.changed_at })
  }

  async function poll(): Promise<void> {
    const began = Date.now()
    let [at, id] = [moment(cursor - lookBackMilliseconds), '']
    for (;;) {
      const zones = await db.read((tx) =>
        tx.all<ChangedZone>(sql`
          select id, name, serial, deleted_at, changed_at from zones where (changed_at, id) > (${at}, ${id})
          order by changed_at, id limit ${batch}`),
      )
      await deliver(zones)
      if (zones.length < batch) break
      ;[at, id] = [zones.at(-1)!.changed_at, zones.at(-1)!.id]
    }
    cursor = began
    const old = moment(began - 2 * lookBackMilliseconds)
    for (const [id, { changed_at }] of seen) if (changed_at < old) seen.delete(id)
  }

  return {
    async stop() {
      stopped = true
      unfollow()
      ring()
      await running
    },
  }
}

/** Two changes may fall into one moment; the serial tells them apart. */
const stateOf = ({ changed_at, serial, deleted_at }: ChangedZone): string => `${changed_at} ${serial} ${deleted_at}`

const moment = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, -1)}000`

async function zonesById(db: Database, ids: readonly string[]): Promise<ChangedZone[]> {
  return db.read(async (tx) => {
    const zones: ChangedZone[] = []
    for (const id of ids) {
      const zone = await tx.get<ChangedZone>(sql`
        select id, name, serial, deleted_at, changed_at from zones where id = ${id}`)
      if (zone !== undefined) zones.push(zone)
    }
    return zones
  })
}
