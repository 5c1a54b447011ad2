import type { Server } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import { alternate, type Bounds, type Effort, once } from '../support/rounds.ts'
import { type Case, get } from './requests.ts'

export type Sized = { readonly rows: number; readonly server: Server; readonly list: Case; readonly deep: Case }

/** The same lists on stores of different sizes, in turns: the median time beside that of the smallest. */
export async function growthRows(sizes: readonly Sized[], effort: Effort): Promise<BenchRow[]> {
  const tlds = get('/v2/tlds')
  return [
    ...(await grown('list of 20 pools', sizes, (size) => size.list.request, effort)),
    ...(await grown('list of 20 from deep inside', sizes, (size) => size.deep.request, effort)),
    ...(await grown('list of 20 TLDs', sizes, () => () => tlds, effort)),
  ]
}

async function grown(
  name: string,
  sizes: readonly Sized[],
  request: (size: Sized) => Case['request'],
  effort: Effort,
): Promise<BenchRow[]> {
  const contestants = sizes.map((size) => [
    String(size.rows),
    (bounds: Bounds) => once(size.server, { clients: 4, ...bounds, request: request(size) }),
  ])
  const figures = await alternate(Object.fromEntries(contestants), effort)
  const smallest = sizes[0]!.rows
  return sizes.map(({ rows }) => ({
    case: `${name}, ${rows.toLocaleString('en')} rows: p50`,
    unit: 'µs',
    ours: figures[String(rows)]!.p50,
    against: { name: `${smallest.toLocaleString('en')} rows`, value: figures[String(smallest)]!.p50 },
    better: 'less',
  }))
}
