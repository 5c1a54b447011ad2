import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeZoneFile } from './import/file.ts'
import { indexCost } from './import/indexes.ts'
import { namedCheckzone, pdnsutil } from './import/peers.ts'
import { probe } from './import/probe.ts'
import { importFile, memoryOf, startService } from './import/service.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'

await report('import', measure)

/** A large zone file imported by the service as users run it, beside others who read the same file; and what those who ask meanwhile wait. */
async function measure({ quick }: BenchOptions): Promise<BenchRow[]> {
  const count = quick ? 50_000 : 1_000_000
  const folder = mkdtempSync(join(tmpdir(), 'nameplane-import-'))
  const file = join(folder, 'bench.zone')
  try {
    await writeZoneFile(file, count)
    console.error('reading the file with named-checkzone, loading it with pdnsutil …')
    const checked = namedCheckzone(file)
    const loaded = pdnsutil(file, join(folder, 'pdns'))
    console.error('importing it …')
    const alone = await imported(join(folder, 'alone'), file)
    console.error('importing it while others ask …')
    const busy = await withOthers(join(folder, 'busy'), file)
    console.error('measuring what indexes cost …')
    const cost = await indexCost(quick ? 20_000 : 200_000)
    const rate = (seconds: number) => alone.records / seconds
    return [
      row('import', 'records/s', rate(alone.seconds), 'aim', 100_000),
      row('import', 'records/s', rate(alone.seconds), 'pdnsutil load-zone (SQLite)', rate(loaded)),
      row('import', 'records/s', rate(alone.seconds), 'named-checkzone (reads, stores nothing)', rate(checked)),
      { ...row('sending the file', 's', alone.sent), better: 'less' },
      { ...row('memory of the service, most', 'MiB', alone.most, 'before', alone.before), better: 'less' },
      row('import while others ask', 'records/s', alone.records / busy.seconds),
      { ...row('p99 of a read meanwhile', 'ms', busy.during.read, 'idle', busy.idle.read), better: 'less' },
      { ...row('p99 of a write meanwhile', 'ms', busy.during.write, 'idle', busy.idle.write), better: 'less' },
      row(`record sets stored, ${cost.indexes} indexes`, 'sets/s', cost.withIndexes, 'without them', cost.without),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function row(name: string, unit: string, ours: number, against?: string, value?: number): BenchRow {
  const held = against === undefined || value === undefined ? {} : { against: { name: against, value } }
  return { case: name, unit, ours, better: 'more', ...held }
}

async function imported(dataDir: string, file: string) {
  const service = await startService(dataDir)
  try {
    const before = memoryOf(service.child).now
    const figures = await importFile(service, file)
    return { ...figures, before, most: memoryOf(service.child).most }
  } finally {
    await service.stop()
  }
}

async function withOthers(dataDir: string, file: string) {
  const service = await startService(dataDir)
  try {
    const { url } = service
    const body = JSON.stringify({ name: 'others.example.', email: 'a@example.org' })
    const headers = { 'Content-Type': 'application/json' }
    const zone = (await (await fetch(`${url}/v2/zones`, { method: 'POST', headers, body })).json()) as {
      id: string
      name: string
    }
    await probe(url, zone, sleep(1000), 'warm')
    const idle = await probe(url, zone, sleep(3000), 'idle')
    const importing = importFile(service, file)
    const during = await probe(url, zone, importing, 'busy')
    return { idle, during, seconds: (await importing).seconds }
  } finally {
    await service.stop()
  }
}
