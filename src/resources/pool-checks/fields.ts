import { choice, id, integer, moment, nullable, objects, optional, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'

export const poolCheck = resource(
  {
    name: 'pool_check',
    label: 'PoolCheck',
    plural: 'checks',
    source: 'pool_checks',
    path: '/pools/{pool_id}/checks/{id}',
    links: { pool: '/pools/{pool_id}' },
    purpose:
      'A look at every server of a pool: whether it can be reached (reach), has the serials it should (serials), has the very content (content).',
    notFound: 'pool_check_not_found',
  },
  {
    id: id(),
    pool_id: text(36),
    depth: optional(choice(['reach', 'serials', 'content'], { write: 'create' }), 'reach'),
    status: choice(['PENDING', 'RUNNING', 'COMPLETE', 'ERROR'], { filter: 'slow' }),
    zones_checked: integer(0, Number.MAX_SAFE_INTEGER),
    findings: objects(
      {
        server_id: nullable(text(36)),
        server: text(400),
        zone: nullable(text(255)),
        level: choice(['ok', 'warning', 'error']),
        what: text(100_000),
        mend: nullable(text(100_000)),
      },
      1001,
    ),
    created_at: moment({ sort: true, key: 'id' }),
    updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
  },
)

export type PoolCheck = RowOf<typeof poolCheck>
export type CheckFinding = PoolCheck['findings'][number]
