import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId } from '../../src/ids.ts'

/** What a service can do at most that commits every write by itself: the same rows, one fsync each, and no HTTP. */
const [dataDir] = process.argv.slice(2)
const db = new DatabaseSync(join(dataDir!, 'nameplane.db'))
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
const insert = db.prepare(`
  insert into pools (id, name, project_id, attributes, ns_records, created_at)
  values (?, ?, 'bench', '{}', '[{"hostname":"ns1.example.org.","priority":1}]', ?)`)

process.on('message', ({ milliseconds }: { milliseconds: number }) => {
  const started = performance.now()
  let commits = 0
  while (performance.now() - started < milliseconds) {
    const id = newId()
    insert.run(id, id, new Date().toISOString())
    commits += 1
  }
  process.send?.({ perSecond: (commits * 1000) / (performance.now() - started) })
})
process.send?.({ port: 0 })
process.once('disconnect', () => db.close())
