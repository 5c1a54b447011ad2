import { equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { systemClock } from '../src/clock.ts'
import { openDatabase } from '../src/db/open.ts'
import { type Database, sql } from '../src/db/sql.ts'
import { startNameserver } from '../src/nameserver/start.ts'
import { tcpLimits } from './support/dns-transports.ts'
import { testSettings as dnsSettings } from './support/nameserver.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { dig, digUntil, type Served, startServed, until } from './support/served.ts'
import { testSettings } from './support/settings.ts'
import type { ShownZone } from './support/zones-api.ts'

let postgres: Postgres
let served: Served
let url: string
before(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  served = await startServed({ url })
})
after(async () => {
  await served.close()
  await postgres.stop()
})

const statusOf = async (zone: { id: string }) => (await served.api.get<ShownZone>(`/v2/zones/${zone.id}`)).body.status

/** A name server as another process has it: with a handle of its own on the database. */
async function another(): Promise<{ db: Database; port: number; close(): Promise<void> }> {
  const database = { url, dataDir: '/nonexistent' }
  const db = await openDatabase({ ...database, onIdleError: () => {} })
  const server = await startNameserver({
    db,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    keeper: {
      database,
      secretKey: testSettings.secrets.key,
      listen: [{ host: '127.0.0.1', port: 0 }],
      udp: 'auto',
      threads: 1,
      load: 'start',
      settings: dnsSettings,
      tcp: tcpLimits,
      rate: undefined,
      log: { level: 'silent', format: 'json' },
    },
  })
  return {
    db,
    port: server.listening[0]!.port,
    async close() {
      await server.close()
      await db.close()
    },
  }
}

test('[S70] a change is served in tens of milliseconds by other processes on PostgreSQL', async () => {
  const { api } = served
  const zone = await api.newZone('fresh.example.')
  const other = await another()
  try {
    equal((await digUntil(other.port, ['fresh.example.', 'SOA'], ({ rcode }) => rcode === 0)).rcode, 0)
    const times: number[] = []
    for (let i = 0; i < 20; i++) {
      const name = `n${i}.fresh.example.`
      await api.newSet(zone, name, 'A', [`192.0.2.${i}`])
      const began = performance.now()
      equal((await digUntil(other.port, [name, 'A'], ({ rcode }) => rcode === 0)).rcode, 0)
      times.push(performance.now() - began)
    }
    const median = times.toSorted((a, b) => a - b)[10]!
    ok(median < 400, `the median of ${times.length} is ${median} ms`)
    await api.delete(`/v2/zones/${zone.id}`)
    equal((await digUntil(other.port, ['fresh.example.', 'SOA'], ({ rcode }) => rcode === 5)).rcode, 5)
  } finally {
    await other.close()
  }
})

test('[S70] a change of which nobody is told is found by polling', async () => {
  const { api, port } = served
  const zone = await api.newZone('quiet.example.')
  await api.newSet(zone, 'a.quiet.example.', 'A', ['192.0.2.1'])
  ok(await until(async () => (await statusOf(zone)) === 'ACTIVE'))
  for (const ago of [0, 30_000]) {
    const at = `${new Date(Date.now() - ago).toISOString().slice(0, -1)}000`
    await api.db.write((tx) =>
      tx.run(sql`update zones set deleted_at = ${at}, changed_at = ${at} where id = ${zone.id}`),
    )
    // A clock that is half a minute behind is found out at the next long look back.
    const found = await digUntil(
      port(),
      ['quiet.example.', 'SOA'],
      ({ rcode }) => rcode === 5,
      ago === 0 ? 5000 : 25_000,
    )
    equal(found.rcode, 5)
    if (ago > 0) break
    await api.db.write((tx) =>
      tx.run(sql`update zones set deleted_at = null, gone_at = null, changed_at = ${at} where id = ${zone.id}`),
    )
    equal((await digUntil(port(), ['quiet.example.', 'SOA'], ({ rcode }) => rcode === 0)).rcode, 0)
  }
})

test('[S73] while the database is away zones are served as they were, and all that changed is when it is back', async () => {
  const { api, port } = served
  const zone = await api.newZone('away.example.')
  const set = await api.newSet(zone, 'a.away.example.', 'A', ['192.0.2.1'])
  ok(await until(async () => (await statusOf(zone)) === 'ACTIVE'))
  await postgres.kill()
  equal((await dig(port(), 'a.away.example.', 'A')).rcode, 0)
  const lag = () => Date.now() - served.dns().stats().currentAt
  ok(await until(() => lag() > 2000), 'the lag grows')
  await postgres.restart()
  ok(
    await until(async () => {
      const { status } = await api
        .put(`/v2/zones/${zone.id}/recordsets/${set.id}`, { records: ['192.0.2.2'] })
        .catch(() => ({ status: 0 }))
      return status === 202
    }),
  )
  const { answer } = await digUntil(port(), ['a.away.example.', 'A'], (reply) => reply.answer[0]?.rdata[3] === 2)
  equal(answer[0]?.rdata[3], 2)
  ok(await until(async () => (await statusOf(zone)) === 'ACTIVE'))
  ok(await until(() => lag() < 3000), 'the lag is over')
})
