import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { believeHeaders } from './api/auth.ts'
import { deliveryMetrics } from './backends/metrics.ts'
import { type RunningDelivery, startDelivery } from './backends/start.ts'
import { banner } from './banner.ts'
import { systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { migrate, SchemaTooNew } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { type Database, DatabaseUnavailable } from './db/sql.ts'
import { openFolder } from './folder.ts'
import { lockFolder } from './lock.ts'
import { nameserverMetrics, nameserverReadiness } from './nameserver/metrics.ts'
import { rateSettings } from './nameserver/rate-settings.ts'
import { type Nameserver, type NameserverOptions, startNameserver } from './nameserver/start.ts'
import { processMetrics } from './process-metrics.ts'
import { runSettings } from './resources/imports/settings.ts'
import { startImports } from './resources/imports/start.ts'
import type { ResourceSettings } from './resources/index.ts'
import { ensureDefaultPool } from './resources/pools/seed.ts'
import { quotaPresets } from './resources/quotas/fields.ts'
import { staticList } from './resources/reverse-names/sources/static.ts'
import { mustBeKeyOf } from './resources/secret-key.ts'
import { startHeartbeat } from './resources/service-statuses/heartbeat.ts'
import { startUpkeep } from './resources/upkeep.ts'
import { startSecondary } from './secondary/start.ts'
import { openSecrets, type Secrets } from './secrets.ts'
import { dieLoudly, stopSignal } from './signals.ts'
import { listenTrouble, Trouble } from './trouble.ts'

/** Runs the service, its name server in a thread that was made beforehand, until a signal stops it; resolves with the exit code. */
export async function serve(config: Config, log: Logger, thread: Worker): Promise<number> {
  dieLoudly(log)
  const stopped = stopSignal(log)
  // Closed in the opposite order, whether we are told to stop or fail on the way up.
  await using parts = new AsyncDisposableStack()
  parts.defer(async () => void (await thread.terminate()))
  const { db } = await openStore(config, log, parts)
  const secrets = await openSecrets({ dataDir: config.data_dir, secretKey: config.secret_key })
  await db.write((tx) => mustBeKeyOf(tx, secrets))
  await db.write((tx) => ensureDefaultPool(tx, config.default_ns, systemClock()))
  const starting = startNameserver({
    thread,
    db,
    clock: systemClock,
    log,
    keeper: keeperOptions(config, secrets),
  })
  // Should it fail, that is told where it is waited for.
  starting.catch(() => {})
  parts.defer(async () => (await starting.catch(() => undefined))?.close())
  // Read only now: the name server starts at the same time, on threads of its own.
  const [{ startApi }, { routes }] = await Promise.all([import('./api/server.ts'), import('./resources/index.ts')])
  const settings = resourceSettings(config, secrets, await addressSource(config))
  let nameserver: Nameserver | undefined
  let delivery: RunningDelivery | undefined
  const api = await startApi({
    db,
    listen: config.api_listen,
    routes: routes(settings),
    authenticate: believeHeaders,
    defaultLimit: config.default_limit,
    maxLimit: config.max_limit,
    maxBodyBytes: config.max_body_bytes,
    publicUrl: config.public_url,
    trustedProxies: config.trusted_proxies,
    corsOrigins: config.cors_origins,
    log,
    clock: systemClock,
    readiness: () => nameserver && { nameserver: nameserverReadiness(nameserver.stats()) },
    ...(config.metrics && {
      metrics: () => [
        ...processMetrics(),
        ...(nameserver ? nameserverMetrics(nameserver.stats(), systemClock()) : []),
        ...(delivery ? deliveryMetrics(delivery.stats()) : []),
      ],
    }),
  }).catch((error: unknown) => {
    throw listenTrouble(error, 'api_listen', config.api_listen)
  })
  parts.defer(() => api.close())
  const upkeep = startUpkeep({
    db,
    clock: systemClock,
    log,
    purgeAgeSeconds: config.purge_age,
    journalAgeSeconds: config.journal_age,
    journalChangesPerZone: config.journal_changes,
  })
  parts.defer(() => upkeep.stop())
  nameserver = await starting.catch((error: unknown) => {
    throw listenTrouble(
      error,
      'dns_listen',
      (error as { listen?: (typeof config.dns_listen)[number] }).listen ?? config.dns_listen[0]!,
    )
  })
  const sources = config.dns_source.length > 0 ? config.dns_source : config.dns_listen.map(({ host }) => host)
  delivery = startDelivery({
    db,
    log,
    tellServed: (port) => nameserver?.tellServed(port),
    data: { secretKey: secrets.key, sources, log: { level: config.log_level, format: config.log_format } },
  })
  parts.defer(() => delivery?.stop())
  const heartbeat = startHeartbeat({
    db,
    clock: systemClock,
    log,
    hostname: hostname(),
    // A data folder is one process's alone, and the same one's after a restart.
    instance: resolve(config.data_dir),
    roles: () => ['api', 'central', 'producer', 'mdns', 'worker'],
  })
  parts.defer(() => heartbeat.stop())
  const imports = startImports({ db, log, settings: runSettings(settings) })
  parts.defer(() => imports.stop())
  const secondary = startSecondary({
    db,
    log,
    data: {
      secretKey: secrets.key,
      sources,
      quotaDefaults: settings.quotaDefaults,
      limits: { records: config.secondary_max_records, octets: config.secondary_max_bytes },
      log: { level: config.log_level, format: config.log_format },
    },
  })
  parts.defer(() => secondary.stop())
  const store = db.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  process.stdout.write(banner({ api: api.url, dns: nameserver.listening, data: `${config.data_dir} (${store})` }))
  log.info({ api: api.url, engine: db.engine, pid: process.pid }, 'ready')
  log.info({ signal: await stopped }, 'stopping')
  await parts.disposeAsync()
  log.info('stopped')
  return 0
}

/** What the name server's threads are given of the settings. */
function keeperOptions(config: Config, secrets: Secrets): NameserverOptions['keeper'] {
  const exempt = config.dns_rate_exempt
  return {
    database: { url: config.database_url, dataDir: config.data_dir },
    secretKey: secrets.key,
    listen: config.dns_listen,
    udp: config.dns_udp,
    threads: config.dns_threads === 0 ? Math.max(1, availableParallelism() - 1) : config.dns_threads,
    load: config.dns_load,
    settings: {
      udpSize: config.dns_udp_size,
      serverId: config.dns_server_id,
      version: config.dns_version,
      cookieSecrets: [randomBytes(16)],
      tcpIdleSeconds: config.dns_tcp_idle,
    },
    tcp: {
      connections: config.dns_tcp_connections,
      connectionsPerClient: config.dns_tcp_per_client,
      idle: config.dns_tcp_idle,
      stalled: 5,
    },
    rate: config.dns_rate_limit === 0 ? undefined : rateSettings(config.dns_rate_limit, config.dns_rate_slip, exempt),
    log: { level: config.log_level, format: config.log_format },
  }
}

/** What the resources are given of the settings. */
function resourceSettings(
  config: Config,
  secrets: Secrets,
  addressSource: ResourceSettings['addressSource'],
): ResourceSettings {
  const preset = quotaPresets[config.quota_preset]
  return {
    secrets,
    quotaDefaults: {
      zones: config.quota_zones ?? preset.zones,
      zone_recordsets: config.quota_zone_recordsets ?? preset.zone_recordsets,
      zone_records: config.quota_zone_records ?? preset.zone_records,
      recordset_records: config.quota_recordset_records ?? preset.recordset_records,
      api_export_size: config.quota_api_export_size ?? preset.api_export_size,
    },
    minTtl: config.min_ttl,
    maxZoneNameLength: 255,
    maxRecordsetNameLength: 255,
    defaultTtl: config.default_ttl,
    managedEmail: config.managed_email,
    schedulerFilters: config.scheduler_filters,
    recordTypes: config.record_types.length === 0 ? undefined : new Set(config.record_types),
    allowSpecialNames: config.allow_special_names,
    purgeAgeSeconds: config.purge_age,
    importMaxBytes: config.import_max_bytes,
    importMaxChanges: config.import_max_changes,
    adminApi: config.enable_api_admin,
    managedProject: config.managed_project,
    reversePrefixes: { ipv4: config.reverse_ipv4_prefix, ipv6: config.reverse_ipv6_prefix },
    addressSource,
  }
}

/** Where the addresses of projects are known: at OpenStack's network service where one is set, else in our own list. */
async function addressSource(config: Config): Promise<ResourceSettings['addressSource']> {
  if (config.network_url === undefined) return staticList
  const { networkService } = await import('./resources/reverse-names/sources/openstack.ts')
  return networkService({
    url: config.network_url,
    region: config.network_region,
    ca: config.network_ca_file && certificates(config.network_ca_file),
    identity:
      config.network_identity_url === undefined
        ? undefined
        : { url: config.network_identity_url, credentials: credentials(config) },
    clock: systemClock,
  })
}

function certificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Trouble(`cannot read ${file}: ${(error as Error).message} (network_ca_file)`)
  }
}

