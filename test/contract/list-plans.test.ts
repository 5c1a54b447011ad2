import { deepEqual, ok } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Among, list } from '../../src/api/collection.ts'
import { specification } from '../../src/api/profile.ts'
import type { Resource } from '../../src/api/resource.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type Database, raw, type Sql, sql, type Tx } from '../../src/db/sql.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { blacklist } from '../../src/resources/blacklists/fields.ts'
import { defaultPoolId, pool } from '../../src/resources/pools/fields.ts'
import { tld } from '../../src/resources/tlds/fields.ts'

type Listed = { readonly resource: Resource; readonly among: Among; readonly row: Sql }

/** Every collection, with the scopes it is listed in and one row to page from. */
const collections: Readonly<Record<string, Listed>> = {
  'pools of a project': {
    resource: pool,
    among: { scope: [sql`(project_id = ${'p'} or project_id is null)`] },
    row: sql`insert into pools (id, name, attributes, ns_records, created_at) values (${defaultPoolId}, 'a', '{}', '[]', '')`,
  },
  'all pools': {
    resource: pool,
    among: { scope: [] },
    row: sql`insert into pools (id, name, attributes, ns_records, created_at) values (${defaultPoolId}, 'a', '{}', '[]', '')`,
  },
  tlds: {
    resource: tld,
    among: { scope: [] },
    row: sql`insert into tlds (id, name, created_at) values (${defaultPoolId}, 'a', '')`,
  },
  blacklists: {
    resource: blacklist,
    among: { scope: [] },
    row: sql`insert into blacklists (id, pattern, created_at) values (${defaultPoolId}, 'a', '')`,
  },
}

for (const [name, { resource, among, row }] of Object.entries(collections)) {
  const sortable = Object.keys(resource.fields).filter((field) => resource.fields[field]!.sort)
  const filterable = Object.keys(resource.fields).filter((field) => resource.fields[field]!.filter)

  test(`a page of ${name} is read through an index in every order, with and without a marker`, () =>
    withSchema(async (db) => {
      await db.write((tx) => tx.run(row))
      for (const sort_key of sortable) {
        for (const sort_dir of ['asc', 'desc']) {
          for (const marker of [undefined, defaultPoolId]) {
            const query = { sort_key, sort_dir, ...(marker && { marker }) }
            const steps = await planOf(db, { resource, among, row }, query)
            deepEqual(steps.filter(isSlow), [], `${JSON.stringify(query)}: ${steps.join(' / ')}`)
          }
        }
      }
    }))

  test(`a filter of ${name} on a name or on its beginning is a search in an index`, () =>
    withSchema(async (db) => {
      await db.write((tx) => tx.run(row))
      for (const field of filterable) {
        for (const value of ['abc', 'abc*', 'a*c']) {
          const steps = await planOf(db, { resource, among, row }, { [field]: value, sort_key: field })
          ok(
            steps.some((step) => /^SEARCH \w+ USING INDEX/.test(step)) && !steps.some(isSlow),
            `${field}=${value}: ${steps.join(' / ')}`,
          )
        }
      }
    }))
}

/** A sort of all rows, or a walk over the table itself instead of an index. */
const isSlow = (step: string): boolean => /TEMP B-TREE/.test(step) || (/^SCAN/.test(step) && !/USING.*INDEX/.test(step))

async function withSchema(work: (db: Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-plans-'))
  const db = openSqlite(join(folder, 'nameplane.db'))
  try {
    await migrate(db, new Date(0))
    await work(db)
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
}

/** How SQLite would run each statement of a list request. */
function planOf(db: Database, { resource, among }: Listed, query: Record<string, string>): Promise<string[]> {
  return db.read(async (tx) => {
    const steps: string[] = []
    const explain = async (statement: Sql) => {
      const plan = await tx.all<{ detail: string }>(sql`${raw('explain query plan')} ${statement}`)
      steps.push(...plan.map(({ detail }) => detail))
    }
    const watched: Tx = Object.assign(Object.create(tx) as Tx, {
      get: <T>(statement: Sql) => explain(statement).then(() => tx.get<T>(statement)),
      all: <T>(statement: Sql) => explain(statement).then(() => tx.all<T>(statement)),
      values: (statement: Sql) => explain(statement).then(() => tx.values(statement)),
    })
    const request = { tx: watched, query: new Map(Object.entries(query)), profile: specification, mount: '' }
    await list({ ...request, headers: {}, defaultLimit: 20, maxLimit: 1000 }, resource, among)
    return steps
  })
}
