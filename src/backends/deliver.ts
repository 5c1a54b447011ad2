import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { followZones } from '../journal/feed.ts'
import { deliveryTopic } from '../resources/pools/store.ts'
import type { Secrets } from '../secrets.ts'
import { Checks } from './checks.ts'
import { deliveredPools, type PoolConfig } from './config.ts'
import {
  claim,
  endLeases,
  type Lease,
  LeaseLost,
  leaseMilliseconds,
  leaseNow,
  release,
  renew,
  renewMilliseconds,
} from './leases.ts'
import type { DeliveryStats } from './metrics.ts'
import { PoolDelivery } from './pool.ts'
import * as rows from './rows.ts'

export type DeliveryOptions = {
  readonly db: Pick<Database, 'engine' | 'read' | 'write' | 'follow'>
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: Logger
  /** Tells this process from others. */
  readonly holder: string
}

export type Delivery = {
  /** The built-in server has these zones up to these serials. */
  served(zones: readonly { readonly id: string; readonly serial: number }[]): void
  stats(): DeliveryStats
  stop(): Promise<void>
}

type Held = { readonly lease: Lease; readonly delivery: PoolDelivery; renewedAt: number; end: NodeJS.Timeout }

const pollMilliseconds = 2000
const burstMilliseconds = 10
// What is under way when a lease ends needs a moment to be broken off.
const marginMilliseconds = 1000
const mostServedKept = 20_000
const topics = new Set([deliveryTopic, 'tsigkeys'])

const endOf = (renewedAt: number): number => renewedAt + leaseMilliseconds - marginMilliseconds

