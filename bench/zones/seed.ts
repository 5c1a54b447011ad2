import pg from 'pg'
import { timestamp } from '../../src/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/open.ts'
import { type Database, raw, type Sql, sql, type Value } from '../../src/db/sql.ts'
import { rdataFromText } from '../../src/dns/rdata.ts'
import type { ResourceRecord } from '../../src/dns/record.ts'
import { typeCode } from '../../src/dns/types/index.ts'
import { newId } from '../../src/ids.ts'
import { encodeRecords } from '../../src/journal/change-rows.ts'
import { defaultPoolId } from '../../src/resources/pools/fields.ts'
import { ensureDefaultPool } from '../../src/resources/pools/seed.ts'
import { soaText } from '../../src/resources/zones/managed.ts'
import { treeKey } from '../../src/resources/zones/rules.ts'
import { addNames } from '../../test/support/zone-names.ts'
import {
  askingProject,
  isChild,
  type MadeSet,
  momentOf,
  projectOf,
  serialOf,
  servers,
  setsOf,
  zoneName,
} from './made-up.ts'
import { progress } from './progress.ts'

export type Target = { readonly dataDir: string; readonly url: string | undefined }

/** Zones are made in steps of this many; so is their number. */
export const step = 100
const stepsPerCommit = 20

/** Fills an empty store with made-up zones of ten sets each, as if they had been made through the API one by one. */
export async function seedZones(target: Target, zones: number): Promise<void> {
  const db = await openDatabase({ ...target, onIdleError: () => {} })
  try {
    await migrate(db, new Date())
    await db.write((tx) => ensureDefaultPool(tx, servers, momentOf(0)))
    // Rows first, then indexes: sorted once, they cost a tenth.
    const indexes = await dropIndexes(db)
    const bar = progress(`${zones.toLocaleString('en')} zones`, zones)
    await fillStore(db, zones, (done) => bar.at(done))
    bar.end()
    const indexing = progress('indexes', indexes.length)
    for (const [i, text] of indexes.entries()) {
      await db.alone((tx) => tx.script(text))
      indexing.at(i + 1)
    }
    indexing.end()
  } finally {
    await db.close()
  }
  if (target.url !== undefined) await analyze(target.url)
}

/** Puts made-up zones into a store that has a default pool and no zones. */
export async function fillStore(
  db: Database,
  zones: number,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  const counts = new Counts()
  for (let from = 0; from < zones; from += step * stepsPerCommit) {
    const to = Math.min(zones, from + step * stepsPerCommit)
    await db.write(async (tx) => {
      for (let at = from; at < to; at += step) for (const statement of rowsOf(at, counts)) await tx.run(statement)
    })
    onProgress(to)
  }
  await db.write(async (tx) => {
    for (const statement of counts.statements()) await tx.run(statement)
    await addNames(tx)
    // What PostgreSQL would do by itself within a minute.
    if (db.engine === 'postgres') await tx.run(sql`analyze`)
  })
}

async function dropIndexes(db: Database): Promise<string[]> {
  const found = await db.read((tx) =>
    tx.all<{ name: string; definition: string }>(
      db.engine === 'sqlite'
        ? sql`select name, sql as definition from sqlite_master
            where type = 'index' and sql is not null and tbl_name in ('zones', 'recordsets', 'records', 'changes')`
        : sql`select indexname as name, indexdef as definition from pg_indexes
            where tablename in ('zones', 'zone_names', 'recordsets', 'records', 'changes')
              and indexname not in (select conname from pg_constraint)`,
    ),
  )
  await db.alone((tx) => tx.script(found.map(({ name }) => `drop index ${name};`).join('\n')))
  return found.map(({ definition }) => definition)
}

/** What autovacuum does sooner or later, at once. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

/** One statement of many rows whose text is made once: the pieces of SQL that `sql` would make anew for each. */
class Rows {
  readonly #columns: number
  readonly #head: string
  readonly #tail: string
  readonly #texts = new Map<number, { readonly sql: string; readonly text: string }>()

  constructor(head: string, columns: number, tail = '') {
    this.#head = head
    this.#columns = columns
    this.#tail = tail
  }

  of(values: readonly Value[]): Sql {
    const rows = values.length / this.#columns
    let texts = this.#texts.get(rows)
    if (texts === undefined) {
      texts = { sql: this.#text(rows, () => '?'), text: this.#text(rows, (n) => `$${n}`) }
      this.#texts.set(rows, texts)
    }
    return { ...texts, values } as unknown as Sql
  }

  #text(rows: number, place: (n: number) => string): string {
    const row = (r: number) =>
      `(${Array.from({ length: this.#columns }, (_, c) => place(r * this.#columns + c + 1)).join(',')})`
    return `${this.#head} values ${Array.from({ length: rows }, (_, r) => row(r)).join(',')} ${this.#tail}`
  }
}

