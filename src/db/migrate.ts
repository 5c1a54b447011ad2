import { readdir, readFile } from 'node:fs/promises'
import { timestamp } from '../clock.ts'
import { type Database, type MigrationTx, sql } from './sql.ts'

const folder = new URL('migrations/', import.meta.url)

/** The database was written by a newer program than this one. */
export class SchemaTooNew extends Error {}

/** Brings the schema up to what this program knows, under a lock, each step in the same transaction. */
export async function migrate(database: Database, now: Date): Promise<{ applied: number[] }> {
  const migrations = await list(database.engine)
  return database.alone(async (tx) => {
    const present = await reached(tx)
    const known = migrations.length
    if (present > known) {
      throw new SchemaTooNew(
        `the database has schema version ${present}, this program knows up to ${known}: start a newer nameplane`,
      )
    }
    const applied: number[] = []
    for (const { number, name, text } of migrations.slice(present)) {
      await tx.script(text)
      await tx.run(sql`insert into schema_migrations values (${number}, ${name}, ${timestamp(now)})`)
      applied.push(number)
    }
    return { applied }
  })
}

async function reached(tx: MigrationTx): Promise<number> {
  await tx.script(`create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    applied_at text not null
  )`)
  const row = await tx.get<{ number: number | null }>(sql`select max(number) as number from schema_migrations`)
  return row?.number ?? 0
}

/** Files are `NNNN_name.sql`, or `NNNN_name.sqlite.sql` beside `NNNN_name.postgres.sql` where engines must differ. */
async function list(engine: Database['engine']) {
  const files = (await readdir(folder)).toSorted()
  const migrations = []
  for (const file of files) {
    const match = /^(\d{4})_(\w+?)(?:\.(sqlite|postgres))?\.sql$/.exec(file)
    if (!match) throw new Error(`${file} is not named like a migration (0001_name.sql)`)
    if (match[3] !== undefined && match[3] !== engine) continue
    const number = Number(match[1])
    if (number !== migrations.length + 1) throw new Error(`${file}: expected migration ${migrations.length + 1}`)
    migrations.push({ number, name: match[2]!, text: await readFile(new URL(file, folder), 'utf8') })
  }
  return migrations
}
