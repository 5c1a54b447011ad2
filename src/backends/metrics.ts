import type { Metric } from '../prometheus.ts'
import { type PoolConfig, placeText } from './config.ts'
import type { ServerProbe } from './server.ts'

/** How the delivery of a pool goes. */
export type PoolStats = {
  readonly pool: string
  /** Zones that are not yet where they should be. */
  readonly behind: number
  /** Each server with how many zones are expected of it. */
  readonly servers: readonly { readonly server: string; readonly up: boolean; readonly awaited: number }[]
}

export type DeliveryStats = readonly PoolStats[]

export function poolStats({ name }: PoolConfig, behind: number, probes: Iterable<ServerProbe>): PoolStats {
  const servers = [...probes].map(({ server, down, expecting }) => ({
    server: placeText(server),
    up: down === undefined,
    awaited: expecting,
  }))
  return { pool: name, behind, servers }
}

/** How zones get to the servers of pools that this process delivers, for Prometheus. */
export function deliveryMetrics(pools: DeliveryStats): readonly Metric[] {
  const ofServers = (value: (server: DeliveryStats[number]['servers'][number]) => number) =>
    pools.flatMap(({ pool, servers }) =>
      servers.map((one) => ({ labels: { pool, server: one.server }, value: value(one) })),
    )
  return [
    {
      name: 'nameplane_delivery_zones_behind',
      type: 'gauge',
      help: 'Zones that some server of their pool does not show as they are.',
      samples: pools.map(({ pool, behind }) => ({ labels: { pool }, value: behind })),
    },
    {
      name: 'nameplane_delivery_server_up',
      type: 'gauge',
      help: '1 while a server of a pool answers.',
      samples: ofServers(({ up }) => Number(up)),
    },
    {
      name: 'nameplane_delivery_server_awaited',
      type: 'gauge',
      help: 'Zones that a server of a pool is asked for until it shows them as they are.',
      samples: ofServers(({ awaited }) => awaited),
    },
  ]
}
