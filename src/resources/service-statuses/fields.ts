import { field, id, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'

const nothingYet = () => field<Record<string, never>>({ type: 'object' }, () => undefined, { show: () => ({}) })

export const serviceStatus = resource(
  {
    name: 'service_status',
    label: 'ServiceStatus',
    plural: 'service_statuses',
    purpose:
      'Whether a role of the service is running, and where. The names are those that Designate gives its services.',
    notFound: 'service_status_not_found',
  },
  {
    id: id(),
    hostname: text(255, { filter: true, sort: true }),
    service_name: text(50, { filter: true, sort: true }),
    status: text(10, { filter: true, sort: true }),
    stats: nothingYet(),
    capabilities: nothingYet(),
    heartbeated_at: moment(),
    created_at: moment({ sort: true }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type ServiceStatus = RowOf<typeof serviceStatus>

/** The roles of the service. `central` is what all changes pass through, `producer` what is done without being asked. */
export type ServiceName = 'api' | 'central' | 'mdns' | 'producer' | 'worker'
