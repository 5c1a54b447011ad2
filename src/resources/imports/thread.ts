import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock, timestamp } from '../../clock.ts'
import { Filler } from '../../db/filler.ts'
import { openLinked } from '../../db/link.ts'
import type { StoreLink } from '../../db/sql.ts'
import { leaseMilliseconds, type RunContext, runImport } from './run.ts'
import type { RunSettings } from './settings.ts'
import * as store from './store.ts'

export type ThreadData = { readonly link: StoreLink; readonly fillLink: StoreLink; readonly settings: RunSettings }
/** What the thread says: that it has nothing to do, or what went wrong. */
export type ThreadMessage = { readonly idle: true } | { readonly error: string; readonly importId: string }

const atOnce = 6
const largeAtOnce = 2
const largeBytes = 4_194_304

const { link, fillLink, settings } = workerData as ThreadData
const db = openLinked(link, () => {})
const filler = new Filler(fillLink)
const stopped = new AbortController()
const say = (message: ThreadMessage) => parentPort!.postMessage(message)
const context: RunContext = {
  db,
  filler,
  settings,
  holder: `${hostname()} ${process.pid} ${crypto.randomUUID()}`,
  clock: systemClock,
  stopped: stopped.signal,
  onError: (error, importId) => say({ error: (error as Error).stack ?? String(error), importId }),
}

const running = new Map<string, { readonly large: boolean; readonly done: Promise<void> }>()

parentPort!.once('message', () => stopped.abort())
await work()
await filler.close()
await db.close()
parentPort!.close()

/** Does imports, some side by side so that small ones need not wait for large ones, until there are none. */
async function work(): Promise<void> {
  let idleSince = performance.now()
  while (!stopped.signal.aborted) {
    const began = await begin().catch((error: unknown) => fault(error))
    if (running.size > 0) {
      idleSince = performance.now()
      const waits = [...running.values()].map(({ done }) => done)
      if (!began) await Promise.race([...waits, sleep(100)])
      continue
    }
    if (began) continue
    if (await tidy().catch((error: unknown) => fault(error))) {
      idleSince = performance.now()
      continue
    }
    if (performance.now() - idleSince > 2000) {
      say({ idle: true })
      break
    }
    await sleep(50)
  }
  await Promise.all([...running.values()].map(({ done }) => done))
}

async function begin(): Promise<boolean> {
  if (running.size >= atOnce) return false
  const large = [...running.values()].filter((one) => one.large).length
  const now = systemClock()
  const moments = { now: timestamp(now), until: timestamp(new Date(now.getTime() + leaseMilliseconds)) }
  const most = large < largeAtOnce ? Number.MAX_SAFE_INTEGER : largeBytes
  const job = await db.write((tx) => store.claim(tx, context.holder, moments, most))
  if (job === undefined) return false
  const done = runImport(job, context)
    .catch((error: unknown) => void fault(error, job.id))
    .finally(() => running.delete(job.id))
  running.set(job.id, { large: job.progress.bytes_total >= largeBytes, done })
  return true
}

/** Removes some of what imports left that have ended, or files that were sent only in part; tells whether there was any. */
async function tidy(): Promise<boolean> {
  const left = await db.read((tx) => store.leftOver(tx, store.anHourAgo()))
  if (left !== undefined) {
    const { id, faultsToo } = left
    // The first piece last: it is what the rest is found by.
    await db.bulk((tx) => (faultsToo ? store.dropFaults(tx, id) : store.dropChunks(tx, id, 8)))
    return true
  }
  const staged = await db.read(store.leftStaged)
  if (staged === undefined) return false
  await db.bulk((tx) => store.dropStaged(tx, staged))
  return true
}

function fault(error: unknown, importId = ''): false {
  say({ error: (error as Error).stack ?? String(error), importId })
  return false
}
