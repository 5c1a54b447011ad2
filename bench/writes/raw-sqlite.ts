import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { timestamp } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { journalBytes, type RawZone, statements } from './raw-rows.ts'

/** What SQLite itself can do: the same rows by prepared statements in one process, so many sets in each durable commit. */
const [dataDir] = process.argv.slice(2)
const db = new DatabaseSync(join(dataDir!, 'nameplane.db'))
db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000; pragma foreign_keys = on;
  pragma cache_size = -32768`)
const run = Object.fromEntries(Object.entries(statements).map(([name, text]) => [name, db.prepare(text)])) as {
  [K in keyof typeof statements]: ReturnType<typeof db.prepare>
}
const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')]
const prefix = `raw${process.pid.toString(36)}`
let made = 0

function add(zone: RawZone): void {
  made += 1
  const [label, at, id] = [`${prefix}-${made.toString(36)}`, timestamp(new Date()), newId()]
  const { serial } = run.zone.get(at, zone.id) as { serial: number }
  const { removed, added } = journalBytes(zone.name)
  run.change.run(zone.id, serial, serial - 1, removed, added, at)
  const soa = JSON.stringify([`ns1.example.org. hostmaster.${zone.name} ${serial} 3550 600 86400 3600`])
  run.soa.run(soa, serial, zone.id, zone.name)
  run.set.run(id, zone.id, `${label}.${zone.name}`, `${zone.tree_key}${label}.`, serial, at)
  run.record.run(id)
  run.counts.run(made & 15, made & 15)
}

type Task = { readonly zones: readonly RawZone[]; readonly milliseconds: number; readonly batch: number }

process.on('message', ({ zones, milliseconds, batch }: Task) => {
  const started = performance.now()
  const before = made
  while (performance.now() - started < milliseconds) {
    begin.run()
    for (let i = 0; i < batch; i += 1) add(zones[made % zones.length]!)
    commit.run()
  }
  const seconds = (performance.now() - started) / 1000
  process.send?.({ perSecond: (made - before) / seconds, made: made - before })
})
process.send?.({ port: 0 })
process.once('disconnect', () => db.close())
