import pg from 'pg'
import { timestamp } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { journalBytes, type RawZone, statements } from './raw-rows.ts'

/** What PostgreSQL itself can do: the same rows by prepared statements, one transaction a set, on so many connections. */
const [url] = process.argv.slice(2)
const prefix = `raw${process.pid.toString(36)}`
const numbered = Object.fromEntries(
  Object.entries(statements).map(([name, text]) => {
    let n = 0
    return [name, text.replaceAll('?', () => `$${++n}`)]
  }),
) as Record<keyof typeof statements, string>
let made = 0

async function add(client: pg.Client, zone: RawZone): Promise<void> {
  made += 1
  const [number, label, at, id] = [made, `${prefix}-${made.toString(36)}`, timestamp(new Date()), newId()]
  const ask = (name: keyof typeof statements, values: unknown[]) => client.query({ name, text: numbered[name], values })
  // All but the first are sent without waiting for one another.
  const begun = client.query('begin')
  const { rows } = await ask('zone', [at, zone.id])
  const serial = Number(rows[0].serial)
  const { removed, added } = journalBytes(zone.name)
  const soa = JSON.stringify([`ns1.example.org. hostmaster.${zone.name} ${serial} 3550 600 86400 3600`])
  await Promise.all([
    begun,
    ask('change', [zone.id, serial, serial - 1, removed, added, at]),
    ask('soa', [soa, serial, zone.id, zone.name]),
    ask('set', [id, zone.id, `${label}.${zone.name}`, `${zone.tree_key}${label}.`, serial, at]),
    ask('record', [id]),
    ask('counts', [number & 15, number & 15]),
    client.query('commit'),
  ])
}

type Task = { readonly zones: readonly RawZone[]; readonly milliseconds: number; readonly batch: number }

const clients: pg.Client[] = []

process.on('message', async ({ zones, milliseconds, batch }: Task) => {
  while (clients.length < batch) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    clients.push(client)
  }
  const started = performance.now()
  const before = made
  await Promise.all(
    clients.slice(0, batch).map(async (client, i) => {
      const own = zones.filter((_, at) => at % batch === i)
      while (performance.now() - started < milliseconds) await add(client, own[made % own.length]!)
    }),
  )
  const seconds = (performance.now() - started) / 1000
  process.send?.({ perSecond: (made - before) / seconds, made: made - before })
})
process.send?.({ port: 0 })
process.once('disconnect', async () => {
  for (const client of clients) await client.end()
})
