import { notFound } from '../../api/resource.ts'
import { type Call, listed, type Reply, route, shown } from '../../api/route.ts'
import { serviceStatus } from './fields.ts'
import * as store from './store.ts'

const about = { resource: serviceStatus, status: 200 } as const
const all = {
  ...about,
  may: 'find_service_statuses',
  summary: 'List the roles of the service',
  returns: 'list',
} as const
const one = { ...about, may: 'get_service_status', summary: 'Show a role of the service', returns: 'one' } as const

const list = (path: string) => (call: Call) =>
  listed(call, serviceStatus, { from: store.statusesAt(call.now), scope: [], path })

const get = async (call: Call<'service_id'>): Promise<Reply> =>
  shown(call, serviceStatus, (await store.get(call.tx, call.params.service_id, call.now)) ?? notFound(serviceStatus))

/** Under both names that clients use. */
export const serviceStatusRoutes = [
  route('GET /v2/service_statuses', all, list('/service_statuses')),
  route('GET /v2/service_statuses/{service_id}', one, get),
  route('GET /v2/service_status', { ...all, operation: 'find_service_status' }, list('/service_status')),
  route('GET /v2/service_status/{service_id}', { ...one, operation: 'get_service_status_by_old_name' }, get),
]
