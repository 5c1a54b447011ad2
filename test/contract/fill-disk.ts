import { openSqlite } from '../../src/db/sqlite.ts'
import { add, countThings } from './database.ts'

/** Run under a limit on file sizes: writes until refused, then tells how many writes were acknowledged and are readable. */
const db = openSqlite(process.argv[2]!)
await db.alone((tx) => tx.script('create table things (id integer primary key, name text, big bigint)'))
const refusals: unknown[] = []
let acknowledged = 0
for (let round = 0; refusals.length === 0 && round < 10_000; round += 1) {
  const ids = Array.from({ length: 10 }, (_, i) => round * 10 + i)
  const writes = await Promise.allSettled(ids.map((id) => db.write((tx) => add(tx, id, 'x'.repeat(2000)))))
  for (const write of writes) {
    if (write.status === 'fulfilled') acknowledged += 1
    else refusals.push(write.reason)
  }
}
const readable = await db.read(countThings)
process.stdout.write(JSON.stringify({ acknowledged, refusal: String(refusals[0]), readable }))
