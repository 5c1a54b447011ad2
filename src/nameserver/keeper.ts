import type { MessagePort } from 'node:worker_threads'
import type { Level } from 'pino'
import { openDatabase } from '../db/open.ts'
import type { Database } from '../db/sql.ts'
import { Wakes } from '../db/wakes.ts'
import { zoneNamed } from '../journal/content.ts'
import { followZones } from '../journal/feed.ts'
import { type LogFormat, openLog } from '../log.ts'
import { secretsWith } from '../secrets.ts'
import { ArenaReader } from './arena/reader.ts'
import { servedFrom } from './arena/served.ts'
import { ArenaWriter } from './arena/writer.ts'
import { Counters } from './counters.ts'
import { KeyRing } from './key-ring.ts'
import { type Listening, type ListenOptions, listenAll } from './listen.ts'
import { type FailedZone, Loader, type Served } from './load.ts'
import { notifyReceiver } from './notify-in.ts'
import { RateLimiter, type RateSettings } from './rate-limit.ts'
import type { DnsSettings, ServerState } from './server-state.ts'
import { transferer } from './transfer.ts'
import { transferSource } from './transfer-source.ts'
import type { Listen } from './udp-dgram.ts'

/** All that the name server's threads are given; it is sent to them, so it is plain data. */
export type KeeperOptions = ListenOptions & {
  readonly database: { readonly url: string | undefined; readonly dataDir: string }
  readonly secretKey: Uint8Array
  readonly load: 'start' | 'lazy'
  readonly settings: DnsSettings
  readonly rate: RateSettings | undefined
  readonly log: { readonly level: Level | 'silent'; readonly format: LogFormat }
}

export type KeeperOrder =
  | { readonly kind: 'start'; readonly options: KeeperOptions }
  | { readonly kind: 'wake'; readonly topics: readonly string[] }
  /** Has another thread hear at once what is served. */
  | { readonly kind: 'tell'; readonly port: MessagePort }
  | { readonly kind: 'stop' }

/** What the keeper holds and does, once a second. */
export type KeeperState = {
  readonly zones: number
  readonly names: number
  readonly records: number
  readonly bytes: number
  readonly garbageBytes: number
  readonly loading: boolean
  /** How many zones cannot be served, and the first of them. */
  readonly failedCount: number
  readonly failed: readonly FailedZone[]
  readonly tcpConnections: number
  /** How long after its commit the last change was served. */
  readonly feedLagSeconds: number
  /** When all that the journal had was served, in milliseconds since 1970. */
  readonly currentAt: number
  /** Changed zones that were passed on. */
  readonly refreshed: number
}

export type KeeperReport =
  | {
      readonly kind: 'listening'
      readonly listening: readonly Listen[]
      readonly counters: readonly SharedArrayBuffer[]
    }
  | { readonly kind: 'served'; readonly served: Served }
  | { readonly kind: 'notified'; readonly zoneId: string }
  | { readonly kind: 'state'; readonly state: KeeperState }
  | {
      readonly kind: 'trouble'
      readonly message: string
      readonly code: string | undefined
      readonly listen: Listen | undefined
    }

export type Keeper = {
  wake(topics: readonly string[]): void
  tell(port: MessagePort): void
  stop(): Promise<void>
}

const mostFailedTold = 100
const retryEvery = 60_000
const reconcileEvery = 600_000

