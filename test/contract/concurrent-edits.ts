import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, sql } from '../../src/db/sql.ts'
import { countOf } from '../../src/resources/quotas/counts.ts'
import { edit, type Ledger, newLedger } from '../support/editors.ts'
import { type Service, startService } from '../support/service.ts'
import { mustAgree, type ShownZone } from '../support/zones-api.ts'

const clients = 64

/** What must hold while many edit one zone, and when the service is killed meanwhile. `open` gives its rows once it stands still. */
export function concurrentEditRules(
  engine: string,
  newService: () => Promise<{ args: readonly string[]; open: (service: Service) => Database }>,
): void {
  const run = async (work: (service: Service, zone: ShownZone, ledger: Ledger) => Promise<void>) => {
    const { args, open } = await newService()
    const service = await startService({ args })
    try {
      const zone = await newZone(service)
      const ledger = newLedger()
      await work(service, zone, ledger)
      await service.kill('SIGTERM')
      const db = open(service)
      try {
        await mustAgree(db, zone)
        await mustRemember(db, zone, ledger)
      } finally {
        await db.close()
      }
    } finally {
      await service.stop()
    }
  }

  test(`[J8] 64 clients on one zone lose nothing: the journal, the rows, the counts and what clients were told agree (${engine})`, () =>
    run(async (service, zone, ledger) => {
      const end = Date.now() + 3000
      await edit(service.url, zone, ledger, { clients, isOver: () => Date.now() > end })
      ok(ledger.counter.raised > 0)
      equal(ledger.counter.perhaps, 0)
      deepEqual(
        [...ledger.statuses.keys()].filter((status) => status >= 500),
        [],
      )
      ok((ledger.statuses.get(412) ?? 0) > 0, 'some were told that they had seen an older version')
    }))

  test(`[J9] killed again and again while 64 clients edit, nothing that was answered is lost (${engine})`, () =>
    run(async (service, zone, ledger) => {
      for (let round = 0; round < 3; round += 1) {
        let over = false
        const editing = edit(service.url, zone, ledger, { clients, isOver: () => over })
        await sleep(1200 + 300 * round)
        await service.kill('SIGKILL')
        over = true
        await editing
        await service.restart()
      }
      ok(ledger.counter.raised > 0)
    }))
}

async function newZone({ url }: Service): Promise<ShownZone> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    equal(response.status, 202)
    return (await response.json()) as ShownZone
  }
  const zone = await post('/v2/zones', { name: 'busy.example.', email: 'a@example.org' })
  await post(`/v2/zones/${zone.id}/recordsets`, { name: 'counter.busy.example.', type: 'TXT', records: ['"0"'] })
  return zone
}

/** Holds the rows to what clients were told, and the counts to the rows. */
async function mustRemember(db: Database, zone: ShownZone, ledger: Ledger): Promise<void> {
  const rows = await db.read((tx) =>
    tx.all<{ name: string; type: string; records: string }>(
      sql`select name, type, records from recordsets where zone_id = ${zone.id}`,
    ),
  )
  const held = new Map(rows.map(({ name, type, records }) => [`${name} ${type}`, JSON.parse(records) as string[]]))
  const counter = Number(JSON.parse(held.get('counter.busy.example. TXT')![0]!))
  const { raised, perhaps } = ledger.counter
  ok(
    counter >= raised && counter <= raised + perhaps,
    `${raised} to ${raised + perhaps} times raised, and is ${counter}`,
  )
  for (const [name, records] of ledger.own) deepEqual(held.get(`${name} A`), records, name)
  equal(await db.read((tx) => countOf(tx, 'noauth-project', 'recordsets')), rows.length)
  equal(await db.read((tx) => countOf(tx, 'noauth-project', 'zones')), 1)
}
