import { loadavg } from 'node:os'
import { type Contestant, contestants } from './propagation/contestants.ts'
import { Limit } from './propagation/limit.ts'
import { type Burst, Ours, type Timed } from './propagation/ours.ts'
import { markdown, median, type Seen, seenRows } from './propagation/tables.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'

const builtIn = 'built-in'
const warmUp = 5

await report('propagation', measure, {
  kinds: { type: 'string' },
  changes: { type: 'string' },
  zones: { type: 'string' },
  burst: { type: 'string' },
})

/** How long a change, a zone and a thousand zones take to the servers of a pool, beside what the servers themselves take. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  const names = given.kinds?.split(',') ?? [builtIn, ...Object.keys(contestants)]
  const unknown = names.filter((name) => name !== builtIn && contestants[name] === undefined)
  if (unknown.length > 0) throw new Error(`no such kind: ${unknown}; there are ${builtIn}, ${Object.keys(contestants)}`)
  const counts = {
    changes: Number(given.changes ?? (quick ? 20 : 200)),
    zones: Number(given.zones ?? (quick ? 10 : 50)),
    burst: Number(given.burst ?? (quick ? 50 : 1000)),
  }
  const all: Seen[] = []
  for (const name of names) {
    console.error(`${name} (load average ${loadavg()[0]!.toFixed(1)}) …`)
    all.push(await contest(contestants[name], counts))
  }
  console.log(`${markdown(all, counts)}\n`)
  return seenRows(all, counts)
}

type Counts = { readonly changes: number; readonly zones: number; readonly burst: number }

async function contest(contestant: Contestant | undefined, counts: Counts): Promise<Seen> {
  const changes = Math.ceil(counts.changes / (contestant?.slow?.changes ?? 1))
  const zones = Math.ceil(counts.zones / (contestant?.slow?.zones ?? 1))
  const ours = await Ours.start(contestant)
  let limit: Limit | undefined
  try {
    if (contestant !== undefined) limit = await Limit.start(contestant, zones + warmUp + counts.burst)
    const change = await inTurns(
      changes,
      () => ours.change(),
      limit && (() => limit!.change()),
      () => ours.cpu(),
    )
    const zone = await inTurns(
      zones,
      () => ours.zone(),
      limit && (() => limit!.zones(1)),
      () => ours.cpu(),
    )
    const bursts: { ours: Burst; limit: number | undefined } = {
      ours: await ours.burst(counts.burst),
      limit: await limit?.zones(counts.burst),
    }
    if (ours.log() !== '') console.error(ours.log())
    return { title: contestant?.title ?? 'the built-in server', change, zone, burst: bursts }
  } finally {
    await ours.stop()
    await limit?.stop()
  }
}

/** Ours and the limit one after the other, again and again, so that both see the same machine. */
async function inTurns(
  count: number,
  ours: () => Promise<Timed>,
  limit: (() => Promise<number>) | undefined,
  cpu: () => number,
): Promise<Seen['change']> {
  const [times, limits, used]: [Timed[], number[], number[]] = [[], [], []]
  for (let i = -warmUp; i < count; i++) {
    const before = cpu()
    const timed = await ours()
    const spent = cpu() - before
    const least = await limit?.()
    // The first are for caches and the compiler.
    if (i < 0) continue
    times.push(timed)
    used.push(spent)
    if (least !== undefined) limits.push(least)
  }
  return { ours: times, limit: limits, cpu: median(used) }
}
