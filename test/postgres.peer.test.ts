import { equal, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { startService } from './support/service.ts'

let postgres: Postgres
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres.stop())

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('every database is fresh, and what was committed is there after a crash', async () => {
  const [one, two] = [await postgres.createDatabase(), await postgres.createDatabase()]
  await query(one, 'create table kept (n integer); insert into kept values (7)')
  await rejects(query(two, 'select * from kept'), /does not exist/)
  await postgres.kill()
  await rejects(query(one, 'select 1'))
  await postgres.restart()
  equal(JSON.stringify(await query(one, 'select n from kept')), '[{"n":7}]')
})

test('[L9] with a database URL the service keeps its data in PostgreSQL and says so', async (t) => {
  const service = await startService({ args: ['--database-url', await postgres.createDatabase()] })
  t.after(() => service.stop())
  equal(/Data .*PostgreSQL/.test(service.stdout()), true)
  equal((await fetch(`${service.url}/v2/pools`)).status, 200)
  equal(await service.kill('SIGTERM'), 0)
})
