import {
  choice,
  type Field,
  field,
  integer,
  moment,
  nullable,
  object,
  objects,
  optional,
  text,
} from '../../api/field.ts'
import { flat, type ValuesOf } from '../../api/flat.ts'
import { hostnameFault } from '../../dns/hostname.ts'
import { algorithms, secret } from '../tsigkeys/fields.ts'

/** Shown without its key: `catalog_zone_tsig_algorithm` tells whether there is one. */
const catalogZone = object(
  {
    catalog_zone_fqdn: text(254, { rule: hostnameFault }),
    catalog_zone_refresh: nullable(integer(1, 2_147_483_647)),
    catalog_zone_tsig_key: unsaid(nullable(writeOnly(secret))),
    catalog_zone_tsig_algorithm: nullable(choice(algorithms)),
  },
  { write: 'always' },
)

export const poolDelivery = flat(
  {
    name: 'pool_delivery',
    plural: 'pool_delivery',
    purpose:
      'How much of a pool’s servers must have shown a zone’s serial before it is published (threshold_percentage), how long they may take before the zone is in ERROR (grace_seconds), and the catalog zone that drives them all, if there is to be one.',
  },
  {
    threshold_percentage: integer(1, 100, { write: 'always' }),
    grace_seconds: integer(0, 604_800, { write: 'always' }),
    catalog_zone: nullable(catalogZone),
  },
)

export type PoolDelivery = ValuesOf<typeof poolDelivery>
export type GivenCatalog = NonNullable<PoolDelivery['catalog_zone']>

const roles = choice(['nameserver', 'target', 'built-in'])
const address = { host: nullable(text(255)), port: nullable(integer(1, 65_535)) }
const serial = integer(0, 4_294_967_295)
const reason = nullable(text(100_000))

/** What is known of the servers of a pool. */
export const poolServers = flat(
  {
    name: 'pool_servers',
    plural: 'pool_servers',
    purpose:
      'The servers that answer for a pool as they were last seen. ACTIVE: all are up; DEGRADED: enough for the threshold; ERROR: fewer. `targets` are those that are given zones and not asked for proof; DOWN: it cannot be given any now, which makes the pool DEGRADED.',
  },
  {
    pool_id: text(36),
    status: choice(['ACTIVE', 'DEGRADED', 'ERROR']),
    delivered_by: nullable(object({ holder: text(255), until: moment() })),
    servers: objects(
      {
        id: nullable(text(36)),
        role: roles,
        type: nullable(text(20)),
        ...address,
        status: choice(['UP', 'DOWN', 'UNKNOWN']),
        since: nullable(moment()),
        seen_at: nullable(moment()),
        zones_behind: integer(0, Number.MAX_SAFE_INTEGER),
        error: reason,
      },
      1_000_000,
    ),
    targets: objects(
      {
        id: text(36),
        type: text(20),
        ...address,
        status: choice(['UP', 'DOWN', 'UNKNOWN']),
        since: nullable(moment()),
        error: reason,
      },
      1_000_000,
    ),
  },
)

/** What is known of a zone at the servers of its pool. */
export const zoneServers = flat(
  {
    name: 'zone_servers',
    plural: 'zones',
    purpose:
      'The serial of a zone that each server of its pool was last seen to have; `threshold` of them must have the zone’s own before it is published.',
  },
  {
    zone_id: text(36),
    pool_id: text(36),
    serial,
    published_serial: serial,
    status: text(10),
    threshold: integer(1, 1_000_000),
    servers: objects(
      {
        id: nullable(text(36)),
        role: roles,
        ...address,
        serial: nullable(serial),
        seen_at: nullable(moment()),
        lag_seconds: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
        status: choice(['CURRENT', 'BEHIND', 'MISSING', 'UNKNOWN']),
        error: reason,
        error_at: nullable(moment()),
      },
      1_000_000,
    ),
  },
)

export type PoolServers = ValuesOf<typeof poolServers>
export type ZoneServers = ValuesOf<typeof zoneServers>

function writeOnly<T>(inner: Field<T>): Field<T> {
  return field({ ...inner.schema, writeOnly: true }, inner.parse, {})
}

/** Not given is another thing than null. */
function unsaid<T>(inner: Field<T | null>): Field<T | null | undefined> {
  return optional<T | null | undefined, 'never'>(inner as Field<T | null | undefined, 'never'>, undefined)
}
