import { equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { killRounds, WriteStorm } from './durability.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { startService } from './support/service.ts'

let server: Postgres
before(async () => {
  server = await startPostgres({ isCareful: true })
})
after(() => server.stop())

test('a service on PostgreSQL that is killed in the middle of writes loses nothing it acknowledged', {
  timeout: 120_000,
}, async (t) => {
  const service = await startService({ env: { NAMEPLANE_DATABASE_URL: await server.createDatabase() } })
  try {
    const { rounds, acknowledged } = await killRounds(service, 8_000)
    t.diagnostic(`${rounds} kills, ${acknowledged} acknowledged writes, all found`)
    ok(acknowledged > rounds)
  } finally {
    await service.stop()
  }
})

test('when PostgreSQL itself is killed in the middle of writes, the service goes on by itself and nothing is lost', {
  timeout: 120_000,
}, async (t) => {
  const url = await server.createDatabase()
  const service = await startService({ env: { NAMEPLANE_DATABASE_URL: url } })
  try {
    const storm = new WriteStorm()
    const storming = storm.run(service.url, 16)
    await sleep(1000)
    await server.kill()
    await storming
    ok(storm.acknowledged > 0)
    const away = await fetch(`${service.url}/v2/tlds`)
    equal(away.status, 503)
    ok(away.headers.get('Retry-After'))
    await away.arrayBuffer()
    await server.restart()
    await storm.check(service.url)
    t.diagnostic(`${storm.acknowledged} acknowledged writes, all found`)

    const more = storm.run(service.url, 4)
    await sleep(500)
    await service.kill('SIGKILL')
    await more
    await service.restart()
    await storm.check(service.url)
    await isSound(url)
  } finally {
    await service.stop()
  }
})

/** PostgreSQL's own check of every index against its table, of the kind it can check. */
async function isSound(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create extension if not exists amcheck')
    const { rows } = await client.query<{ n: number }>(`
      select count(bt_index_check(index => c.oid, heapallindexed => true))::int as n
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace s on s.oid = c.relnamespace
        join pg_am a on a.oid = c.relam
      where s.nspname = 'public' and c.relkind = 'i' and a.amname = 'btree'`)
    ok(rows[0]!.n > 0)
  } finally {
    await client.end()
  }
}
