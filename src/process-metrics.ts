import { type Metric, single } from './prometheus.ts'

/** What this process takes, under the names that Prometheus clients have in common. */
export function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const startedAt = Date.now() / 1000 - process.uptime()
  return [
    single('process_cpu_seconds_total', 'counter', 'Processor time, user and system.', (user + system) / 1e6),
    single('process_resident_memory_bytes', 'gauge', 'Resident memory.', rss),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Heap in use by the main thread.', heapUsed),
    single('process_start_time_seconds', 'gauge', 'When the process started, in seconds since 1970.', startedAt),
  ]
}
