import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/open.ts'
import { sql } from '../../src/db/sql.ts'
import { type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { type Server, startServer } from '../support/processes.ts'
import { type Sample, sampleNumbers } from './cases.ts'
import { zoneName } from './made-up.ts'
import { seedZones, type Target } from './seed.ts'

export type Engine = 'sqlite' | 'postgres'

/** A seeded store with a service on it. */
export type Sized = { readonly zones: number; readonly server: Server; readonly sample: Sample; stop(): Promise<void> }

/** Seeds stores of several sizes on an engine and serves each; `keep` names a folder where SQLite's are kept for the next run. */
export async function openStores(
  engine: Engine,
  sizes: readonly number[],
  keep: string | undefined,
): Promise<{ readonly stores: readonly Sized[]; stop(): Promise<void> }> {
  const postgres = engine === 'postgres' ? await startPostgres({ isCareful: true }) : undefined
  const stores: Sized[] = []
  const stop = async () => {
    for (const store of stores) await store.stop()
    await postgres?.stop()
  }
  try {
    for (const zones of sizes) {
      const { target, remove } = postgres === undefined ? await seeded(zones, keep) : await inPostgres(postgres, zones)
      const sample = await sampleOf(target, zones)
      const server = await startServer('serve-api.ts', [target.dataDir, ...(target.url ? [target.url] : [])])
      stores.push({ zones, server, sample, stop: () => server.stop().then(remove) })
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { stores, stop }
}

async function seeded(zones: number, keep: string | undefined): Promise<{ target: Target; remove(): Promise<void> }> {
  if (keep === undefined) {
    const dataDir = await mkdtemp(join(tmpdir(), 'nameplane-zones-'))
    await seedZones({ dataDir, url: undefined }, zones)
    return { target: { dataDir, url: undefined }, remove: () => rm(dataDir, { recursive: true }) }
  }
  const dataDir = join(keep, `sqlite-${zones}`)
  if (!existsSync(dataDir)) {
    const half = `${dataDir}.half`
    await rm(half, { recursive: true, force: true })
    await mkdir(half, { recursive: true })
    await seedZones({ dataDir: half, url: undefined }, zones)
    await rename(half, dataDir)
  }
  return { target: { dataDir, url: undefined }, remove: async () => {} }
}

async function inPostgres(postgres: Postgres, zones: number): Promise<{ target: Target; remove(): Promise<void> }> {
  const target = { dataDir: await mkdtemp(join(tmpdir(), 'nameplane-zones-')), url: await postgres.createDatabase() }
  await seedZones(target, zones)
  return { target, remove: () => rm(target.dataDir, { recursive: true }) }
}

/** Ids from all over the store, found by the names that seeding gave. */
async function sampleOf(target: Target, zones: number): Promise<Sample> {
  const db = await openDatabase({ ...target, onIdleError: () => {} })
  const numbers = sampleNumbers(zones, Math.min(500, zones / 4))
  const [zoneIds, setIds]: [string[], string[]] = [[], []]
  try {
    await db.read(async (tx) => {
      for (const number of numbers) {
        const zone = await tx.get<{ id: string }>(
          sql`select id from zones where name_key = ${zoneName(number)} and gone_at is null`,
        )
        zoneIds.push(zone!.id)
        const set = await tx.get<{ id: string }>(
          sql`select id from recordsets where zone_id = ${zone!.id} order by id limit 1 offset 5`,
        )
        setIds.push(set!.id)
      }
    })
  } finally {
    await db.close()
  }
  return { numbers, zoneIds, setIds }
}
