import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { type Database, sql } from '../db/sql.ts'
import { deliveryTopic } from '../resources/pools/store.ts'
import { workerUrl } from '../worker-url.ts'
import type { DeliveryStats } from './metrics.ts'
import type { DeliveryData, DeliveryReport } from './thread.ts'

export type StartOptions = {
  readonly db: Database
  readonly log: Logger
  readonly data: Omit<DeliveryData, 'link' | 'served'>
  /** Has the built-in server tell at a port which zones it has, up to which serials: other servers can take them from it then. */
  readonly tellServed: (port: MessagePort) => void
  readonly everyMilliseconds?: number
}

export type RunningDelivery = {
  stats(): DeliveryStats
  stop(): Promise<void>
}

const patienceMilliseconds = 4000
const againMilliseconds = 1000
const nothing: DeliveryStats = []

/** Delivers pools to other servers, on a thread that is there once there is such a pool. */
export function startDelivery({
  db,
  log,
  data,
  tellServed,
  everyMilliseconds = 10_000,
}: StartOptions): RunningDelivery {
  let [stopped, ring, stats] = [false, () => {}, nothing]
  let thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined
  const unfollow = db.follow((topics) => {
    if (topics.includes(deliveryTopic)) ring()
  })
  const begin = () => {
    const link = db.link()
    const { port1, port2: served } = new MessageChannel()
    tellServed(port1)
    const workerData: DeliveryData = { ...data, link, served }
    const transferList = ['port' in link ? [link.port] : [], served].flat()
    const worker = new Worker(workerUrl(import.meta.url, 'thread'), { workerData, transferList })
    worker.on('message', (report: DeliveryReport) => {
      stats = report
    })
    worker.on('error', (error) => log.error({ err: error }, 'the thread of delivery ended; it is started again'))
    const ended = new Promise<void>((resolve) => worker.on('exit', () => resolve()))
    thread = { worker, ended }
    void ended.then(() => {
      thread = undefined
      stats = nothing
      if (!stopped) setTimeout(() => ring(), againMilliseconds)
    })
  }
  const running = (async () => {
    while (!stopped) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      try {
        if (thread === undefined && (await isNeeded(db)) && !stopped) begin()
      } catch (error) {
        log.warn({ err: error }, 'cannot look for pools to deliver; it is tried again')
      }
      if (!stopped) await Promise.race([rung, sleep(everyMilliseconds, undefined, { ref: false })])
    }
  })()
  return {
    stats: () => stats,
    async stop() {
      stopped = true
      unfollow()
      ring()
      await running
      if (thread === undefined) return
      const { worker, ended } = thread
      worker.postMessage('stop')
      const impatient = setTimeout(() => void worker.terminate(), patienceMilliseconds)
      await ended
      clearTimeout(impatient)
    },
  }
}

/** Whether other servers answer for some pool, or somebody wants to know of one. */
const isNeeded = (db: Database): Promise<boolean> =>
  db.read(
    async (tx) =>
      (await tx.get(sql`
        select 1 as one where exists (select 1 from pools where delivered = 1)
          or exists (select 1 from pool_checks where status <> 'COMPLETE')`)) !== undefined,
  )
