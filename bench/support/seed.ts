import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { timestamp } from '../../src/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'
import { type Database, join, type Sql, sql } from '../../src/db/sql.ts'
import { newId } from '../../src/ids.ts'

const rowsPerStatement = 500
const firstDay = Date.UTC(2026, 0, 1)

export type Store = {
  readonly dataDir: string
  readonly url: string | undefined
  readonly rows: number
  /** Ids of pools from all over the store, oldest first. */
  readonly ids: readonly string[]
}

/** A store in a new folder with this many pools and TLDs, made a millisecond apart, all of project `bench`. */
export async function seededStore(rows: number, url?: string): Promise<Store> {
  const dataDir = await mkdtemp(joinPath(tmpdir(), 'nameplane-bench-'))
  const db = await openDatabase({ url, dataDir, onIdleError: () => {} })
  const ids: string[] = []
  const sample = Math.ceil(rows / 500)
  try {
    await migrate(db, new Date())
    await fill(db, 'pools', rows, (i) => {
      const id = newId(moment(i))
      if (i % sample === 0) ids.push(id)
      return poolRow(i, id)
    })
    await fill(db, 'tlds', rows, tldRow)
  } finally {
    await db.close()
  }
  return { dataDir, url, rows, ids }
}

async function fill(db: Database, table: keyof typeof head, rows: number, row: (i: number) => Sql): Promise<void> {
  for (let from = 0; from < rows; from += rowsPerStatement) {
    const values = Array.from({ length: Math.min(rowsPerStatement, rows - from) }, (_, i) => row(from + i))
    await db.write((tx) => tx.run(sql`${head[table]} values ${join(values)}`))
    if (process.stderr.isTTY) process.stderr.write(`\r${table}: ${from + values.length} of ${rows} rows`)
  }
  process.stderr.write(process.stderr.isTTY ? '\r\x1b[K' : `${table}: ${rows} rows stored\n`)
}

const head = {
  pools: sql`insert into pools (id, name, description, project_id, attributes, ns_records, created_at)`,
  tlds: sql`insert into tlds (id, name, description, created_at)`,
}

const nsRecords = JSON.stringify([
  { hostname: 'ns1.example.org.', priority: 1 },
  { hostname: 'ns2.example.org.', priority: 2 },
])

/** The name of a seeded row. */
export const nameOf = (i: number): string => `row-${String(i).padStart(8, '0')}`

const moment = (i: number): Date => new Date(firstDay + i)

const poolRow = (i: number, id: string): Sql =>
  sql`(${id}, ${nameOf(i)}, 'seeded', 'bench', '{"tier":"gold"}', ${nsRecords}, ${timestamp(moment(i))})`

const tldRow = (i: number): Sql => sql`(${newId(moment(i))}, ${nameOf(i)}, 'seeded', ${timestamp(moment(i))})`
