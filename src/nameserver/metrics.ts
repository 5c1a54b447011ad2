import { rcodeName } from '../dns/codes.ts'
import { typeName } from '../dns/types/index.ts'
import { type Metric, type Sample, single } from '../prometheus.ts'
import type { ReplyCounts } from './counters.ts'
import type { NameserverStats } from './start.ts'

const OTHER = 512

/** What the name server does, for Prometheus. */
export function nameserverMetrics(stats: NameserverStats, now: Date): readonly Metric[] {
  const { udp, tcp, events } = stats.counters
  const both = (samples: (counts: ReplyCounts, transport: string) => Sample[]) => [
    ...samples(udp, 'udp'),
    ...samples(tcp, 'tcp'),
  ]
  return [
    {
      name: 'nameplane_dns_queries_total',
      type: 'counter',
      help: 'Queries that were answered, by the type asked for.',
      samples: both(({ types }, transport) =>
        [...types].map(([type, value]) => ({
          labels: { transport, type: type === OTHER ? 'other' : typeName(type) },
          value,
        })),
      ),
    },
    {
      name: 'nameplane_dns_replies_total',
      type: 'counter',
      help: 'Replies, by rcode.',
      samples: both(({ rcodes }, transport) =>
        [...rcodes].map(([rcode, value]) => ({ labels: { transport, rcode: rcodeName(rcode) }, value })),
      ),
    },
    {
      name: 'nameplane_dns_events_total',
      type: 'counter',
      help: 'What else happened to requests; rate_dropped and rate_slipped were over the rate limit.',
      samples: Object.entries(events).map(([event, value]) => ({ labels: { event }, value })),
    },
    single('nameplane_dns_tcp_connections', 'gauge', 'TCP connections that are open.', stats.tcpConnections),
    single('nameplane_dns_zones', 'gauge', 'Zones that are known.', stats.zones),
    single(
      'nameplane_dns_zones_failed',
      'gauge',
      'Zones that cannot be served and answer SERVFAIL.',
      stats.failedCount,
    ),
    single('nameplane_dns_loading', 'gauge', '1 while zones are still being read.', Number(stats.loading)),
    single('nameplane_dns_names', 'gauge', 'Names that have records.', stats.names),
    single('nameplane_dns_records', 'gauge', 'Records that are held.', stats.records),
    single('nameplane_dns_memory_bytes', 'gauge', 'Memory that zones take.', stats.bytes),
    single(
      'nameplane_dns_memory_free_bytes',
      'gauge',
      'The part of that memory that waits to be used again.',
      stats.garbageBytes,
    ),
    single('nameplane_dns_zone_updates_total', 'counter', 'Changes of zones that were taken over.', stats.refreshed),
    single(
      'nameplane_feed_lag_seconds',
      'gauge',
      'How long after its commit the last change was served.',
      stats.feedLagSeconds,
    ),
    single(
      'nameplane_journal_lag_seconds',
      'gauge',
      'How long ago all that the database had was served.',
      Math.max(0, now.getTime() - stats.currentAt) / 1000,
    ),
    single(
      'nameplane_publish_backlog',
      'gauge',
      'Zones that are served and whose status waits to be written down.',
      stats.unpublished,
    ),
  ]
}

/** What `/readyz` tells of the name server. */
export const nameserverReadiness = ({ zones, loading, failedCount, failed }: NameserverStats) => ({
  zones,
  loading,
  failed_zones: failedCount,
  failed,
})
