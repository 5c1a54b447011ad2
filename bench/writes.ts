import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/db/open.ts'
import { sql } from '../src/db/sql.ts'
import { type Postgres, startPostgres } from '../test/support/postgres.ts'
import { stayAwake } from './support/load.ts'
import { pinned, type Server, startServer, takeLoadCore } from './support/processes.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'
import { alternate, type Bounds, type Effort, type Figures, once } from './support/rounds.ts'
import { fillZone } from './writes/big-zone.ts'
import type { RawZone } from './writes/raw-rows.ts'
import { changeSet, createSet } from './writes/requests.ts'
import { seedZones, type Target } from './zones/seed.ts'

await report('writes', measure, { engines: { type: 'string' }, clients: { type: 'string' } })

/** Durable writes a second beside what the engine does with the same rows, and what the size of a zone costs. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  takeLoadCore()
  if (!pinned) console.error('no taskset or only one core: server and load share cores, so expect lower figures')
  const hasPostgres = globSync('/usr/lib/postgresql/*/bin').length > 0
  const engines = given.engines?.split(',') ?? (quick || !hasPostgres ? ['sqlite'] : ['sqlite', 'postgres'])
  const effort = quick ? { rounds: 3, milliseconds: 500 } : { rounds: 7, milliseconds: 1000 }
  const clients = (given.clients ?? '1,8,64').split(',').map(Number)
  const rows: BenchRow[] = []
  for (const engine of engines) {
    const postgres = engine === 'postgres' ? await startPostgres({ isCareful: true }) : undefined
    try {
      rows.push(...(await onEngine(engine, postgres, { ...effort, clients }, quick ? 10_000 : 100_000)))
    } finally {
      await postgres?.stop()
    }
  }
  console.error(
    `load average of the machine: ${loadavg()
      .map((n) => n.toFixed(1))
      .join(' ')}`,
  )
  return rows
}

async function onEngine(
  engine: string,
  postgres: Postgres | undefined,
  effort: Effort & { readonly clients: readonly number[] },
  large: number,
): Promise<BenchRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nameplane-writes-'))
  const target = { dataDir, url: await postgres?.createDatabase() }
  const servers: Server[] = []
  try {
    await seedZones(target, 1000)
    const [big, small, ...zones] = await zonesOf(target)
    const ids = { big: await fillZone(target, big!, large), small: await fillZone(target, small!, 1000) }
    const ours = await startServer('serve-api.ts', [dataDir, ...(target.url ? [target.url] : [])])
    servers.push(ours)
    const raw = await startServer(`../writes/raw-${engine}.ts`, [target.url ?? dataDir])
    servers.push(raw)
    return [
      ...(await createdRows(engine, { ours, raw }, zones, effort)),
      ...(await sizeRows(
        engine,
        ours,
        { big: { zone: big!, ids: ids.big }, small: { zone: small!, ids: ids.small } },
        effort,
      )),
    ]
  } finally {
    for (const server of servers) await server.stop()
    await rm(dataDir, { recursive: true })
  }
}

async function zonesOf(target: Target): Promise<RawZone[]> {
  const db = await openDatabase({ ...target, onIdleError: () => {} })
  try {
    return await db.read((tx) =>
      tx.all<RawZone>(
        sql`select id, name, tree_key from zones where project_id = 'bench' and name like '%-%' order by id limit 502`,
      ),
    )
  } finally {
    await db.close()
  }
}

async function createdRows(
  engine: string,
  { ours, raw }: { readonly ours: Server; readonly raw: Server },
  zones: readonly RawZone[],
  effort: Effort & { readonly clients: readonly number[] },
): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  for (const clients of effort.clients) {
    console.error(`${engine}: ${clients} clients …`)
    const figures = await alternate(
      {
        ours: (bounds) => once(ours, { ...bounds, clients, request: (i) => createSet(zones[i % zones.length]!) }),
        raw: (bounds) => rawly(raw, zones, clients, bounds),
      },
      effort,
    )
    const named = clients === 1 ? '1 client' : `${clients} clients`
    rows.push({
      case: `${engine}: recordsets created, ${named}`,
      unit: 'writes/s',
      ours: figures.ours.perSecond,
      against: { name: 'the same rows, raw', value: figures.raw.perSecond },
      better: 'more',
    })
    rows.push({
      case: `${engine}: recordsets created, ${named}: processor time`,
      unit: 'µs',
      ours: figures.ours.cpu,
      against: { name: 'the same rows, raw', value: figures.raw.cpu },
      better: 'less',
    })
    for (const pick of ['p50', 'p99'] as const) {
      rows.push({
        case: `${engine}: recordsets created, ${named}: ${pick}`,
        unit: 'µs',
        ours: figures.ours[pick],
        better: 'less',
      })
    }
  }
  return rows
}

async function rawly(
  raw: Server,
  zones: readonly RawZone[],
  batch: number,
  { milliseconds }: Bounds,
): Promise<Figures> {
  const before = raw.cpu()
  // As while the service is asked, so that the engine has the same cores to itself.
  const awake = stayAwake()
  const { perSecond, made } = (await raw.tell({ zones, batch, milliseconds })) as { perSecond: number; made: number }
  awake.stop()
  return { answers: made, perSecond, p50: 0, p99: 0, max: 0, cpu: (raw.cpu() - before) / made }
}

type Filled = { readonly zone: RawZone; readonly ids: readonly string[] }

/** One set changed, and one added, in a large zone beside a small one. */
async function sizeRows(
  engine: string,
  ours: Server,
  { big, small }: { readonly big: Filled; readonly small: Filled },
  effort: Effort,
): Promise<BenchRow[]> {
  const of =
    ({ zone, ids }: Filled, how: 'change' | 'create') =>
    (bounds: Bounds) =>
      once(ours, {
        ...bounds,
        clients: 1,
        request: (i) => (how === 'change' ? changeSet(zone, ids[(i * 7919) % ids.length]!) : createSet(zone)),
      })
  const figures = await alternate(
    {
      bigChange: of(big, 'change'),
      smallChange: of(small, 'change'),
      bigCreate: of(big, 'create'),
      smallCreate: of(small, 'create'),
    },
    effort,
  )
  const row = (what: string, large: Figures, little: Figures): BenchRow => ({
    case: `${engine}: ${what} in a zone of ${big.ids.length.toLocaleString('en')} sets: p50`,
    unit: 'µs',
    ours: large.p50,
    against: { name: 'in one of 1,000', value: little.p50 },
    better: 'less',
  })
  return [
    row('a set changed', figures.bigChange, figures.smallChange),
    row('a set created', figures.bigCreate, figures.smallCreate),
  ]
}
