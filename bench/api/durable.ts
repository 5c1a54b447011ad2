import { type Server, startServer } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import { alternate, type Bounds, type Effort, type Figures, once } from '../support/rounds.ts'
import type { Store } from '../support/seed.ts'
import type { Case } from './requests.ts'

/** Acknowledged POSTs a second by the number of clients, beside plain inserts that each wait for their own fsync. */
export async function durableRows(ours: Server, store: Store, post: Case, effort: Effort): Promise<BenchRow[]> {
  const each = await startServer('commit-each.ts', [store.dataDir])
  const posts = (clients: number) => (bounds: Bounds) => once(ours, { clients, ...bounds, request: post.request })
  const alone = async ({ milliseconds }: Bounds): Promise<Figures> => {
    const { perSecond } = (await each.tell({ milliseconds })) as { perSecond: number }
    return { answers: 0, perSecond, p50: 0, p99: 0, max: 0, cpu: 0 }
  }
  try {
    const figures = await alternate({ one: posts(1), sixteen: posts(16), sixtyFour: posts(64), alone }, effort)
    const row = (clients: string, { perSecond }: Figures): BenchRow => ({
      case: `durable POSTs, ${clients}`,
      unit: 'writes/s',
      ours: perSecond,
      against: { name: 'one fsync per write, no HTTP', value: figures.alone.perSecond },
      better: 'more',
    })
    return [row('1 client', figures.one), row('16 clients', figures.sixteen), row('64 clients', figures.sixtyFour)]
  } finally {
    await each.stop()
  }
}