/** Runs the thread that follows the journal, holds the zones, and serves TCP and transfers. */
export async function runKeeper(
  options: KeeperOptions,
  report: (message: KeeperReport) => void,
): Promise<Keeper | undefined> {
  const log = openLog(options.log)
  const wakes = new Wakes()
  const db = withWakes(
    await openDatabase({
      ...options.database,
      onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    }),
    wakes,
  )
  let listening: Listening | undefined
  const writer = new ArenaWriter((handles) => listening?.updateArena(handles))
  const told = new Set<MessagePort>()
  const onServed = (served: Served) => {
    for (const port of told) port.postMessage(served.published)
    report({ kind: 'served', served })
  }
  const loader = new Loader({ db, holder: writer, log, onServed })
  const keys = new KeyRing({
    db,
    secrets: secretsWith(options.secretKey),
    log,
    onKeys: (changed) => listening?.updateKeys(changed),
  })
  const counters = new Counters()
  const find = (name: string) => db.read((tx) => zoneNamed(tx, name))
  const server: ServerState = {
    zones: servedFrom(new ArenaReader(writer.handles, () => writer.handles)),
    findKey: (name) => keys.find(name),
    isPoolServer: (address) => keys.isPoolServer(address),
    settings: options.settings,
    limiter: options.rate && new RateLimiter(options.rate),
    counters,
    transfer: transferer(transferSource(db, { writer, loader, keys }), log, () => server),
    notify: notifyReceiver({
      find,
      isKeyOf: (zone, keyName) => keys.isKeyOf(zone, keyName),
      onNotified: (zoneId) => report({ kind: 'notified', zoneId }),
    }),
    wanted: (id) => loader.want([id]),
    report: (error) => log.error({ err: error }, 'a request could not be answered'),
  }
  const close = async () => {
    await loader.stop()
    await keys.stop()
    await listening?.close()
    await db.close()
  }
  const startAt = new Date()
  try {
    await keys.refresh()
    await loader.nameAll()
    listening = await listenAll(options, { server, arena: () => writer.handles, keys: keys.keys, log })
  } catch (error) {
    await close()
    const { message, code, listen } = error as Error & { code?: string; listen?: Listen }
    report({ kind: 'trouble', message, code, listen })
    return undefined
  }
  const { addresses, counters: segments } = listening

  let state = { feedLagSeconds: 0, currentAt: startAt.getTime(), refreshed: 0, loading: options.load === 'start' }
  const feed = followZones(db, startAt, {
    isKnown: (zone) => loader.isKnown(zone),
    onZones: async (zones) => {
      await loader.refresh(zones)
      const newest = zones.reduce((last, { changed_at }) => (changed_at > last ? changed_at : last), '')
      const feedLagSeconds = Math.max(0, Date.now() - Date.parse(`${newest.slice(0, 23)}Z`)) / 1000
      state = { ...state, feedLagSeconds, refreshed: state.refreshed + zones.length }
    },
    onCurrent: (moment) => {
      state = { ...state, currentAt: moment.getTime() }
    },
    onError: (error) => log.warn({ err: error }, 'the journal could not be followed; it is tried again'),
  })
  const inBackground = (work: Promise<void>, trouble: string) =>
    work.catch((error: unknown) => log.error({ err: error }, trouble))
  let background = Promise.resolve()
  if (state.loading) {
    const loaded = loader.loadAll().then((isAll) => {
      if (isAll) log.info({ ...writer.stats }, 'every zone is served')
    })
    background = inBackground(loaded, 'zones could not be loaded; each is loaded when it is asked for').finally(() => {
      state = { ...state, loading: false }
    })
  }
  const timers = [
    setInterval(() => tell(), 1000),
    setInterval(() => loader.retryFailed(), retryEvery),
    setInterval(() => {
      background = background.then(() =>
        inBackground(loader.reconcile(), 'zones could not be compared with the database'),
      )
    }, reconcileEvery),
  ]
  const tell = () => {
    const { zones, names, records, bytes, garbageBytes } = writer.stats
    const failed = [...loader.failed.values().take(mostFailedTold)]
    const { tcpConnections } = listening!
    const held = { zones, names, records, bytes, garbageBytes, tcpConnections }
    report({ kind: 'state', state: { ...held, ...state, failed, failedCount: loader.failed.size } })
  }
  tell()
  report({ kind: 'listening', listening: addresses, counters: [counters.slots.buffer, ...segments] })

  return {
    wake: (topics) => wakes.tell(topics),
    tell(port) {
      told.add(port)
      port.on('close', () => told.delete(port))
      port.unref()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await feed.stop()
      await loader.stop()
      await background
      await close()
    },
  }
}

/**
 * Wakes of commits in this process come from the thread that commits, on SQLite there are no others; on PostgreSQL those of
 * other processes come from the database.
 */
function withWakes(db: Database, wakes: Wakes): Database {
  return {
    ...db,
    follow: (listener) => {
      const unfollow = [wakes.follow(listener), ...(db.engine === 'postgres' ? [db.follow(listener)] : [])]
      return () => {
        for (const stop of unfollow) stop()
      }
    },
  }
}
