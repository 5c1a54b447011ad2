import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { timestamp } from '../../clock.ts'
import type { Database } from '../../db/sql.ts'
import { workerUrl } from '../../worker-url.ts'
import { importTopic } from './fields.ts'
import type { RunSettings } from './settings.ts'
import * as store from './store.ts'
import type { ThreadData, ThreadMessage } from './thread.ts'

export type ImportsOptions = {
  readonly db: Database
  readonly settings: RunSettings
  readonly log: Logger
  readonly everyMilliseconds?: number
}

/** Does imports, on a thread that is there while there are any; those that a stop or a crash left half-way are done again. */
export function startImports(options: ImportsOptions): { stop(): Promise<void> } {
  const { db, log } = options
  let [stopped, ring] = [false, () => {}]
  const unfollow = db.follow((topics) => {
    if (topics.includes(importTopic)) ring()
  })
  let thread: Thread | undefined
  const running = (async () => {
    // A data folder is one process's alone: whoever held a lease in it is no more.
    if (db.engine === 'sqlite') await db.write(store.endLeases).catch(() => {})
    while (!stopped) {
      const rung = new Promise<void>((resolve) => {
        ring = resolve
      })
      try {
        if (thread === undefined && (await isWork(db))) {
          thread = new Thread(options)
          void thread.ended.then(() => {
            thread = undefined
            ring()
          })
        }
      } catch (error) {
        log.warn({ err: error }, 'cannot look for imports; it is tried again')
      }
      if (stopped) break
      await Promise.race([rung, sleep(options.everyMilliseconds ?? 5000, undefined, { ref: false })])
    }
  })()
  return {
    async stop() {
      stopped = true
      unfollow()
      ring()
      await running
      await thread?.stop()
    },
  }
}

/** Whether there is an import to do that nobody works on, or a file that can go. */
const isWork = (db: Database): Promise<boolean> =>
  db.read(
    async (tx) =>
      (await store.isPending(tx, timestamp(new Date()))) ||
      (await store.leftOver(tx, store.anHourAgo())) !== undefined ||
      (await store.leftStaged(tx)) !== undefined,
  )

const patienceMilliseconds = 5000

class Thread {
  readonly ended: Promise<void>
  readonly #worker: Worker

  constructor({ db, settings, log }: ImportsOptions) {
    const [link, fillLink] = [db.link(), db.link()]
    const workerData: ThreadData = { link, fillLink, settings }
    const transferList = [link, fillLink].flatMap((one) => ('port' in one ? [one.port] : []))
    const worker = new Worker(workerUrl(import.meta.url, 'thread'), { workerData, transferList })
    this.#worker = worker
    worker.on('message', (message: ThreadMessage) => {
      if ('error' in message) log.error({ err: message.error, import_id: message.importId }, 'an import went wrong')
    })
    worker.on('error', (error) => log.error({ err: error }, 'the thread of imports ended; it is started again'))
    this.ended = new Promise((resolve) => worker.on('exit', () => resolve()))
  }

  /** What is under way is left to be done again. */
  async stop(): Promise<void> {
    this.#worker.postMessage('stop')
    const impatient = setTimeout(() => void this.#worker.terminate(), patienceMilliseconds)
    await this.ended
    clearTimeout(impatient)
  }
}
