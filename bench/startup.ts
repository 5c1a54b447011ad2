import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askUdp } from '../test/support/dns-transports.ts'
import { freePort } from '../test/support/port.ts'
import { root, startProgram } from '../test/support/program.ts'
import { encodeQuestion } from './nameserver/check.ts'
import { memoryOf } from './nameserver/usage.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'
import { zoneName } from './zones/made-up.ts'
import { seedZones } from './zones/seed.ts'

await report('startup', measure, { zones: { type: 'string' }, data: { type: 'string' } })

/** Starts the service on a store of many zones, `--data DIR` or seeded anew, and asks it from the first moment on. */
async function measure({ quick, given }: BenchOptions): Promise<BenchRow[]> {
  const zones = Number(given.zones ?? (quick ? 10_000 : 100_000))
  const dataDir = given.data ?? (await mkdtemp(join(tmpdir(), 'nameplane-startup-')))
  if (!existsSync(join(dataDir, 'nameplane.db'))) await seedZones({ dataDir, url: undefined }, zones)
  const [api, port] = [await freePort(), await freePort()]
  const settings = ['--api-listen', `127.0.0.1:${api}`, '--dns-listen', `127.0.0.1:${port}`, '--data-dir', dataDir]
  const began = performance.now()
  const program = startProgram(process.execPath, [join(root, 'bin', 'nameplane'), 'serve', ...settings], {
    cwd: dataDir,
  })
  try {
    // The last zone would be read last, were it not asked for.
    const first = await answered(port, zoneName(zones - 1), began)
    const loaded = await until(async () => (await metric(api, 'nameplane_dns_loading')) === 0, began)
    const [records, bytes] = [
      await metric(api, 'nameplane_dns_records'),
      await metric(api, 'nameplane_dns_memory_bytes'),
    ]
    const { rss } = memoryOf(program.child.pid!)
    const about = `${zones.toLocaleString('en')} zones, ${records.toLocaleString('en')} records`
    const row = (name: string, unit: string, ours: number): BenchRow => ({
      case: `${about}: ${name}`,
      unit,
      ours,
      better: 'less',
    })
    return [
      row('first answer, of the last zone', 's', first / 1000),
      row('every zone is served', 's', loaded / 1000),
      row('memory for zones, a record', 'octets', bytes / records),
      row('memory for zones, a zone', 'octets', bytes / zones),
      row('memory of the process', 'MB', rss),
    ]
  } finally {
    program.child.kill('SIGTERM')
    await program.ended
    if (given.data === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

/** How long it took until a zone was answered for. */
function answered(port: number, name: string, began: number): Promise<number> {
  return until(async () => {
    const reply = await askUdp({ host: '127.0.0.1', port }, encodeQuestion([name, 'SOA']), 50).catch(() => undefined)
    return reply !== undefined && (reply[3]! & 15) === 0
  }, began)
}

async function until(isSo: () => Promise<boolean>, began: number): Promise<number> {
  while (!(await isSo())) {
    if (performance.now() - began > 600_000) throw new Error('it takes longer than ten minutes')
    await sleep(5)
  }
  return performance.now() - began
}

async function metric(api: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${api}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}
