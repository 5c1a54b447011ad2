import { join, raw, type Sql, sql, type Tx } from '../db/sql.ts'
import { fail } from '../errors.ts'
import { toUuid } from '../ids.ts'
import { isTrue } from './auth.ts'
import { folded, numberMatches, textMatches } from './filter.ts'
import type { Profile } from './profile.ts'
import { printQuery, type Query } from './query.ts'
import type { Described, Resource } from './resource.ts'
import { asRow } from './row-printer.ts'

export type PageLimits = { readonly defaultLimit: number; readonly maxLimit: number }

export type ListRequest = PageLimits & {
  readonly tx: Tx
  readonly query: Query
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly profile: Profile
  /** Where links start: scheme, host and mount. */
  readonly mount: string
}

/** Rows that a list is over. */
type Rows = {
  /** What they are read from, when it is not the resource's own source. */
  readonly from?: Sql
  /** The conditions of what the caller may see. */
  readonly scope: readonly Sql[]
}

/** Which rows a list is over, and what it has beside the resource's own fields. */
export type Among = Rows & {
  /** Other rows that the caller may see for another reason. Each of the two is walked by its own index. */
  readonly also?: Rows
  /** The collection's path below the mount, when it is not the resource's own. */
  readonly path?: string
  /** Filters that are not columns: the condition for a value. */
  readonly filters?: Readonly<Record<string, (value: string) => Sql>>
  /** A row as values, where that takes more than reading its columns. */
  readonly fromRow?: (row: Record<string, unknown>) => Record<string, unknown>
  /** The number of rows in scope, where it is kept; else they are counted. */
  readonly total?: () => Promise<number>
  /** Whether clients that send `OpenStack-DNS-Hide-Counts` are told no number. */
  readonly mayHideCount?: boolean
}

type Page = {
  readonly limit: number
  readonly marker: string | undefined
  readonly sortKey: string
  readonly descending: boolean
  readonly filters: readonly Sql[]
}