/** Delivers the pools that no other process does, each as its settings are at the moment. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { db, secrets, clock, log, holder } = options
  const held = new Map<string, Held>()
  const served = new Map<string, number>()
  const checks = new Checks(options)
  let stopped = false
  let ring = () => {}
  let isRung = false
  const unfollow = db.follow((woken) => {
    if (woken.some((topic) => topics.has(topic))) {
      isRung = true
      ring()
    }
  })

  const feed = followZones(db, clock(), {
    onZones: async (changed) => {
      if (held.size === 0) return
      const ids = changed.map(({ id }) => id)
      const { zones, targets } = await db.read(async (tx) => ({
        zones: await rows.zonesWithIds(tx, ids),
        targets: await rows.targetsOfZones(tx, ids),
      }))
      const formerPools = Map.groupBy(targets, ({ zone_id }) => zone_id)
      for (const [poolId, { delivery }] of held) {
        const concerned = zones.filter(
          ({ id, pool_id }) =>
            pool_id === poolId || formerPools.get(id)?.some((target) => target.pool_id === poolId) === true,
        )
        if (concerned.length > 0) await delivery.take(concerned)
      }
    },
    onError: (error) => log.warn({ err: error }, 'changed zones could not be read for delivery; it is tried again'),
    burstMilliseconds,
  })

  const loop = (async () => {
    let isStart = db.engine === 'sqlite'
    while (!stopped) {
      isRung = false
      try {
        // A data folder is one process's alone: whoever held a lease in it is no more.
        if (isStart) await db.write(endLeases)
        isStart = false
        await arrange()
        checks.look(() => new Map(held.values().map(({ delivery }) => [delivery.config.id, delivery.config])))
      } catch (error) {
        log.warn({ err: error }, 'pools could not be arranged for delivery; it is tried again')
      }
      if (!stopped && !isRung) await rungWithin(pollMilliseconds)
    }
  })()

  function rungWithin(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      ring = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Holds what is to be held: renews leases, takes pools nobody has, begins those anew whose settings changed. */
  async function arrange(): Promise<void> {
    for (const id of [...held.keys()]) await apart(id, () => renewLease(id))
    const configs = new Map((await db.read((tx) => deliveredPools(tx, secrets))).map((config) => [config.id, config]))
    for (const [id, { lease, delivery, renewedAt }] of [...held]) {
      const config = configs.get(id)
      if (config !== undefined && isDeepStrictEqual(config, delivery.config)) continue
      await letGo(id)
      await apart(id, () => (config === undefined ? leave(lease) : begin(config, lease, renewedAt)))
    }
    for (const config of configs.values()) {
      if (held.has(config.id) || stopped) continue
      await apart(config.id, async () => {
        const claimedAt = performance.now()
        const lease = await db.write(async (tx) => claim(tx, config.id, holder, await leaseNow(tx, db.engine, clock)))
        if (lease === undefined) return
        await checks.takeOver(config.id)
        await begin(config, lease, claimedAt)
      })
    }
  }

  /** Does something for one pool: what is wrong with it keeps no other from being delivered. */
  async function apart(poolId: string, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      log.warn({ err: error, pool_id: poolId }, 'a pool could not be arranged for delivery; it is tried again')
    }
  }

  /** The built-in server alone answers for the pool from now on: what it has is published. */
  async function leave(lease: Lease): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !stopped; ) {
      const from: string = after
      after = await db.write((tx) => rows.publishOwn(tx, lease.poolId, from, clock()))
      for (const id of [...held.keys()]) await apart(id, () => renewLease(id))
    }
    await db.write((tx) => release(tx, lease))
  }

  async function begin(config: PoolConfig, lease: Lease, renewedAt: number): Promise<void> {
    const mayAct = () => {
      if (endOf(held.get(config.id)?.renewedAt ?? -Infinity) <= performance.now()) throw new LeaseLost(config.id)
    }
    const delivery = new PoolDelivery(config, { db, clock, log, lease, mayAct, servedSerial: (id) => served.get(id) })
    held.set(config.id, { lease, delivery, renewedAt, end: endLater(config.id, renewedAt) })
    log.info(
      { pool: config.name, servers: config.servers.length, targets: config.targets.length },
      'a pool is delivered',
    )
    try {
      await delivery.start()
    } catch (error) {
      await letGo(config.id)
      if (!(error instanceof LeaseLost)) await db.write((tx) => release(tx, lease))
      throw error
    }
  }

  /** Ends what is done under a lease that was not renewed in time, before another process may take it. */
  function endLater(poolId: string, renewedAt: number): NodeJS.Timeout {
    return setTimeout(() => {
      log.warn({ pool_id: poolId }, 'the lease of a pool could not be renewed in time; its delivery ends')
      void letGo(poolId)
    }, endOf(renewedAt) - performance.now())
  }

  async function letGo(poolId: string): Promise<void> {
    const one = held.get(poolId)
    if (one === undefined) return
    held.delete(poolId)
    clearTimeout(one.end)
    await one.delivery.stop()
  }

  async function renewLease(poolId: string): Promise<void> {
    const one = held.get(poolId)
    if (one === undefined || performance.now() - one.renewedAt < renewMilliseconds) return
    try {
      const now = performance.now()
      await db.write(async (tx) => renew(tx, one.lease, await leaseNow(tx, db.engine, clock)))
      if (held.get(poolId) !== one) return
      one.renewedAt = now
      clearTimeout(one.end)
      one.end = endLater(poolId, now)
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
      log.warn({ pool_id: poolId }, 'another process delivers a pool now')
      await letGo(poolId)
    }
  }

  return {
    served(zones) {
      for (const { id, serial } of zones) {
        served.delete(id)
        served.set(id, serial)
        for (const { delivery } of held.values()) delivery.served(id, serial)
      }
      for (const id of served.keys().take(Math.max(0, served.size - mostServedKept))) served.delete(id)
    },
    stats: () => [...held.values()].map(({ delivery }) => delivery.stats),
    async stop() {
      stopped = true
      unfollow()
      ring()
      await feed.stop()
      await loop
      await checks.stop()
      for (const { lease } of [...held.values()]) {
        await letGo(lease.poolId)
        await db.write((tx) => release(tx, lease)).catch(() => {})
      }
    },
  }
}
