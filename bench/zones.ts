import { loadavg } from 'node:os'
import { pinned, takeLoadCore } from './support/processes.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'
import { once } from './support/rounds.ts'
import { casesOf } from './zones/cases.ts'
import { type Engine, openStores, type Sized } from './zones/stores.ts'

await report('zones', measure, {
  sizes: { type: 'string' },
  engines: { type: 'string' },
  only: { type: 'string' },
  keep: { type: 'string' },
})

/** How long each kind of request takes as the store grows. Those that may grow are marked `~`. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  takeLoadCore()
  if (!pinned) console.error('no taskset or only one core: server and load share cores, so expect lower figures')
  const sizes = (given.sizes ?? (quick ? '1000,10000' : '10000,100000')).split(',').map(Number)
  const engines = (given.engines ?? (quick ? 'sqlite' : 'sqlite,postgres')).split(',') as Engine[]
  const effort = quick ? { rounds: 3, milliseconds: 60 } : { rounds: 5, milliseconds: 300 }
  const rows: BenchRow[] = []
  for (const engine of engines) {
    const { stores, stop } = await openStores(engine, sizes, given.keep)
    try {
      const cases = stores.map(({ sample }) => casesOf(sample))
      for (const [at, { name, grows }] of cases[0]!.entries()) {
        if (given.only !== undefined && !name.includes(given.only)) continue
        const requests = cases.map((of) => of[at]!.request)
        try {
          const figures = await inTurns(stores, requests, effort)
          rows.push(...grown(`${engine}: ${grows ? '~ ' : ''}${name}`, sizes, figures))
        } catch (error) {
          // Of a store that took half an hour to fill, the other cases are still to be had.
          console.error(`${engine}: ${name}: not measured, ${(error as Error).message}`)
        }
      }
    } finally {
      await stop()
    }
  }
  console.error(
    `load average of the machine: ${loadavg()
      .map((n) => n.toFixed(1))
      .join(' ')}`,
  )
  return rows
}

/** In microseconds; `cpu` is the processor time of the service for each answer, which other programs change least. */
type Times = { readonly p50: number; readonly p99: number; readonly cpu: number }

/** Every store in turn, round after round, so that all see the same machine; medians of their rounds. */
async function inTurns(
  stores: readonly Sized[],
  requests: readonly ((i: number) => string)[],
  { rounds, milliseconds }: { readonly rounds: number; readonly milliseconds: number },
): Promise<Times[]> {
  const seen: Times[][] = stores.map(() => [])
  for (let round = -1; round < rounds; round += 1) {
    for (const [at, { server }] of stores.entries()) {
      let sent = (round + 1) * 1000
      const times = await once(server, {
        clients: 1,
        requests: 100_000,
        milliseconds,
        request: () => requests[at]!(sent++),
      })
      // The first round is for caches and the compiler.
      if (round >= 0) seen[at]!.push(times)
    }
  }
  const median = (times: readonly Times[], pick: keyof Times): number =>
    times.map((one) => one[pick]).toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
  return seen.map((times) => ({ p50: median(times, 'p50'), p99: median(times, 'p99'), cpu: median(times, 'cpu') }))
}

function grown(name: string, sizes: readonly number[], figures: readonly Times[]): BenchRow[] {
  const smallest = `${sizes[0]!.toLocaleString('en')} zones`
  return figures.flatMap((times, at) =>
    (['p50', 'p99', 'cpu'] as const).map((pick) => ({
      case: `${name}, ${sizes[at]!.toLocaleString('en')} zones: ${pick === 'cpu' ? 'processor time' : pick}`,
      unit: 'µs',
      ours: times[pick],
      ...(at > 0 && { against: { name: smallest, value: figures[0]![pick] } }),
      better: 'less' as const,
    })),
  )
}
