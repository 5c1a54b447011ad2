import { rm } from 'node:fs/promises'
import { beside } from './api/compare.ts'
import { durableRows } from './api/durable.ts'
import { growthRows, type Sized } from './api/growth.ts'
import { mixedRows } from './api/mixed.ts'
import { postgresRows } from './api/postgres.ts'
import { type Cases, cases } from './api/requests.ts'
import { pinned, type Server, startServer, takeLoadCore } from './support/processes.ts'
import { type BenchOptions, type BenchRow, report } from './support/report.ts'
import { type Store, seededStore } from './support/seed.ts'

await report('api', measure)

async function measure({ quick }: BenchOptions): Promise<BenchRow[]> {
  takeLoadCore()
  if (!pinned) console.error('no taskset or only one core: server and load share cores, so expect lower figures')
  const effort = quick ? { rounds: 3, milliseconds: 200 } : { rounds: 7, milliseconds: 1000 }
  const stores: Store[] = []
  const servers: Server[] = []
  const start = async (script: string, ...args: string[]): Promise<Server> => {
    const server = await startServer(script, args)
    servers.push(server)
    return server
  }
  try {
    for (const rows of quick ? [1000, 20_000] : [1000, 100_000, 1_000_000]) stores.push(await seededStore(rows))
    const sizes: (Sized & Cases)[] = []
    for (const store of stores) {
      const server = await start('serve-api.ts', store.dataDir)
      sizes.push({ rows: store.rows, server, ...cases(store) })
    }
    const bare = await start('serve-bytes.ts')
    const { server: ours, one, list, deep, filtered, post } = sizes[1]!
    const store = stores[1]!
    const rows: BenchRow[] = []
    for (const case_ of [one, list, deep, filtered, post]) {
      console.error(`measuring ${case_.name} …`)
      rows.push(...(await beside(bare, ours, case_, { ...effort, clients: 16 })))
    }
    console.error('measuring lists by the size of the store …')
    rows.push(...(await growthRows(sizes, effort)))
    console.error('measuring durable writes …')
    rows.push(...(await durableRows(ours, store, post, effort)))
    console.error('measuring reads beside writes …')
    rows.push(...(await mixedRows(ours, store, { one, post }, effort)))
    if (!quick) rows.push(...(await postgresRows(bare, effort)))
    return rows
  } finally {
    for (const server of servers) await server.stop()
    for (const { dataDir } of stores) await rm(dataDir, { recursive: true })
  }
}
