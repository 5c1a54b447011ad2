import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Fault } from '../errors.ts'
import { toUuid } from '../ids.ts'
import { type GivenCatalog, poolDelivery } from '../resources/pool-delivery/fields.ts'
import { pool as poolResource } from '../resources/pools/fields.ts'
import {
  addressKey,
  type HostPort,
  hostPort,
  idOrNull,
  isMapping,
  kindOf,
  list,
  mapping,
  noTwins,
  type Path,
  placeText,
  unquoted,
  wrong,
} from './pools-read.ts'
import { readTarget, type WantedTarget } from './pools-targets.ts'

export type NsRecord = { readonly hostname: string; readonly priority: number }
export type WantedNameserver = HostPort & { readonly tsigkey_id: string | null; readonly path: Path }

/** A pool as a file wants it; what is undefined the file does not speak of, and it stays as it is. */
export type WantedPool = {
  readonly path: Path
  readonly id: string | undefined
  readonly name: string
  readonly description: string | null | undefined
  readonly attributes: Readonly<Record<string, string>> | undefined
  readonly ns_records: readonly NsRecord[] | undefined
  readonly nameservers: readonly WantedNameserver[] | undefined
  readonly targets: readonly WantedTarget[] | undefined
  readonly also_notifies: readonly HostPort[] | undefined
  readonly catalog_zone: GivenCatalog | null | undefined
  readonly threshold_percentage: number | undefined
  readonly grace_seconds: number | undefined
}

/** What a file says. `tell` writes faults with the lines of the file they stand in. */
export type PoolsFile = {
  readonly pools: readonly WantedPool[]
  readonly faults: readonly Fault[]
  readonly tell: (faults: readonly Fault[]) => string[]
}

const poolKeys = [
  'id',
  'name',
  'description',
  'attributes',
  'ns_records',
  'nameservers',
  'targets',
  'also_notifies',
  'catalog_zone',
  'threshold_percentage',
  'grace_seconds',
]

/** Reads a pools.yaml, of Designate or of ours; finds all that is wrong with it. */
export function readPools(text: string, file: string): PoolsFile {
  const lines = new LineCounter()
  // Designate reads YAML 1.1, where `yes` is true.
  const document = parseDocument(text, { version: '1.1', lineCounter: lines, logLevel: 'error' })
  const faults: Fault[] = []
  const nothing = (reasons: readonly string[]) => ({
    pools: [],
    faults,
    tell: () => reasons.map((one) => `${file}${one}`),
  })
  if (document.errors.length > 0) {
    wrong(faults, [], 'is no YAML')
    // Only the first line of each: the others quote the file, which may hold secrets.
    return nothing(document.errors.map(({ message }) => `: ${message.split('\n')[0]!.replace(/:$/, '')}`))
  }
  let held: unknown
  try {
    held = document.toJS({ maxAliasCount: 1000 })
  } catch (error) {
    wrong(faults, [], 'is no YAML')
    return nothing([`: ${(error as Error).message.split('\n')[0]}`])
  }
  const tell = (found: readonly Fault[]) =>
    found.map(({ path, message }) => `${file}${lineOf(document, lines, path)}: ${placeText(path)}: ${message}`)
  if (!Array.isArray(held) || held.length === 0) {
    wrong(
      faults,
      [],
      `must be a list of pools, each with a name, not ${Array.isArray(held) ? 'an empty one' : kindOf(held)}`,
    )
    return { pools: [], faults, tell }
  }
  const pools = list(held, [], faults, readPool) ?? []
  noTwins(held, [], (item) => textOf(item, 'name'), faults)
  noTwins(held, [], (item) => toUuid(textOf(item, 'id') ?? ''), faults)
  return { pools: pools.filter((one) => one !== undefined), faults, tell }
}

const textOf = (item: unknown, key: string): string | undefined =>
  isMapping(item) && typeof item[key] === 'string' ? item[key] : undefined

