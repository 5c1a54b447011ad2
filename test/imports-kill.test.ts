import { deepEqual, equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownImport } from './support/imports-api.ts'
import { startService } from './support/service.ts'

const rounds = 6
const records = 12_000

const fileOf = (name: string) =>
  `$ORIGIN ${name}\n$TTL 300\n@ IN SOA ns. admin. 1 1 1 1 1\n${Array.from({ length: records }, (_, i) => `h${i} IN A 192.0.2.${i % 250}\n`).join('')}`

test('[I35] a service that is killed inside imports has each zone whole or not at all, and finishes them after', {
  timeout: 180_000,
}, async (t) => {
  const service = await startService()
  try {
    const sent: string[] = []
    let caught = 0
    for (let round = 0; round < rounds; round++) {
      const response = await fetch(`${service.url}/v2/zones/tasks/imports`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/dns' },
        body: fileOf(`kill${round}.org.`),
      })
      equal(response.status, 202)
      sent.push(((await response.json()) as { id: string }).id)
      await begun(join(service.dataDir, 'nameplane.db'), sent.at(-1)!)
      // Rounds hit other moments of the work.
      await sleep(round * 60)
      equal(await service.kill('SIGKILL'), 'SIGKILL')
      caught += inside(join(service.dataDir, 'nameplane.db'))
      await service.restart()
    }
    t.diagnostic(`${caught} of ${rounds} kills found an import half-way`)
    ok(caught > 0)
    for (const id of sent) await finished(service.url, id)
    await service.kill('SIGTERM')
    const db = new DatabaseSync(join(service.dataDir, 'nameplane.db'))
    const zones = db.prepare('select name, recordset_count n from zones where gone_at is null order by name').all()
    deepEqual(
      zones.map((row) => ({ ...row })),
      Array.from({ length: rounds }, (_, i) => ({ name: `kill${i}.org.`, n: records + 2 })),
    )
    const real = db
      .prepare(`
      select count(*) n from zones z where gone_at is null
        and recordset_count <> (select count(*) from recordsets r where r.zone_id = z.id)`)
      .get()
    equal(real?.n, 0)
    const kept = db.prepare('select count(*) n from zones where gone_at is not null and purge_at is null').get()
    equal(kept?.n, 0, 'hidden zones that nobody will remove')
    equal(db.prepare('pragma integrity_check').get()?.integrity_check, 'ok')
    equal(db.prepare('pragma foreign_key_check').all().length, 0)
    db.close()
  } finally {
    await service.stop()
  }
})

/** Looks at what a killed service left: no visible zone may be without its records. Tells whether there is a hidden one. */
function inside(path: string): number {
  const db = new DatabaseSync(path)
  const torn = db
    .prepare(`
    select count(*) n from zones z where gone_at is null
      and recordset_count <> (select count(*) from recordsets r where r.zone_id = z.id)`)
    .get()
  equal(torn?.n, 0, 'a zone is there in part')
  const hidden = db
    .prepare("select count(*) n from zone_imports where status = 'PENDING' and staging_id is not null")
    .get()
  db.close()
  return Number(hidden?.n) > 0 ? 1 : 0
}

/** Waits until the content of an import is being stored, or it has ended. */
async function begun(path: string, id: string): Promise<void> {
  const db = new DatabaseSync(path, { readOnly: true })
  const query = db.prepare(
    "select 1 from zone_imports where id = ? and (staging_id is not null or status <> 'PENDING')",
  )
  for (const deadline = Date.now() + 20_000; query.get(id) === undefined && Date.now() < deadline; ) await sleep(5)
  db.close()
}

async function finished(url: string, id: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const shown = (await (await fetch(`${url}/v2/zones/tasks/imports/${id}`)).json()) as ShownImport
    if (shown.status === 'PENDING') continue
    ok(shown.status === 'COMPLETE', shown.message ?? '')
    return
  }
  throw new Error(`import ${id} did not end`)
}
