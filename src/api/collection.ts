import { raw, type Tx } from '../db/sql.ts'
import { fail } from '../errors.ts'
import { toUuid } from '../ids.ts'
import { isTrue } from './auth.ts'
import { type Filter, folded, numberFilter, textFilter } from './filter.ts'
import type { Profile } from './profile.ts'
import { printQuery, type Query } from './query.ts'
import { countRows, type Order, type Part, placeOf, type Rows, readRows } from './reading.ts'
import type { Described, Resource } from './resource.ts'
import { asRow, escaped } from './row-printer.ts'

type AnyField = Resource['fields'][string]

export type PageLimits = { readonly defaultLimit: number; readonly maxLimit: number }

export type ListRequest = PageLimits & {
  readonly tx: Tx
  readonly query: Query
  /** The whole query, which links repeat. */
  readonly linkQuery: Query
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly profile: Profile
  /** Where links start: scheme, host and mount. */
  readonly mount: string
}

/** Which rows a list is over, and what it has beside the resource's own fields. */
export type Among = Rows & {
  /** Other rows that the caller may see for another reason. Each of the two is walked by its own index. */
  readonly also?: Rows
  /** The collection's path below the mount, when it is not the resource's own. */
  readonly path?: string
  /** Filters that are not columns. */
  readonly filters?: Readonly<Record<string, (value: string) => Filter | readonly Filter[]>>
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
  readonly filters: readonly Filter[]
}

/** One page of a collection as the JSON text of its response. */
export async function list(request: ListRequest, resource: Resource, among: Among): Promise<string> {
  const { tx, query, linkQuery, profile, mount } = request
  const page = readPage(query, resource, among, request)
  const parts = partsOf(resource, among)
  const { columns, idOf, print } = resource.inList(profile)
  const rows = await readRows(tx, parts, columns, page.filters, await orderOf(tx, resource, parts, page))

  const { fromRow } = among
  const escapedMount = escaped(mount)
  let shown = ''
  for (let i = 0; i < rows.length && i < page.limit; i += 1) {
    const values = rows[i]!
    if (i > 0) shown += ','
    shown +=
      fromRow === undefined
        ? print(values, escapedMount)
        : JSON.stringify(resource.view(fromRow(asRow(columns, values)), profile, mount))
  }
  const here = mount + (among.path ?? `/${resource.plural}`)
  const links: Record<string, string> = { self: here + printQuery(linkQuery) }
  if (rows.length > page.limit) {
    links.next = here + printQuery(new Map([...linkQuery, ['marker', idOf(rows[page.limit - 1]!)]]))
  }
  const hidesCount = among.mayHideCount && isTrue(String(request.headers['openstack-dns-hide-counts']))
  const metadata = await profile.metadata(resource.plural, async () => {
    if (hidesCount) return undefined
    return among.total !== undefined && page.filters.length === 0 ? among.total() : countRows(tx, parts, page.filters)
  })
  const last = metadata === undefined ? '' : `,"metadata":${JSON.stringify(metadata)}`
  return `{"${resource.plural}":[${shown}],"links":${JSON.stringify(links)}${last}}`
}

function readPage(query: Query, resource: Resource, among: Among, limits: PageLimits): Page {
  const filters: Filter[] = []
  const unknown: string[] = []
  for (const [name, value] of query) {
    if (pageParameters.has(name)) continue
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined
    const own = among.filters && Object.hasOwn(among.filters, name) ? among.filters[name] : undefined
    if (own) filters.push(...[own(value)].flat())
    else if (!field?.filter) unknown.push(name)
    else filters.push(filterOf(name, field, value))
  }
  if (unknown.length > 0) {
    const fields = Object.keys(resource.fields).filter((name) => resource.fields[name]!.filter)
    const known = [...new Set([...fields, ...Object.keys(among.filters ?? {})])]
    fail('bad_request', `Invalid filters ${unknown.join(', ')}: ${resource.plural} are filtered by ${known.join(', ')}`)
  }
  return { ...readOrder(query, resource), limit: readLimit(query, limits), marker: readMarker(query), filters }
}

function filterOf(
  name: string,
  { key = name, numeric, folded: isFolded, isApart, slow }: AnyField,
  value: string,
): Filter {
  const filter = numeric ? numberFilter(key, value) : textFilter(key, isFolded ? folded(value) : value)
  return slow ? { test: filter.test } : { ...filter, isApart }
}

/** Whether a list may have to look at many rows, so that others should not wait for it. */
export function mayBeSlow(query: Query, { fields }: Described): boolean {
  const sortKey = query.get('sort_key') ?? 'created_at'
  let asked = 0
  let inOrder = 0
  for (const [name, value] of query) {
    if (pageParameters.has(name)) continue
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value.includes('*') || field === undefined || field.slow) return true
    // A name, whole, finds few rows whatever else is asked for.
    if (name === 'name') return false
    asked += 1
    if (name === sortKey || fields[sortKey]?.key === 'id') inOrder += 1
  }
  return asked > 1 || asked > inOrder || fields[sortKey]?.isApart === true
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

const partsOf = ({ source }: Resource, { also, ...own }: Among): readonly Part[] => {
  const part = ({ from = raw(source), table = from, only = {}, scope = [] }: Rows): Part => ({
    from,
    table,
    only,
    scope,
  })
  return also === undefined ? [part(own)] : [part(own), part(also)]
}

async function orderOf(tx: Tx, resource: Resource, parts: readonly Part[], page: Page): Promise<Order> {
  const { sortKey, marker, descending, limit } = page
  const { key = sortKey, numeric, isApart } = resource.fields[sortKey]!
  // Where all rows have one value, the order among them is that of their ids.
  const isConstant = parts.length === 1 && Object.hasOwn(parts[0]!.only, key)
  const column = isConstant ? 'id' : key
  const after = marker === undefined ? undefined : await placeOf(tx, parts, column, marker)
  if (marker !== undefined && after === undefined) fail('marker_not_found', `Marker ${marker} could not be found`)
  return { column, isNumeric: numeric, isApart: isApart && !isConstant, descending, limit: limit + 1, after }
}
