import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeMessage } from '../src/dns/message.ts'
import { soaNumber } from '../src/zonedata/zone.ts'
import { askUdp } from '../test/support/dns-transports.ts'
import { encodeQuestion } from './nameserver/check.ts'
import { startOurs } from './nameserver/ours.ts'
import { type Peer, startPeer } from './nameserver/peers.ts'
import { addRecord, type Taken, takeStep, takeZone } from './nameserver/transfer-client.ts'
import { cpuOf } from './nameserver/usage.ts'
import { type BenchZone, flatZone, textOf } from './nameserver/zone.ts'
import { pinned, takeLoadCore } from './support/processes.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'

type Contestant = {
  readonly name: string
  readonly port: number
  readonly pid: number
  /** Adds a name to the zone. */
  change(): Promise<void>
  stop(): Promise<void>
}

const patience = 600_000
const address = { name: 'added.large.test.', type: 1, class: 1, ttl: 3600, rdata: Uint8Array.of(192, 0, 2, 1) }

await report('transfer', measure, { sizes: { type: 'string' }, peers: { type: 'string' } })

/** Whole zones and one change of them, taken by the same client from our service and from others, in turns. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  takeLoadCore()
  if (!pinned) console.error('no taskset or only one core: server and client share cores, so expect lower figures')
  const sizes = (given.sizes ?? (quick ? '20000' : '100000,1000000')).split(',').map(Number)
  const peers = (given.peers ?? 'NSD,Knot,BIND').split(',').filter((name) => name !== '') as Peer[]
  const rows: BenchRow[] = []
  for (const size of sizes) rows.push(...(await ofSize(flatZone(size), peers, quick ? 5 : 7)))
  console.error(
    `load average of the machine: ${loadavg()
      .map((n) => n.toFixed(1))
      .join(' ')}`,
  )
  return rows
}

async function ofSize(zone: BenchZone, peers: readonly Peer[], rounds: number): Promise<BenchRow[]> {
  const running: Contestant[] = []
  try {
    running.push(await ours(zone))
    for (const peer of peers) running.push(await contestant(peer, zone))
    const whole = await inTurns(running, { first: 2, rounds }, ({ port }) => takeZone(port, zone.origin))
    for (const [name, { records }] of whole) {
      if (records !== zone.records + 1) throw new Error(`${name} sent ${records} records, not ${zone.records + 1}`)
    }
    const serials = new Map<Contestant, number>()
    for (const one of running) serials.set(one, await changed(one, zone))
    const step = await inTurns(running, { first: 200, rounds: rounds * 20 }, (one) =>
      takeStep(one.port, zone.origin, serials.get(one)!),
    )
    const size = zone.records.toLocaleString('en')
    return [
      ...rowsOf(`AXFR of ${size} records`, 'records/s', 'more', whole, (of) => of.records / (of.milliseconds / 1000)),
      ...rowsOf(
        `AXFR of ${size} records: processor time a record`,
        'ns',
        'less',
        whole,
        (of) => (of.cpu * 1000) / of.records,
      ),
      ...rowsOf(`AXFR of ${size} records: octets`, 'octets', 'less', whole, (of) => of.octets),
      ...rowsOf(`AXFR of ${size} records: first message after`, 'ms', 'less', whole, (of) => of.first),
      ...rowsOf(`IXFR of one change of ${size} records`, 'ms', 'less', step, (of) => of.milliseconds),
      ...rowsOf(`IXFR of one change of ${size} records: processor time`, 'µs', 'less', step, (of) => of.cpu),
    ]
  } finally {
    for (const one of running) await one.stop()
  }
}

async function ours(zone: BenchZone): Promise<Contestant> {
  const began = performance.now()
  const { call, zoneId, ...service } = await startOurs(zone, patience)
  console.error(`ours: ${zone.records} records imported and served after ${seconds(began)} s`)
  const added = { name: address.name, type: 'A', records: ['192.0.2.1'] }
  return {
    ...service,
    name: 'ours',
    change: async () => void (await call('POST', `/v2/zones/${zoneId}/recordsets`, added)),
  }
}

async function contestant(peer: Peer, zone: BenchZone): Promise<Contestant> {
  const began = performance.now()
  const server = await startPeer(peer, zone, patience)
  console.error(`${peer}: ${zone.records} records loaded after ${seconds(began)} s`)
  const change = async () => {
    if (peer !== 'NSD') return addRecord(server.port, zone.origin, address)
    // NSD takes no updates; it compares the file it is told to read again with what it has.
    const after = textOf(flatZone(zone.records, 2))
    await writeFile(join(server.folder, 'zone'), `${after}added A 192.0.2.1\n`)
    process.kill(server.pid, 'SIGHUP')
  }
  return { ...server, name: peer, change }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}

/** Changes the zone and waits until that is served; the serial before. */
async function changed(one: Contestant, { origin }: BenchZone): Promise<number> {
  const before = await serialOf(one.port, origin)
  await one.change()
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) {
    if ((await serialOf(one.port, origin)) !== before) return before
  }
  throw new Error(`${one.name} does not serve a change within a minute`)
}

async function serialOf(port: number, origin: string): Promise<number> {
  const reply = await askUdp({ host: '127.0.0.1', port }, encodeQuestion([origin, 'SOA']))
  return reply === undefined ? -1 : soaNumber(decodeMessage(reply).answer[0]!.rdata, 0)
}

type Figures = Taken & { readonly cpu: number }

/** Each its turn, round after round; the medians of their figures. The first rounds are for caches and the compiler. */
async function inTurns(
  contestants: readonly Contestant[],
  { first, rounds }: { readonly first: number; readonly rounds: number },
  run: (one: Contestant) => Promise<Taken>,
): Promise<Map<string, Figures>> {
  const seen = new Map<string, Figures[]>(contestants.map(({ name }) => [name, []]))
  for (let round = -first; round < rounds; round++) {
    for (const one of contestants) {
      const before = cpuOf(one.pid)
      const taken = await run(one)
      if (round >= 0) seen.get(one.name)!.push({ ...taken, cpu: cpuOf(one.pid) - before })
    }
  }
  const median = (figures: readonly Figures[], pick: keyof Figures) =>
    figures.map((one) => one[pick]).toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!
  const picks = ['records', 'messages', 'octets', 'milliseconds', 'first', 'cpu'] as const
  return new Map(
    [...seen].map(([name, figures]) => [
      name,
      Object.fromEntries(picks.map((pick) => [pick, median(figures, pick)])) as unknown as Figures,
    ]),
  )
}

function rowsOf(
  what: string,
  unit: string,
  better: 'more' | 'less',
  seen: ReadonlyMap<string, Figures>,
  figure: (of: Figures) => number,
): BenchRow[] {
  const own = figure(seen.get('ours')!)
  return [...seen]
    .filter(([name]) => name !== 'ours')
    .map(([name, of]) => ({ case: what, unit, ours: own, against: { name, value: figure(of) }, better }))
}
