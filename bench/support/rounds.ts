import { type Load, load, type Measured } from './load.ts'
import type { Server } from './processes.ts'

/** A load's figures with the processor time each answer took of the server, in microseconds. */
export type Figures = Measured & { readonly cpu: number }

export type Effort = { readonly rounds: number; readonly milliseconds: number }

/** When a load ends: after so many answers or so long, whichever comes first. */
export type Bounds = { readonly requests: number; readonly milliseconds: number }

/** One load on one server. */
export async function once(server: Server, options: Omit<Load, 'port'>): Promise<Figures> {
  const before = server.cpu()
  const measured = await load({ ...options, port: server.port })
  return { ...measured, cpu: (server.cpu() - before) / measured.answers }
}

/** Gives each contestant its turn, round after round, so that all see the same machine; medians of their figures. */
export async function alternate<K extends string>(
  contestants: Readonly<Record<K, (bounds: Bounds) => Promise<Figures>>>,
  { rounds, milliseconds }: Effort,
): Promise<Record<K, Figures>> {
  const names = Object.keys(contestants) as K[]
  const seen = new Map<K, Figures[]>(names.map((name) => [name, []]))
  // Until the compiler has seen enough of each.
  for (const name of names) await contestants[name]({ requests: 3000, milliseconds: 5 * milliseconds })
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) seen.get(name)!.push(await contestants[name]({ requests: 1_000_000, milliseconds }))
  }
  return Object.fromEntries(names.map((name) => [name, medians(seen.get(name)!)])) as Record<K, Figures>
}

function medians(figures: readonly Figures[]): Figures {
  const of = (pick: (one: Figures) => number): number =>
    figures.map(pick).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!
  return {
    answers: of((one) => one.answers),
    perSecond: of((one) => one.perSecond),
    p50: of((one) => one.p50),
    p99: of((one) => one.p99),
    max: of((one) => one.max),
    cpu: of((one) => one.cpu),
  }
}
