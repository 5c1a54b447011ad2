import type { Level } from 'pino'
import { openDatabase } from '../db/open.ts'
import type { Database } from '../db/sql.ts'
import { Wakes } from '../db/wakes.ts'
import { RCODE } from '../dns/codes.ts'
import { followZones } from '../journal/feed.ts'
import { type LogFormat, openLog } from '../log.ts'
import { secretsWith } from '../secrets.ts'
import { ArenaReader } from './arena/reader.ts'
import { servedFrom } from './arena/served.ts'
import { ArenaWriter } from './arena/writer.ts'
import { Counters } from './counters.ts'
import { KeyRing } from './key-ring.ts'
import { Loader, type Served } from './load.ts'
import { RateLimiter, type RateSettings } from './rate-limit.ts'
import type { DnsSettings, ServerState } from './server-state.ts'
import { listenTcp, type TcpLimits } from './tcp.ts'
import { transferer } from './transfer.ts'
import { transferSource } from './transfer-source.ts'
import { type Listen, type Listener, listenDgram } from './udp-dgram.ts'

/** All that the name server's threads are given; it is sent to them, so it is plain data. */
export type KeeperOptions = {
  readonly database: { readonly url: string | undefined; readonly dataDir: string }
  readonly secretKey: Uint8Array
  readonly listen: readonly Listen[]
  readonly udp: 'auto' | 'ffi' | 'dgram'
  readonly threads: number
  readonly load: 'start' | 'lazy'
  readonly settings: DnsSettings
  readonly tcp: TcpLimits
  readonly rate: RateSettings | undefined
  readonly log: { readonly level: Level | 'silent'; readonly format: LogFormat }
}

export type KeeperOrder = { readonly kind: 'wake'; readonly topics: readonly string[] } | { readonly kind: 'stop' }

/** What the keeper holds and does, once a second. */
export type KeeperState = {
  readonly zones: number
  readonly names: number
  readonly records: number
  readonly bytes: number
  readonly loading: boolean
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  readonly tcpConnections: number
  /** How long after its commit the last change was served. */
  readonly lagMilliseconds: number
}

export type KeeperReport =
  | {
      readonly kind: 'listening'
      readonly listening: readonly Listen[]
      readonly counters: readonly SharedArrayBuffer[]
    }
  | { readonly kind: 'served'; readonly served: Served }
  | { readonly kind: 'state'; readonly state: KeeperState }
  | {
      readonly kind: 'trouble'
      readonly message: string
      readonly code: string | undefined
      readonly listen: Listen | undefined
    }

export type Keeper = { wake(topics: readonly string[]): void; stop(): Promise<void> }

/** Runs the thread that follows the journal, holds the zones, and serves TCP and transfers. */
export async function runKeeper(
  options: KeeperOptions,
  report: (message: KeeperReport) => void,
): Promise<Keeper | undefined> {
  const log = openLog(options.log)
  const wakes = new Wakes()
  const db = withWakes(
    openDatabase({
      ...options.database,
      onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    }),
    wakes,
  )
  const writer = new ArenaWriter()
  const keys = new KeyRing(db, secretsWith(options.secretKey), log)
  let lag = 0
  const loader = new Loader({ db, holder: writer, log, onServed: (served) => report({ kind: 'served', served }) })
  const counters = new Counters()
  const server: ServerState = {
    zones: servedFrom(new ArenaReader(writer.handles, () => writer.handles)),
    findKey: (name) => keys.find(name),
    settings: options.settings,
    limiter: options.rate && new RateLimiter(options.rate),
    counters,
    transfer: (request) => transfer(request),
    notify: () => RCODE.NOTAUTH,
    wanted: (id) =>
      void loader.load([id]).catch((error: unknown) => log.warn({ err: error }, 'a zone could not be loaded')),
    report: (error) => log.error({ err: error }, 'a request could not be answered'),
  }
  const transfer = transferer(transferSource(db, writer, keys), () => server)
  await keys.refresh()
  const startAt = new Date()
  await loader.nameAll()

  const listeners: (Listener & { readonly connections?: number })[] = []
  for (const listen of options.listen) {
    try {
      const tcp = await listenTcp(listen, options.tcp, server)
      listeners.push(tcp, await listenDgram({ host: listen.host, port: tcp.address.port }, server))
    } catch (error) {
      await Promise.all(listeners.map((listener) => listener.close()))
      await db.close()
      const { message, code } = error as Error & { code?: string }
      report({ kind: 'trouble', message, code, listen })
      return undefined
    }
  }
  const feed = followZones(db, startAt, {
    onZones: async (zones) => {
      await loader.refresh(zones)
      const newest = zones.reduce((last, { changed_at }) => (changed_at > last ? changed_at : last), '')
      lag = Math.max(0, Date.now() - Date.parse(`${newest.slice(0, 23)}Z`))
    },
    onError: (error) => log.warn({ err: error }, 'the journal could not be followed; it is tried again'),
  })
  let loading = options.load === 'start'
  if (loading) {
    void loader.loadAll().then(
      () => {
        loading = false
        log.info({ ...writer.stats }, 'every zone is served')
      },
      (error: unknown) => log.error({ err: error }, 'zones could not be loaded; each is loaded when it is asked for'),
    )
  }
  const tell = setInterval(() => {
    const { zones, names, records, bytes } = writer.stats
    const tcpConnections = listeners.reduce((total, { connections }) => total + (connections ?? 0), 0)
    report({
      kind: 'state',
      state: {
        zones,
        names,
        records,
        bytes,
        loading,
        failed: [...loader.failed.values()].slice(0, 100),
        tcpConnections,
        lagMilliseconds: lag,
      },
    })
  }, 1000)
  const addresses = listeners.filter(({ connections }) => connections !== undefined).map(({ address }) => address)
  report({ kind: 'listening', listening: addresses, counters: [counters.slots.buffer] })

  return {
    wake(topics) {
      wakes.tell(topics)
      keys.wake(topics)
    },
    async stop() {
      clearInterval(tell)
      loader.stop()
      keys.stop()
      await feed.stop()
      await Promise.all(listeners.map((listener) => listener.close()))
      await db.close()
    },
  }
}

/** On SQLite the wakes of commits come from the thread that commits; they are passed on to this one. */
function withWakes(db: Database, wakes: Wakes): Database {
  return db.engine === 'sqlite' ? { ...db, follow: (listener) => wakes.follow(listener) } : db
}