const credentials = (config: Config) =>
  config.network_credential_id === undefined
    ? {
        username: config.network_username!,
        password: config.network_password!,
        project: config.network_project,
        domain: config.network_domain,
      }
    : { id: config.network_credential_id, secret: config.network_credential_secret! }

/** Brings the schema up to date and nothing else; resolves with the numbers of the migrations it applied. */
export async function migrateOnly(config: Config, log: Logger): Promise<readonly number[]> {
  await using parts = new AsyncDisposableStack()
  const { applied } = await openStore(config, log, parts)
  return applied
}

/** The data folder, ours alone, and the database with the schema this program knows. */
async function openStore(
  config: Config,
  log: Logger,
  parts: AsyncDisposableStack,
): Promise<{ db: Database; applied: readonly number[] }> {
  const folder = openFolder(config.data_dir)
  const lock = lockFolder(folder)
  parts.defer(() => lock.release())
  try {
    const db = await openDatabase({
      url: config.database_url,
      dataDir: folder,
      onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    })
    parts.defer(() => db.close())
    const { applied } = await migrate(db, systemClock())
    if (applied.length > 0) log.info({ applied }, 'schema migrated')
    return { db, applied }
  } catch (error) {
    throw databaseTrouble(error, config.database_url === undefined ? folder : 'PostgreSQL')
  }
}

const sqliteStatementFault = 1

/** What a person can put right about a database, as one line; a fault of our own SQL stays as it is. */
function databaseTrouble(error: unknown, where: string): unknown {
  if (error instanceof SchemaTooNew) return new Trouble(error.message)
  if (error instanceof DatabaseUnavailable) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message || String(error.cause)}` : ''
    return new Trouble(`${error.message}${cause} (database_url)`)
  }
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string }
  const ofSqlite = code === 'ERR_SQLITE_ERROR' && errcode !== sqliteStatementFault
  // PostgreSQL: who we are (28), which database (3D), what we may do (42501).
  const ofPostgres = /^(28|3D|42501)/.test(code ?? '')
  return ofSqlite || ofPostgres ? new Trouble(`cannot use the database in ${where}: ${message}`) : error
}