function readPool(value: unknown, path: Path, faults: Fault[]): WantedPool | undefined {
  const given = mapping(value, path, poolKeys, faults)
  if (given === undefined) return undefined
  const before = faults.length
  const { fields } = poolResource
  const at = (key: string): Path => [...path, key]
  /** What the file says of a key, read; undefined where it says nothing. */
  const said = <T>(key: string, read: (held: unknown, path: Path, faults: Fault[]) => T | undefined): T | undefined =>
    Object.hasOwn(given, key) ? read(given[key], at(key), faults) : undefined

  if ((given.name ?? null) === null) wrong(faults, at('name'), 'is required')
  const name = (given.name ?? null) === null ? undefined : fields.name.parse(given.name, at('name'), faults)
  const nameservers = said('nameservers', (held, where) => list(held, where, faults, readNameserver))
  const about = {
    pool: JSON.stringify(typeof given.name === 'string' ? given.name.slice(0, 50) : `number ${path.at(-1)}`),
    nameservers: nameservers?.filter((one) => one !== undefined) ?? [],
  }
  const read = {
    path,
    id: (given.id ?? null) === null ? undefined : (idOrNull(given.id, at('id'), faults) ?? undefined),
    name,
    description: said('description', fields.description.parse),
    attributes: said('attributes', readAttributes),
    ns_records: said('ns_records', readNsRecords),
    nameservers,
    targets: said('targets', (held, where) =>
      list(held, where, faults, (item, place) => readTarget(item, place, about, faults)),
    ),
    also_notifies: said('also_notifies', (held, where) => list(held, where, faults, hostPort)),
    catalog_zone: said('catalog_zone', readCatalog),
    threshold_percentage: said('threshold_percentage', (held, where) =>
      poolDelivery.fields.threshold_percentage.parse(unquoted(held), where, faults),
    ),
    grace_seconds: said('grace_seconds', (held, where) =>
      poolDelivery.fields.grace_seconds.parse(unquoted(held), where, faults),
    ),
  }
  noTwins(read.nameservers, at('nameservers'), addressKey, faults)
  noTwins(read.also_notifies, at('also_notifies'), addressKey, faults)
  noTwins(read.ns_records, at('ns_records'), ({ hostname }) => hostname.toLowerCase(), faults)
  return faults.length > before ? undefined : (read as WantedPool)
}

function readNameserver(value: unknown, path: Path, faults: Fault[]): WantedNameserver | undefined {
  const given = mapping(value, path, ['host', 'port', 'tsigkey_id'], faults)
  if (given === undefined) return undefined
  const at = hostPort({ host: given.host, port: given.port }, path, faults)
  const tsigkey_id = idOrNull(given.tsigkey_id, [...path, 'tsigkey_id'], faults)
  return at === undefined || tsigkey_id === undefined ? undefined : { ...at, tsigkey_id, path }
}

function readAttributes(value: unknown, path: Path, faults: Fault[]): Record<string, string> | undefined {
  if (value === null || !isMapping(value)) return poolResource.fields.attributes.parse(value, path, faults)
  const texts = Object.entries(value).map(([key, held]) => [
    key,
    typeof held === 'number' || typeof held === 'boolean' ? String(held) : held,
  ])
  return poolResource.fields.attributes.parse(Object.fromEntries(texts), path, faults)
}

function readNsRecords(value: unknown, path: Path, faults: Fault[]): readonly NsRecord[] | undefined {
  const items = Array.isArray(value)
    ? value.map((item) =>
        isMapping(item) && item.priority !== undefined ? { ...item, priority: unquoted(item.priority) } : item,
      )
    : value
  return poolResource.fields.ns_records.parse(items, path, faults)
}

function readCatalog(value: unknown, path: Path, faults: Fault[]): GivenCatalog | null | undefined {
  if (!isMapping(value)) return poolDelivery.fields.catalog_zone.parse(value, path, faults)
  const { catalog_zone_refresh: refresh, catalog_zone_tsig_key: key, ...rest } = value
  if (key === '') wrong(faults, [...path, 'catalog_zone_tsig_key'], 'must not be empty')
  const given = {
    ...rest,
    ...(refresh !== undefined && { catalog_zone_refresh: unquoted(refresh) }),
    ...((key ?? '') !== '' && { catalog_zone_tsig_key: key }),
  }
  return poolDelivery.fields.catalog_zone.parse(given, path, faults)
}

/** `:12:7` for the line and column of what stands at a path, or of the nearest that holds it. */
function lineOf(document: Document, lines: LineCounter, path: Path): string {
  let node: unknown = document.contents
  let at = 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && String(key.value) === step) : undefined
    const next = isSeq(node) ? node.items[step as number] : pair?.value
    const found = pair === undefined ? next : pair.key
    if (found === undefined) break
    at = (found as { range?: readonly number[] }).range?.[0] ?? at
    node = next
  }
  const { line, col } = lines.linePos(at)
  return `:${line}:${col}`
}
