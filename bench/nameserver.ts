import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchedLoad } from './nameserver/batched-load.ts'
import { checkAlike, encodeQuestion } from './nameserver/check.ts'
import { dnsperf } from './nameserver/dnsperf.ts'
import { startOurs } from './nameserver/ours.ts'
import { type Peer, startPeer } from './nameserver/peers.ts'
import { cpuOf, memoryOf } from './nameserver/usage.ts'
import { mixedZone, questions } from './nameserver/zone.ts'
import { pinned, takeLoadCore } from './support/processes.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'

type Contestant = { readonly name: string; readonly port: number; readonly pid: number; stop(): Promise<void> }

/** What is measured of each server, and how it is told. */
const figures = [
  ['queries a second (dnsperf)', 'q/s', 'more'],
  ['processor time a query (dnsperf)', 'µs', 'less'],
  ['mean time to an answer (dnsperf, 200 under way)', 'µs', 'less'],
  ['queries a second (batched load)', 'q/s', 'more'],
  ['processor time a query (batched load)', 'µs', 'less'],
  ['p50, 200 under way', 'µs', 'less'],
  ['p99, 200 under way', 'µs', 'less'],
  ['p50, one at a time', 'µs', 'less'],
  ['p99, one at a time', 'µs', 'less'],
  ['memory (PSS)', 'MB', 'less'],
] as const

await report('nameserver', measure, { peers: { type: 'string' }, rounds: { type: 'string' } })

/** The same zone and questions to our service and to others, each on one core, the load on another, in turns. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  takeLoadCore()
  if (!pinned) console.error('no taskset or only one core: server and load share cores, so expect lower figures')
  const peers = (given.peers ?? (quick ? 'NSD,Knot' : 'NSD,Knot,BIND,PowerDNS')).split(',') as Peer[]
  const rounds = Number(given.rounds ?? (quick ? 3 : 7))
  const effort = quick ? { perf: 1, batched: 0.5, single: 0.2 } : { perf: 3, batched: 2, single: 0.5 }
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-bench-'))
  const running: Contestant[] = []
  try {
    const asked = questions(20_000)
    const file = join(folder, 'questions')
    await writeFile(file, asked.map(([name, type]) => `${name} ${type}\n`).join(''))
    running.push({ name: 'ours', ...(await startOurs(mixedZone, 120_000)) })
    for (const peer of peers) running.push({ ...(await startPeer(peer, mixedZone, 30_000)), name: peer })
    const checked = await checkAlike(running, asked.slice(0, quick ? 200 : 2000))
    console.error(`${checked} questions answered alike by ${running.map(({ name }) => name).join(', ')}`)
    const load = new BatchedLoad(asked.map(encodeQuestion))
    const seen = new Map<string, number[][]>(running.map(({ name }) => [name, []]))
    for (let round = -1; round < rounds; round++) {
      for (const contestant of running) {
        const measured = await turn(contestant, file, load, effort)
        // The first round is for caches and the compiler.
        if (round >= 0) seen.get(contestant.name)!.push(measured)
      }
    }
    return rowsOf(new Map([...seen].map(([name, turns]) => [name, medians(turns)])))
  } finally {
    for (const one of running) await one.stop()
    await rm(folder, { recursive: true })
    const average = loadavg().map((n) => n.toFixed(1))
    console.error(`load average of the machine: ${average.join(' ')}`)
  }
}

async function turn(
  { port, pid }: Contestant,
  file: string,
  load: BatchedLoad,
  seconds: { readonly perf: number; readonly batched: number; readonly single: number },
): Promise<number[]> {
  const before = cpuOf(pid)
  const perf = await dnsperf(port, file, seconds.perf)
  const between = cpuOf(pid)
  const batched = load.run(port, 200, seconds.batched)
  const after = cpuOf(pid)
  const single = load.run(port, 1, seconds.single)
  return [
    perf.perSecond,
    (between - before) / perf.answered,
    perf.latency,
    batched.perSecond,
    (after - between) / batched.answered,
    batched.p50,
    batched.p99,
    single.p50,
    single.p99,
    memoryOf(pid).pss,
  ]
}

function medians(turns: readonly (readonly number[])[]): number[] {
  const middle = Math.floor(turns.length / 2)
  return figures.map((_, i) => turns.map((turn) => turn[i]!).toSorted((a, b) => a - b)[middle]!)
}

function rowsOf(seen: ReadonlyMap<string, readonly number[]>): BenchRow[] {
  const ours = seen.get('ours')!
  return figures.flatMap(([what, unit, better], i) =>
    [...seen]
      .filter(([name]) => name !== 'ours')
      .map(([name, values]) => ({ case: what, unit, ours: ours[i]!, against: { name, value: values[i]! }, better })),
  )
}