/** One page of a collection as the JSON text of its response. */
export async function list(request: ListRequest, resource: Resource, among: Among): Promise<string> {
  const { tx, query, profile, mount } = request
  const page = readPage(query, resource, among, request)
  const parts = partsOf(resource, among)
  const sortColumn = resource.fields[page.sortKey]!.key ?? page.sortKey
  const after = page.marker === undefined ? [] : [await afterMarker(tx, parts, sortColumn, page)]
  const { columns, idOf, print } = resource.inList(profile)
  const rows = await tx.values(selection(parts, columns, sortColumn, [...page.filters, ...after], page))

  const { fromRow } = among
  const escapedMount = JSON.stringify(mount).slice(1, -1)
  const shown = rows
    .slice(0, page.limit)
    .map((values) =>
      fromRow === undefined
        ? print(values, escapedMount)
        : JSON.stringify(resource.view(fromRow(asRow(columns, values)), profile, mount)),
    )
  const here = mount + (among.path ?? `/${resource.plural}`)
  const links: Record<string, string> = { self: here + printQuery(query) }
  if (rows.length > page.limit) {
    links.next = here + printQuery(new Map([...query, ['marker', idOf(rows[page.limit - 1]!)]]))
  }
  const hidesCount = among.mayHideCount && isTrue(String(request.headers['openstack-dns-hide-counts']))
  const metadata = await profile.metadata(resource.plural, async () => {
    if (hidesCount) return undefined
    return among.total !== undefined && page.filters.length === 0 ? among.total() : count(tx, parts, page.filters)
  })
  const last = metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`
  return `{"${resource.plural}":[${shown.join(',')}],"links":${JSON.stringify(links)}${last}}`
}

function readPage(query: Query, resource: Resource, among: Among, limits: PageLimits): Page {
  const filters: Sql[] = []
  const unknown: string[] = []
  for (const [name, value] of query) {
    if (pageParameters.has(name)) continue
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
    const own = among.filters && Object.hasOwn(among.filters, name) ? among.filters[name] : undefined
    if (own) filters.push(own(value))
    else if (!field?.filter) unknown.push(name)
    else if (field.numeric) filters.push(numberMatches(field.key ?? name, value))
    else filters.push(textMatches(field.key ?? name, field.folded ? folded(value) : value))
  }
  if (unknown.length > 0) {
    const fields = Object.keys(resource.fields).filter((name) => resource.fields[name]!.filter)
    const known = [...fields, ...Object.keys(among.filters ?? {})]
    fail('bad_request', `Invalid filters ${unknown.join(', ')}: ${resource.plural} are filtered by ${known.join(', ')}`)
  }
  return { ...readOrder(query, resource), limit: readLimit(query, limits), marker: readMarker(query), filters }
}

/** Whether a list may have to look at many rows, so that others should not wait for it. */
export function mayBeSlow(query: Query, { fields }: Described): boolean {
  for (const [name, value] of query) {
    if (!pageParameters.has(name) && (value.includes('*') || fields[name]?.slow)) return true
  }
  return false
}

const pageParameters = new Set(['limit', 'marker', 'sort_key', 'sort_dir'])

function readOrder(query: Query, resource: Resource): Pick<Page, 'sortKey' | 'descending'> {
  const asked = query.get('sort_key') ?? 'created_at'
  const sortKey = asked === 'tenant_id' ? 'project_id' : asked
  if (!Object.hasOwn(resource.fields, sortKey) || !resource.fields[sortKey]!.sort) {
    const known = Object.keys(resource.fields).filter((name) => resource.fields[name]!.sort)
    fail('invalid_sort_key', `sort_key must be one of ${known.join(', ')}, not '${asked}'`)
  }
  const direction = query.get('sort_dir') ?? 'asc'
  if (direction !== 'asc' && direction !== 'desc')
    fail('invalid_sort_dir', `sort_dir must be asc or desc, not '${direction}'`)
  return { sortKey, descending: direction === 'desc' }
}

/** How many rows a request wants on a page. */
export function readLimit(query: Query, { defaultLimit, maxLimit }: PageLimits): number {
  const given = query.get('limit')
  if (given === undefined) return defaultLimit
  if (given.toLowerCase() === 'max') return maxLimit
  if (!/^0*[1-9]\d{0,18}$/.test(given)) {
    fail('invalid_limit', `limit should be an integer between 1 and ${maxLimit}, or max, not '${given}'`)
  }
  return Math.min(Number(given), maxLimit)
}

function readMarker(query: Query): string | undefined {
  const given = query.get('marker')
  if (given === undefined) return undefined
  return toUuid(given) ?? fail('invalid_marker', `marker must be the id of a row, not '${given}'`)
}

type Part = Required<Rows>

const partsOf = ({ source }: Resource, { from = raw(source), scope, also }: Among): readonly Part[] => [
  { from, scope },
  ...(also ? [{ from: raw(source), ...also }] : []),
]

/** The rows of a page and one more; from two parts, the first so many of each are merged. */
function selection(
  parts: readonly Part[],
  columns: readonly string[],
  sortColumn: string,
  conditions: readonly Sql[],
  { limit, descending }: Page,
): Sql {
  const way = raw(descending ? 'desc' : 'asc')
  const first = sql`order by ${sortColumn === 'id' ? sql`id ${way}` : sql`${raw(sortColumn)} ${way}, id ${way}`} limit ${limit + 1}`
  const wanted = raw(columns.join(', '))
  const walk = (part: Part, read: Sql) =>
    sql`select ${read} from ${part.from} ${where([...part.scope, ...conditions])} ${first}`
  if (parts.length === 1) return walk(parts[0]!, wanted)
  const read = columns.includes(sortColumn) ? wanted : sql`${wanted}, ${raw(sortColumn)}`
  const walks = parts.map((part, i) => sql`select * from (${walk(part, read)}) as part${raw(String(i))}`)
  return sql`select ${wanted} from (${join(walks, ' union all ')}) as parts ${first}`
}

async function afterMarker(tx: Tx, parts: readonly Part[], column: string, page: Page): Promise<Sql> {
  const [name, marker] = [raw(column), page.marker]
  let row: { at: string } | undefined
  for (const { from, scope } of parts) {
    row ??= await tx.get<{ at: string }>(
      sql`select ${name} as at from ${from} ${where([...scope, sql`id = ${marker}`])}`,
    )
  }
  if (row === undefined) fail('marker_not_found', `Marker ${marker} could not be found`)
  const beyond = raw(page.descending ? '<' : '>')
  return column === 'id' ? sql`id ${beyond} ${marker}` : sql`(${name}, id) ${beyond} (${row.at}, ${marker})`
}

async function count(tx: Tx, parts: readonly Part[], conditions: readonly Sql[]): Promise<number> {
  let total = 0
  for (const { from, scope } of parts) {
    const row = await tx.get<{ n: number }>(sql`select count(*) as n from ${from} ${where([...scope, ...conditions])}`)
    total += row!.n
  }
  return total
}

const where = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`` : sql`where ${join([...conditions], ' and ')}`
