import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import { refreshTopic } from '../refresh-topic.ts'
import { workerUrl } from '../worker-url.ts'
import { isAny } from './store.ts'
import type { SecondaryData } from './thread.ts'

export type SecondaryOptions = {
  readonly db: Database
  readonly log: Logger
  readonly data: Omit<SecondaryData, 'link'>
  readonly everyMilliseconds?: number
}

const patienceMilliseconds = 5000

/** Takes secondary zones from their masters, on a thread that is there once there is such a zone. */
export function startSecondary({ db, log, data, everyMilliseconds = 10_000 }: SecondaryOptions): {
  stop(): Promise<void>
} {
  let [stopped, ring] = [false, () => {}]
  let thread: { readonly worker: Worker; readonly ended: Promise<void> } | undefined
  const unfollow = db.follow((topics) => {
    if (topics.includes(refreshTopic)) ring()
  })
  const begin = () => {
    const link = db.link()
    const transferList = 'port' in link ? [link.port] : []
    const worker = new Worker(workerUrl(import.meta.url, 'thread'), { workerData: { ...data, link }, transferList })
    worker.on('error', (error) => log.error({ err: error }, 'the thread of secondary zones ended; it is started again'))
    const ended = new Promise<void>((resolve) => worker.on('exit', () => resolve()))
    thread = { worker, ended }
    void ended.then(() => {
      thread = undefined
    })
  }
  const running = (async () => {
    while (!stopped) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      try {
        if (thread === undefined && (await db.read(isAny)) && !stopped) begin()
      } catch (error) {
        log.warn({ err: error }, 'cannot look for secondary zones; it is tried again')
      }
      if (!stopped) await Promise.race([rung, sleep(everyMilliseconds, undefined, { ref: false })])
    }
  })()
  return {
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
