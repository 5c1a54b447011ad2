import { id, moment, nullable, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'

export const sharedZone = resource(
  {
    name: 'shared_zone',
    label: 'SharedZone',
    plural: 'shared_zones',
    source: 'zone_shares',
    path: '/zones/{zone_id}/shares/{id}',
    links: { zone: '/zones/{zone_id}' },
    purpose: 'Leave for another project to see a zone and to add record sets of its own to it.',
    notFound: 'shared_zone_not_found',
  },
  {
    id: id(),
    zone_id: text(36),
    project_id: text(255),
    target_project_id: text(255, { min: 1, write: 'create', filter: true }),
    // A share never changes, so both orders are that of its making, which is that of ids.
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'id' })),
  },
)

export type SharedZone = RowOf<typeof sharedZone>
