import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Server } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import { alternate, type Bounds, type Effort, type Figures, once } from '../support/rounds.ts'
import type { Store } from '../support/seed.ts'
import type { Case } from './requests.ts'

/** What reads suffer from writes: 8 readers alone, beside 8 writers, and while another process holds the write lock. */
export async function mixedRows(
  ours: Server,
  store: Store,
  { one, post }: { readonly one: Case; readonly post: Case },
  effort: Effort,
): Promise<BenchRow[]> {
  const reads = (bounds: Bounds) => once(ours, { clients: 8, ...bounds, request: one.request })
  const writes = (bounds: Bounds) => once(ours, { clients: 8, ...bounds, request: post.request })
  const other = new DatabaseSync(join(store.dataDir, 'nameplane.db'))
  other.exec('pragma busy_timeout = 5000')
  const locked = async (bounds: Bounds): Promise<Figures> => {
    other.exec('begin immediate')
    const waiting = writes({ ...bounds, requests: 8 })
    const figures = await reads(bounds)
    other.exec('rollback')
    await waiting
    return figures
  }
  const beside = async (bounds: Bounds): Promise<Figures> => {
    const [figures] = await Promise.all([reads(bounds), writes(bounds)])
    return figures
  }
  try {
    const figures = await alternate({ alone: reads, beside, locked }, effort)
    const row = (what: string, seen: Figures, pick: 'p50' | 'p99'): BenchRow => ({
      case: `GET one pool, 8 readers ${what}: ${pick}`,
      unit: 'µs',
      ours: seen[pick],
      against: { name: 'readers alone', value: figures.alone[pick] },
      better: 'less',
    })
    return [
      row('beside 8 writers', figures.beside, 'p50'),
      row('beside 8 writers', figures.beside, 'p99'),
      row('while writes wait for a lock', figures.locked, 'p50'),
      row('while writes wait for a lock', figures.locked, 'p99'),
    ]
  } finally {
    other.close()
  }
}
