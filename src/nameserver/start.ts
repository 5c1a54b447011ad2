import { once } from 'node:events'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/sql.ts'
import { type CounterSums, sumCounters } from './counters.ts'
import type { KeeperOptions, KeeperOrder, KeeperReport, KeeperState } from './keeper.ts'
import { Publisher } from './publisher.ts'
import { nameserverThread } from './thread.ts'
import type { Listen } from './udp-dgram.ts'

export type NameserverOptions = {
  /** The thread to run in, where it was made beforehand. */
  readonly thread?: Worker
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly keeper: KeeperOptions
}

/** What the name server is doing, for `/readyz` and `/metrics`. */
export type NameserverStats = KeeperState & {
  readonly counters: CounterSums
  /** Zones that are served and whose status waits to be written down. */
  readonly unpublished: number
}

export type Nameserver = {
  readonly listening: readonly Listen[]
  stats(): NameserverStats
  /** Has whoever is at the other end of a port hear which zones are served, up to which serials, as it happens. */
  tellServed(port: MessagePort): void
  close(): Promise<void>
}

const patience = 3000

/** Starts the name server in threads of its own; resolves once it listens. */
export async function startNameserver(options: NameserverOptions): Promise<Nameserver> {
  const { thread: worker = nameserverThread(options.keeper), db, clock, log, keeper } = options
  const publisher = new Publisher(db, clock, log)
  let state: KeeperState | undefined
  let segments: readonly Float64Array[] = []
  let closing = false
  let failure: unknown
  const listening = new Promise<readonly Listen[]>((resolve, reject) => {
    worker.on('message', (report: KeeperReport) => {
      switch (report.kind) {
        case 'listening':
          segments = report.counters.map((memory) => new Float64Array(memory))
          return resolve(report.listening)
        case 'served':
          return publisher.add(report.served)
        case 'notified':
          return publisher.notified(report.zoneId)
        case 'state':
          state = report.state
          return
        case 'trouble':
          return reject(Object.assign(new Error(report.message), { code: report.code, listen: report.listen }))
      }
    })
    worker.on('error', (error) => {
      failure = error
      reject(error)
    })
  })
  worker.on('exit', (code) => {
    // Answering is half of what we are for: without it the process must not look alive.
    if (!closing) throw new Error(`the name server's thread has ended with ${code}`, { cause: failure })
  })
  worker.postMessage({ kind: 'start', options: keeper } satisfies KeeperOrder)
  // In one process the wakes of commits are here; the keeper's own handle on the database does not see them.
  const unfollow = db.follow((topics) => worker.postMessage({ kind: 'wake', topics }))
  const close = async () => {
    closing = true
    unfollow()
    const exited = once(worker, 'exit')
    worker.postMessage({ kind: 'stop' })
    const impatient = setTimeout(() => void worker.terminate(), patience)
    await exited
    clearTimeout(impatient)
    await publisher.stop()
  }
  try {
    const addresses = await listening
    const stats = () => ({ ...state!, counters: sumCounters(segments), unpublished: publisher.waiting })
    const tellServed = (port: MessagePort) => worker.postMessage({ kind: 'tell', port } satisfies KeeperOrder, [port])
    return { listening: addresses, stats, tellServed, close }
  } catch (error) {
    closing = true
    await worker.terminate()
    unfollow()
    await publisher.stop()
    throw error
  }
}
