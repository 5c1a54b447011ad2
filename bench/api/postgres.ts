import { globSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { startPostgres } from '../../test/support/postgres.ts'
import { type Server, startServer } from '../support/processes.ts'
import type { BenchRow } from '../support/report.ts'
import type { Effort } from '../support/rounds.ts'
import { seededStore } from '../support/seed.ts'
import { beside } from './compare.ts'
import { cases } from './requests.ts'

/** The same requests on PostgreSQL, which shares the cores with both sides; nothing where it is not installed. */
export async function postgresRows(bare: Server, effort: Effort): Promise<BenchRow[]> {
  if (globSync('/usr/lib/postgresql/*/bin').length === 0) return []
  console.error('measuring on PostgreSQL …')
  const postgres = await startPostgres({ isCareful: true })
  try {
    const store = await seededStore(10_000, await postgres.createDatabase())
    const ours = await startServer('serve-api.ts', [store.dataDir, store.url!])
    try {
      const rows: BenchRow[] = []
      const { one, list, post } = cases(store)
      for (const case_ of [one, list, post]) {
        const named = { ...case_, name: `PostgreSQL, ${case_.name}` }
        rows.push(...(await beside(bare, ours, named, { ...effort, clients: 16 })))
      }
      return rows
    } finally {
      await ours.stop()
      await rm(store.dataDir, { recursive: true })
    }
  } finally {
    await postgres.stop()
  }
}
