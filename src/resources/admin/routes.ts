import { isTrue } from '../../api/auth.ts'
import { readLimit } from '../../api/collection.ts'
import { printQuery } from '../../api/query.ts'
import { type Call, noContent, type Reply, type Route, route } from '../../api/route.ts'
import { fail } from '../../errors.ts'
import type { Quotas } from '../quotas/fields.ts'
import { quotasOf, resetQuotas, setQuotas } from '../quotas/store.ts'
import { counts, tenant, wrappedQuota, wrappedQuotaView } from './fields.ts'
import { counters, type Tenant, tenantsAfter, zoneNames } from './store.ts'

export type AdminSettings = {
  /** Whether there is an admin API at all. */
  readonly adminApi: boolean
  readonly quotaDefaults: Quotas
}

const may = 'use_admin_api'
const aboutCounts = { resource: counts, may, returns: 'one', status: 200 } as const
const aboutQuotas = { resource: wrappedQuotaView, may, text: ['tenant_id'] } as const

/** What Designate has under `/admin`: reports over all projects, and quotas in an older form. */
export const adminRoutes = ({ adminApi, quotaDefaults }: AdminSettings): readonly Route[] =>
  adminApi ? [...reportRoutes, ...quotaRoutes(quotaDefaults)] : []

const reportRoutes: readonly Route[] = [
  route(
    'GET /admin/reports/counts',
    { ...aboutCounts, operation: 'report_counts', summary: 'Count zones, records and projects' },
    async ({ tx }) => counted(tx, ['zones', 'records', 'tenants']),
  ),

  route(
    'GET /admin/reports/counts/{what}',
    { ...aboutCounts, operation: 'report_count', summary: 'Count one of these', text: ['what'] },
    async ({ tx, params }) => {
      if (!Object.hasOwn(counters, params.what)) {
        fail('report_not_found', `Could not find Report: there are ${Object.keys(counters).join(', ')}`)
      }
      return counted(tx, [params.what])
    },
  ),

  route(
    'GET /admin/reports/tenants',
    {
      resource: tenant,
      may,
      operation: 'report_tenants',
      summary: 'List the projects that have zones',
      returns: 'list',
      status: 200,
    },
    tenantPage,
  ),

  route(
    'GET /admin/reports/tenants/{tenant_id}',
    {
      resource: tenant,
      may,
      operation: 'report_tenant',
      summary: 'Show the zones of a project',
      returns: 'one',
      status: 200,
      text: ['tenant_id'],
    },
    async (call) => ({ status: 200, body: await inDetail(call, call.params.tenant_id) }),
  ),
]

const quotaRoutes = (defaults: Quotas): readonly Route[] => [
  route(
    'GET /admin/quotas/{tenant_id}',
    {
      ...aboutQuotas,
      operation: 'admin_get_quotas',
      summary: 'Show the quotas of a project',
      returns: 'one',
      status: 200,
    },
    async ({ tx, params }) => wrapped(await quotasOf(tx, bounded(params.tenant_id), defaults)),
  ),

  route(
    'PATCH /admin/quotas/{tenant_id}',
    { ...aboutQuotas, operation: 'admin_set_quotas', summary: 'Set quotas of a project', returns: 'one', status: 200 },
    async ({ tx, params, body }) =>
      wrapped(await setQuotas(tx, bounded(params.tenant_id), wrappedQuota.update(body).quota ?? {}, defaults)),
  ),

  route(
    'DELETE /admin/quotas/{tenant_id}',
    {
      ...aboutQuotas,
      operation: 'admin_reset_quotas',
      summary: 'Put a project back to the defaults',
      returns: 'nothing',
      status: 204,
    },
    async ({ tx, params }) => {
      await resetQuotas(tx, bounded(params.tenant_id))
      return noContent
    },
  ),
]

const wrapped = (quotas: Quotas): Reply => ({ status: 200, body: { quota: quotas } })

function bounded(projectId: string): string {
  if (projectId.length > 255) fail('bad_request', `tenant_id must be at most 255 characters, not ${projectId.length}`)
  return projectId
}

async function counted(tx: Call['tx'], names: readonly string[]): Promise<Reply> {
  const found: Record<string, number> = {}
  for (const name of names) found[name] = await counters[name]!(tx)
  return { status: 200, body: { counts: [found] } }
}

const known = ['limit', 'marker', 'detail']

async function tenantPage(call: Call): Promise<Reply> {
  const { tx, query, mount } = call
  const unknown = [...query.keys()].filter((name) => !known.includes(name))
  if (unknown.length > 0)
    fail('bad_request', `Invalid filters ${unknown.join(', ')}: this list has ${known.join(', ')}`)
  const limit = readLimit(query, call)
  const rows = await tenantsAfter(tx, query.get('marker') ?? '', limit + 1)
  const page = rows.slice(0, limit)
  const detailed = isTrue(query.get('detail'))
  const tenants = []
  for (const row of page) tenants.push(detailed ? await inDetail(call, row.id) : inShort(call, row))
  const here = `${mount}/reports/tenants`
  const next = rows.length > limit && here + printQuery(new Map([...query, ['marker', page.at(-1)!.id]]))
  const links = { self: here + printQuery(query), ...(next && { next }) }
  return { status: 200, body: { tenants, links, metadata: {} } }
}

const linksOf = ({ mount }: Call, id: string) => ({ self: `${mount}/reports/tenants/${encodeURIComponent(id)}` })

const inShort = (call: Call, { id, zones }: Tenant) => ({ id, zone_count: zones, links: linksOf(call, id) })

async function inDetail(call: Call, id: string) {
  const zones = await zoneNames(call.tx, id)
  return { id, zones_count: zones.length, zones, links: linksOf(call, id) }
}
