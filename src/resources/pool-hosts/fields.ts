import { id, idOf, integer, moment, nullable, optional, text } from '../../api/field.ts'
import { type RowOf, resource } from '../../api/resource.ts'
import { hostFault } from '../../hosts.ts'

const host = text(255, { rule: hostFault, write: 'always', filter: 'slow' })
const port = optional(integer(1, 65_535, { write: 'always' }), 53)
const made = {
  // Ids are made in the order of time, so the creation order is theirs.
  created_at: moment({ sort: true, key: 'id' }),
  updated_at: nullable(moment({ sort: true, key: 'updated_key' })),
}
const links = { pool: '/pools/{pool_id}' }

export const nameserver = resource(
  {
    name: 'pool_nameserver',
    label: 'PoolNameserver',
    plural: 'nameservers',
    source: 'pool_nameservers',
    path: '/pools/{pool_id}/nameservers/{id}',
    links,
    purpose: 'A server that is asked whether it serves the zones of a pool; its answers decide what is published.',
    notFound: 'pool_nameserver_not_found',
  },
  {
    id: id(),
    pool_id: text(36),
    host,
    port,
    tsigkey_id: nullable(idOf('a TSIG key', { write: 'always' })),
    ...made,
  },
)

export type Nameserver = RowOf<typeof nameserver>

export const alsoNotify = resource(
  {
    name: 'pool_also_notify',
    label: 'PoolAlsoNotify',
    plural: 'also_notifies',
    source: 'pool_also_notifies',
    path: '/pools/{pool_id}/also_notifies/{id}',
    links,
    purpose: 'A server that is told of every change of a pool’s zones by NOTIFY, and not asked for proof.',
    notFound: 'pool_also_notify_not_found',
  },
  { id: id(), pool_id: text(36), host, port, ...made },
)

export type AlsoNotify = RowOf<typeof alsoNotify>