const zoneRows = new Rows(
  `insert into zones (id, name, tree_key, type, project_id, pool_id, email, ttl, attributes, masters, primary_ns, contact,
    refresh, retry, expire, minimum, ns_revision, serial, created_serial, published_serial, version, recordset_count,
    record_count, created_at, updated_at, changed_at)`,
  26,
)
export const setRows = new Rows(
  `insert into recordsets (id, zone_id, project_id, name, tree_key, type, ttl, records, managed, serial, version, created_at)`,
  12,
)
export const recordRows = new Rows('insert into records (recordset_id, data, canonical)', 3)
const changeRows = new Rows(
  'insert into changes (zone_id, serial, previous, removed, added, user_id, project_id, request_id, at)',
  9,
)
const rootRows = new Rows('insert into name_roots (root)', 1)

const ttls = [300, 3600, 3600, 3600, 86_400]
const nothing = new Uint8Array()

/** The rows of the zones from a number on, as one statement for each table. */
function rowsOf(from: number, counts: Counts): Sql[] {
  const zones: Value[] = []
  const sets: Value[] = []
  const records: Value[] = []
  const changes: Value[] = []
  const roots: Value[] = []
  for (let i = from; i < from + step; i += 1) {
    const [name, project, at, serial] = [zoneName(i), projectOf(i), timestamp(momentOf(i)), serialOf(i)]
    const ttl = ttls[i % ttls.length]!
    const id = newId(momentOf(i))
    const soa = {
      primary_ns: servers[0]!,
      contact: `hostmaster.${name}`,
      refresh: 3550,
      retry: 600,
      expire: 86_400,
      minimum: 3600,
    }
    const made = setsOf(i, soaText({ ...soa, name, ttl }, serial))
    const own = made.filter(({ managed }) => managed === 0).reduce((n, set) => n + set.records.length, 0)
    const published = i % 1000 === 7 ? 0 : serial
    zones.push(
      id,
      name,
      treeKey(name),
      'PRIMARY',
      project,
      defaultPoolId,
      `hostmaster@${name.slice(0, -1)}`,
      ttl,
      '{}',
      '[]',
    )
    zones.push(
      soa.primary_ns,
      soa.contact,
      soa.refresh,
      soa.retry,
      soa.expire,
      soa.minimum,
      1,
      serial,
      serial,
      published,
      1,
    )
    zones.push(made.length, own, at, i % 7 === 0 ? at : null, at)
    for (const set of made) {
      sets.push(set.id, id, project, set.name, treeKey(set.name), set.type, set.ttl, JSON.stringify(set.records))
      sets.push(set.managed, serial, 1, at)
      for (const { data, canonical } of set.findable) records.push(set.id, data, canonical)
    }
    changes.push(id, serial, 0, nothing, encodeRecords(made.flatMap((set) => served(set, ttl))))
    changes.push('seed', project, 'req-seed', at)
    if (!isChild(i)) roots.push(name)
    counts.add(project, 1, made.length, own)
  }
  return [zoneRows.of(zones), setRows.of(sets), recordRows.of(records), changeRows.of(changes), rootRows.of(roots)]
}

const served = ({ name, type, ttl, records }: MadeSet, zoneTtl: number): ResourceRecord[] =>
  records.map((text) => {
    const code = typeCode(type)!
    return { name, type: code, class: 1, ttl: ttl ?? zoneTtl, rdata: rdataFromText(code, text) }
  })

class Counts {
  readonly #of = new Map<string, { zones: number; recordsets: number; records: number }>()

  add(project: string, zones: number, recordsets: number, records: number): void {
    const so = this.#of.get(project) ?? { zones: 0, recordsets: 0, records: 0 }
    this.#of.set(project, {
      zones: so.zones + zones,
      recordsets: so.recordsets + recordsets,
      records: so.records + records,
    })
  }

  *statements(): Generator<Sql> {
    for (const [project, counts] of this.#of) {
      for (const [what, n] of Object.entries(counts)) {
        yield sql`insert into counts (project_id, what, shard, n) values (${project}, ${what}, 0, ${n})`
      }
    }
    const plenty = raw('1000000000')
    yield sql`insert into quotas (project_id, zones, zone_recordsets, zone_records)
      values (${askingProject}, ${plenty}, ${plenty}, ${plenty})`
  }
}
