import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Server } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import { alternate, type Effort, type Figures, once } from '../support/rounds.ts'
import type { Store } from '../support/seed.ts'
import type { Case } from './requests.ts'

/** What reads suffer from writes: 8 readers alone, beside 8 writers, and while another process holds the write lock. */
export async function mixedRows(
  ours: Server,
  store: Store,
  { one, post }: { readonly one: Case; readonly post: Case },
  effort: Effort,
): Promise<BenchRow[]> {
  const reads = (milliseconds: number) =>
    once(ours, { clients: 8, requests: 1_000_000, milliseconds, request: one.request })
  const writes = (milliseconds: number) =>
    once(ours, { clients: 8, requests: 1_000_000, milliseconds, request: post.request })
  const other = new DatabaseSync(join(store.dataDir, 'nameplane.db'))
  other.exec('pragma busy_timeout = 5000')
  const locked = async (milliseconds: number): Promise<Figures> => {
    other.exec('begin immediate')
    const waiting = writes(milliseconds / 2)
    const figures = await reads(milliseconds)
    other.exec('rollback')
    await waiting
    return figures
  }
  const beside = async (milliseconds: number): Promise<Figures> => {
    const [figures] = await Promise.all([reads(milliseconds), writes(milliseconds)])
    return figures
  }
  try {
    const figures = await alternate({ alone: reads, beside, locked }, effort)
    const row = (what: string, figures_: Figures, pick: 'p50' | 'p99'): BenchRow => ({
      case: `GET one pool, 8 readers ${what}: ${pick}`,
      unit: 'µs',
      ours: figures_[pick],
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
