import {
  maskDatabaseUrl,
  parseAddress,
  parseBoolean,
  parseBytes,
  parseChoice,
  parseDatabaseUrl,
  parseEmail,
  parseHostname,
  parseInteger,
  parseIp,
  parseList,
  parseNetwork,
  parseOptional,
  parseOrigin,
  parsePath,
  parseQuota,
  parseRecordType,
  parseSecretKey,
  parseSocketAddress,
  parseSome,
  parseText,
  parseWebUrl,
} from './config/parse.ts'
import { networkContradictions, reverseSettings } from './config/reverse-settings.ts'
import { schedulerFilters } from './scheduler-filters.ts'

/** One setting: what it is for, how its text is read, and the text that stands when nobody gives one. */
export type Setting<T = unknown> = {
  readonly help: string
  readonly default: string
  readonly parse: (text: string) => T
  /** `list`: several values, separated by commas. `switch`: its flag may stand alone. */
  readonly kind?: 'list' | 'switch'
  /** Shows a value that holds a secret without it. */
  readonly mask?: (text: string) => string
}

/**
 * Every setting. The environment (`NAMEPLANE_API_LISTEN`), nameplane.yaml (`api_listen`), flags (`--api-listen`), help,
 * `nameplane config` and docs/operating.md are all derived from these rows.
 */
