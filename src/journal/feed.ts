import { setTimeout as sleep } from 'node:timers/promises'
import { timestamp } from '../clock.ts'
import { atMost } from '../db/at-most.ts'
import { type Database, join, sql } from '../db/sql.ts'

/** A zone that changed, as its row is now. */
export type ChangedZone = {
  readonly id: string
  readonly name: string
  readonly serial: number
  readonly deleted_at: string | null
  readonly gone_at: string | null
  readonly expired_at: string | null
  readonly changed_at: string
}

export type FeedOptions = {
  /** Whether the follower has this state of a zone already; without it, whether it was told of it lately. */
  readonly isKnown?: (zone: ChangedZone) => boolean
  /** Called with zones whose state is not known, in batches. */
  readonly onZones: (zones: readonly ChangedZone[]) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Called whenever all that the rows had at a moment has been passed on. */
  readonly onCurrent?: (moment: Date) => void
  readonly pollMilliseconds?: number
  /** How long to wait for more after several zones changed at once, where passing them on together costs less. */
  readonly burstMilliseconds?: number
}

const batch = 500
// Transactions that commit late have rows with a moment that is past already: a short look back often, a long one at times.
const lookBack = 2_000
const longLookBack = 60_000
const longLookEvery = 15
// Polling takes a tenth of the time at most, however much there is within reach of the look back.
const pauseFactor = 9

/**
 * Follows every change of any zone from a moment on. Wakes bring them at once; polling finds those whose wake was lost, and
 * all there are when the database was away and is back. What was committed with a clock a minute behind and whose wake was
 * lost too is not found here: whoever must not miss it compares everything now and then.
 */
export function followZones(
  db: Pick<Database, 'read' | 'follow'>,
  startAt: Date,
  options: FeedOptions,
): { stop(): Promise<void> } {
  const { pollMilliseconds = 1000, burstMilliseconds = 0 } = options
  const told = new Told()
  const isKnown = options.isKnown ?? ((zone: ChangedZone) => told.has(zone))
  let newest = timestamp(startAt)
  let polls = 0
  let woken = new Set<string>()
  let stopped = false
  let ring = () => {}
  const unfollow = db.follow((topics) => {
    for (const topic of topics) if (isId(topic)) woken.add(topic)
    if (woken.size > 0) ring()
  })

  const running = (async () => {
    let nextPoll = 0
    while (!stopped) {
      try {
        if (woken.size > 0) await takeWoken()
        if (performance.now() >= nextPoll) {
          const began = performance.now()
          const moment = new Date()
          await poll()
          options.onCurrent?.(moment)
          nextPoll = performance.now() + Math.max(pollMilliseconds, (performance.now() - began) * pauseFactor)
        }
      } catch (error) {
        options.onError(error)
        nextPoll = 0
        await sleep(200)
      }
      if (woken.size === 0 && !stopped) await wokenWithin(Math.max(1, nextPoll - performance.now()))
    }
  })()

  function wokenWithin(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function takeWoken(): Promise<void> {
    if (burstMilliseconds > 0 && woken.size > 1) await sleep(burstMilliseconds)
    const ids = [...woken].slice(0, batch)
    woken = new Set([...woken].slice(batch))
    try {
      await deliver(
        await db.read((tx) => tx.all<ChangedZone>(sql`select ${columns} from zones where id in (${join(ids)})`)),
      )
    } catch (error) {
      for (const id of ids) woken.add(id)
      throw error
    }
  }

  async function deliver(zones: readonly ChangedZone[]): Promise<void> {
    const unknown = zones.filter((zone) => !isKnown(zone))
    if (unknown.length === 0) return
    await options.onZones(unknown)
    if (options.isKnown === undefined) told.add(unknown)
  }

  async function poll(): Promise<void> {
    const reach = polls++ % longLookEvery === 0 ? longLookBack : lookBack
    // Where a clock is ahead of ours, time goes by ours: rows from its future come again, none is passed over.
    const now = new Date()
    const from = newest < timestamp(now) ? new Date(`${newest.slice(0, 23)}Z`) : now
    let [at, id] = [timestamp(new Date(from.getTime() - reach)), '']
    told.forgetBefore(timestamp(new Date(from.getTime() - 2 * longLookBack)))
    for (;;) {
      const zones = await db.read((tx) =>
        tx.all<ChangedZone>(sql`
          select ${columns} from zones where (changed_at, id) > (${at}, ${id}) order by changed_at, id ${atMost(batch)}`),
      )
      await deliver(zones)
      const last = zones.at(-1)
      if (last !== undefined && last.changed_at > newest) newest = last.changed_at
      if (last === undefined || zones.length < batch || stopped) return
      ;[at, id] = [last.changed_at, last.id]
      if (woken.size > 0) await takeWoken()
    }
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

const columns = sql`id, name, serial, deleted_at, gone_at, expired_at, changed_at`

const isId = (topic: string): boolean => topic.length === 36

/** The states of zones that were passed on and may be met again. */
class Told {
  readonly #states = new Map<string, { readonly state: string; readonly changed_at: string }>()

  has(zone: ChangedZone): boolean {
    return this.#states.get(zone.id)?.state === stateOf(zone)
  }

  add(zones: readonly ChangedZone[]): void {
    for (const zone of zones) this.#states.set(zone.id, { state: stateOf(zone), changed_at: zone.changed_at })
  }

  forgetBefore(moment: string): void {
    for (const [id, { changed_at }] of this.#states) if (changed_at < moment) this.#states.delete(id)
  }
}

/** Two changes may fall into one moment; the serial tells them apart. */
const stateOf = ({ changed_at, serial, deleted_at, expired_at }: ChangedZone): string =>
  `${changed_at} ${serial} ${deleted_at} ${expired_at}`
