import { equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { killRounds } from './durability.ts'
import { startService } from './support/service.ts'

test('a service on SQLite that is killed in the middle of writes loses nothing it acknowledged', {
  timeout: 120_000,
}, async (t) => {
  const service = await startService()
  try {
    const { rounds, acknowledged } = await killRounds(service, 10_000)
    t.diagnostic(`${rounds} kills, ${acknowledged} acknowledged writes, all found`)
    ok(acknowledged > rounds)
    await service.kill('SIGKILL')
    const db = new DatabaseSync(join(service.dataDir, 'nameplane.db'))
    equal(db.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    equal(db.prepare('pragma foreign_key_check').all().length, 0)
    db.close()
  } finally {
    await service.stop()
  }
})