export const settings = {
  api_listen: {
    help: 'Address and port of the HTTP API.',
    default: '127.0.0.1:9001',
    parse: parseAddress,
  },
  dns_listen: {
    help: 'Addresses and ports of the DNS server, UDP and TCP.',
    default: '127.0.0.1:5354',
    parse: parseSome(parseSocketAddress),
    kind: 'list',
  },
  dns_source: {
    help: 'Addresses of the machine that NOTIFY, questions and transfers go out from; without any, those of dns_listen; 0.0.0.0 or :: leave it to the system.',
    default: '',
    parse: parseList(parseIp),
    kind: 'list',
  },
  dns_udp: {
    help: 'How UDP is received: ffi (batches, Linux), dgram (anywhere, slower), or auto (ffi where it can be had).',
    default: 'auto',
    parse: parseChoice('auto', 'ffi', 'dgram'),
  },
  dns_threads: {
    help: 'Threads that answer UDP; 0 takes one less than there are cores, at least one.',
    default: '0',
    parse: parseInteger(0, 256),
  },
  dns_load: {
    help: 'When zones are read into memory: at the start, or lazily when each is first asked for.',
    default: 'start',
    parse: parseChoice('start', 'lazy'),
  },
  dns_udp_size: {
    help: 'Largest answer over UDP in octets; longer ones are cut, and clients come back by TCP.',
    default: '1232',
    parse: parseInteger(512, 4096),
  },
  dns_server_id: {
    help: 'What NSID and id.server tell of this server; empty tells nothing.',
    default: '',
    parse: parseOptional(parseText(128)),
  },
  dns_version: {
    help: 'What version.bind tells; empty tells nothing.',
    default: '',
    parse: parseOptional(parseText(128)),
  },
  dns_rate_limit: {
    help: 'Answers per second that one network (/24, /56) gets of one kind about one name over UDP; 0 for no limit.',
    default: '100',
    parse: parseInteger(0, 1_000_000),
  },
  dns_rate_slip: {
    help: 'Of answers over that limit, one in so many is sent as a hint to use TCP; 0 for none.',
    default: '2',
    parse: parseInteger(0, 100),
  },
  dns_rate_exempt: {
    help: 'Addresses and networks whose answers are not limited.',
    default: '127.0.0.0/8,::1',
    parse: parseList(parseNetwork),
    kind: 'list',
  },
  dns_tcp_connections: {
    help: 'TCP connections to the DNS server at one time.',
    default: '10000',
    parse: parseInteger(1, 1_000_000),
  },
  dns_tcp_per_client: {
    help: 'TCP connections to the DNS server that one address may have.',
    default: '200',
    parse: parseInteger(1, 1_000_000),
  },
  dns_tcp_idle: {
    help: 'Seconds a TCP connection to the DNS server may be without a request.',
    default: '10',
    parse: parseInteger(1, 3600),
  },
  data_dir: {
    help: 'Folder that holds the embedded database and the lock; made if it is not there.',
    default: './data',
    parse: parsePath,
  },
  database_url: {
    help: 'PostgreSQL to keep everything in (postgres://…); without it, SQLite in the data folder.',
    default: '',
    parse: parseOptional(parseDatabaseUrl),
    mask: maskDatabaseUrl,
  },
  default_ns: {
    help: 'Name servers of the default pool, given to it on the first start.',
    default: 'ns1.nameplane.test.',
    parse: parseSome(parseHostname),
    kind: 'list',
  },
  auth: {
    help: 'How callers are known. none: whoever can connect is believed about project and roles.',
    default: 'none',
    parse: parseChoice('none'),
  },
  auth_none_anywhere: {
    help: 'Allows auth none on an address that other machines can reach.',
    default: 'false',
    parse: parseBoolean,
    kind: 'switch',
  },
  public_url: {
    help: "URL under which clients reach the API, for links; without it links follow the request's Host.",
    default: '',
    parse: parseOptional(parseWebUrl),
  },
  trusted_proxies: {
    help: 'Proxies (addresses or networks) whose Forwarded and X-Forwarded-* headers are believed.',
    default: '',
    parse: parseList(parseNetwork),
    kind: 'list',
  },
  cors_origins: {
    help: 'Web origins whose pages may call the API from a browser; * for any.',
    default: '',
    parse: parseList(parseOrigin),
    kind: 'list',
  },
  default_limit: {
    help: 'Rows on a page of a list when the request does not say.',
    default: '20',
    parse: parseInteger(1, 100_000),
  },
  max_limit: {
    help: 'Most rows on a page of a list.',
    default: '1000',
    parse: parseInteger(1, 100_000),
  },
  max_body_bytes: {
    help: 'Largest request body; a larger one is answered with 413.',
    default: '1 MiB',
    parse: parseBytes(1024, 2 ** 30),
  },
  import_max_bytes: {
    help: 'Largest zone file that may be imported.',
    default: '256 MiB',
    parse: parseBytes(1024, 2 ** 40),
  },
  import_max_changes: {
    help: 'Most record sets that one import may change in a zone that is there (mode=replace or merge). With SQLite nobody else writes while they change: 6 to 10 seconds for the default on a small, busy machine.',
    default: '100000',
    parse: parseInteger(1, 100_000_000),
  },
  secondary_max_records: {
    help: 'Most records of a SECONDARY zone that are taken from a master, whatever quota its project has.',
    default: '100000',
    parse: parseInteger(1, 100_000_000),
  },
  secondary_max_bytes: {
    help: 'Largest transfer of a SECONDARY zone that is taken from a master.',
    default: '128 MiB',
    parse: parseBytes(1024, 2 ** 40),
  },
  default_ttl: {
    help: 'TTL of a zone that is created without one.',
    default: '3600',
    parse: parseInteger(0, 2_147_483_647),
  },
  min_ttl: {
    help: 'Least TTL that zones and record sets may have; administrators may go lower.',
    default: '0',
    parse: parseInteger(0, 2_147_483_647),
  },
  managed_email: {
    help: 'E-mail address shown for zones that have none of their own: SECONDARY ones, and reverse zones that the service makes.',
    default: 'hostmaster@example.com',
    parse: parseEmail,
  },
  ...reverseSettings,
  scheduler_filters: {
    help: `How the pool of a new zone is chosen, in this order: ${schedulerFilters.join(', ')}.`,
    default: 'default_pool',
    parse: parseSome(parseChoice(...schedulerFilters)),
    kind: 'list',
  },
  record_types: {
    help: 'Record types that may be used; empty allows every type that can be served.',
    default: '',
    parse: parseList(parseRecordType),
    kind: 'list',
  },
  allow_special_names: {
    help: 'Allow zones in names reserved for other uses, such as localhost., invalid. and home.arpa.',
    default: 'false',
    parse: parseBoolean,
    kind: 'switch',
  },
  purge_age: {
    help: 'Seconds a deleted zone and its content, and imports and exports that are done, are kept before they are removed for good.',
    default: '604800',
    parse: parseInteger(0, 3_153_600_000),
  },
  journal_age: {
    help: 'Seconds a published change is kept for incremental transfers; secondaries further behind get the whole zone.',
    default: '2592000',
    parse: parseInteger(0, 3_153_600_000),
  },
  journal_changes: {
    help: 'How many changes a zone keeps at most for incremental transfers.',
    default: '10000',
    parse: parseInteger(1, 1_000_000_000),
  },
  quota_preset: {
    help: 'Default quotas of a project: nameplane (generous, as for one user) or designate (what Designate gives).',
    default: 'nameplane',
    parse: parseChoice('nameplane', 'designate'),
  },
  quota_zones: {
    help: 'Default quota of zones in a project, in place of what the preset has; -1 for no limit.',
    default: '',
    parse: parseOptional(parseQuota),
  },
  quota_zone_recordsets: {
    help: 'Default quota of record sets in a zone; -1 for no limit.',
    default: '',
    parse: parseOptional(parseQuota),
  },
  quota_zone_records: {
    help: 'Default quota of records in a zone; -1 for no limit.',
    default: '',
    parse: parseOptional(parseQuota),
  },
  quota_recordset_records: {
    help: 'Default quota of records in a record set; -1 for no limit.',
    default: '',
    parse: parseOptional(parseQuota),
  },
  quota_api_export_size: {
    help: 'Default quota of record sets in a zone that is exported; -1 for no limit.',
    default: '',
    parse: parseOptional(parseQuota),
  },
  enable_api_admin: {
    help: 'Whether there is /admin: reports over all projects, and quotas in the form older tools know.',
    default: 'false',
    parse: parseBoolean,
    kind: 'switch',
  },
  secret_key: {
    help: 'Key that secrets in the database are encrypted with: base64 of 32 octets, or a passphrase; without it, the file secret.key in the data folder.',
    default: '',
    parse: parseOptional(parseSecretKey),
    mask: () => '***',
  },
  metrics: {
    help: 'Tell metrics at /metrics, in the format of Prometheus, to whoever can connect to the API.',
    default: 'true',
    parse: parseBoolean,
    kind: 'switch',
  },
  log_level: {
    help: 'Least severe message that is logged: trace, debug, info, warn, error, fatal or silent.',
    default: 'info',
    parse: parseChoice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  log_format: {
    help: 'Form of the log on standard error: json, pretty, or auto (pretty on a terminal).',
    default: 'auto',
    parse: parseChoice('auto', 'json', 'pretty'),
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

/** Every setting with its parsed value. */
export type Config = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]['parse']> }

export const settingNames = Object.keys(settings) as readonly SettingName[]

/** The settings as plain rows, for code that treats them all alike. */
export const settingRows: Readonly<Record<SettingName, Setting>> = settings

export const environmentName = (name: SettingName): string => `NAMEPLANE_${name.toUpperCase()}`

export const flagName = (name: SettingName): string => `--${name.replaceAll('_', '-')}`

/** What values that are right one by one get wrong together; a line each. */
export function contradictions(config: Config): readonly string[] {
  const lines: string[] = []
  if (config.default_limit > config.max_limit) {
    lines.push(`default_limit (${config.default_limit}) must not be more than max_limit (${config.max_limit})`)
  }
  const { host } = config.api_listen
  if (config.auth === 'none' && !config.auth_none_anywhere && !isLoopback(host)) {
    lines.push(
      `api_listen ${host} can be reached from other machines, and with auth none everyone who connects is an ` +
        'administrator; listen on 127.0.0.1, or allow it with --auth-none-anywhere',
    )
  }
  lines.push(...networkContradictions(config))
  return lines
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
