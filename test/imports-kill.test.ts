import { deepEqual, equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownImport } from './support/imports-api.ts'
import { startService } from './support/service.ts'

const rounds = 4
const records = 10_000
const changed = 1000

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
      await sleep((round - 1) * 80)
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

test('[I35] a service that is killed while a zone is replaced or merged into has the old content or the new, and the new after', {
  timeout: 180_000,
}, async (t) => {
  const service = await startService()
  const path = () => join(service.dataDir, 'nameplane.db')
  const names = Array.from({ length: changed }, (_, i) => `h${i}`)
  const file = (version: number) =>
    `$ORIGIN again.org.\n$TTL 300\n@ IN SOA ns. admin. 1 1 1 1 1\n${names.map((name) => `${name} IN A 192.0.2.${version}\n`).join('')}`
  const send = async (mode: string, version: number) => {
    const response = await fetch(`${service.url}/v2/zones/tasks/imports${mode}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/dns' },
      body: file(version),
    })
    equal(response.status, 202, await response.clone().text())
    return ((await response.json()) as { id: string }).id
  }
  try {
    await finished(service.url, await send('', 0))
    const found = new Set<string>()
    let old = '192.0.2.0'
    for (let round = 1; round <= 4; round++) {
      const isMerge = round % 2 === 1
      const fresh = `${isMerge ? `${old},` : ''}192.0.2.${round}`
      const id = await send(isMerge ? '?mode=merge' : '?mode=replace', round)
      await sleep((round - 1) * 80)
      equal(await service.kill('SIGKILL'), 'SIGKILL')
      const versions = versionsIn(path())
      ok(versions === old || versions === fresh, versions)
      found.add(versions === old ? 'old' : 'new')
      await service.restart()
      await finished(service.url, id)
      equal(versionsIn(path()), fresh)
      old = fresh
    }
    t.diagnostic(`found after kills: ${[...found].join(', ')}`)
    ok(found.has('old'), 'some kills came before the end')
  } finally {
    await service.stop()
  }
})

/** The addresses that the sets of the one zone have, each once; all of them are there. */
function versionsIn(path: string): string {
  const db = new DatabaseSync(path)
  const rows = db.prepare("select records, count(*) n from recordsets where type = 'A' group by records").all()
  db.close()
  equal(
    rows.reduce((sum, row) => sum + Number(row.n), 0),
    changed,
  )
  return rows.map((row) => (JSON.parse(String(row.records)) as string[]).join()).join(' ')
}

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
