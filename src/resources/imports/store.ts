import type { Caller } from '../../api/auth.ts'
import { join, type Row, type Sql, sql, type Tx } from '../../db/sql.ts'
import {
  type Difference,
  type ImportAuthor,
  type ImportFault,
  importTopic,
  type Mode,
  type Progress,
  type ZoneImport,
  zoneImport,
} from './fields.ts'

const shownFaults = 100
const longestMessage = 160

/** The condition that a caller may see an import. */
export const visibleTo = (caller: Caller): Sql[] => (caller.allProjects ? [] : [sql`project_id = ${caller.project_id}`])

const both = (conditions: readonly Sql[]): Sql => conditions.reduce((all, one) => sql`${all} and ${one}`, sql`1 = 1`)

const parsed = (row: Row | undefined): ZoneImport | undefined =>
  row === undefined ? undefined : (zoneImport.fromRow(row) as ZoneImport)

export const get = async (tx: Tx, id: string, caller: Caller): Promise<ZoneImport | undefined> =>
  parsed(await tx.get(sql`select * from zone_imports where id = ${id} and ${both(visibleTo(caller))}`))

export type NewImport = {
  readonly id: string
  readonly mode: Mode
  readonly dry_run: number
  readonly zone_id: string | null
  readonly origin: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly author: ImportAuthor
  readonly bytes: number
  readonly created_at: string
}

/** Stores an import to be done; its file is there already. */
export async function insert(tx: Tx, row: NewImport): Promise<ZoneImport> {
  const progress: Progress = { bytes_read: 0, bytes_total: row.bytes, records_read: 0 }
  const stored = await tx.get(sql`
    insert into zone_imports (id, project_id, status, zone_id, mode, dry_run, origin, attributes, author, progress, bytes, version, created_at)
    values (${row.id}, ${row.author.project_id}, 'PENDING', ${row.zone_id}, ${row.mode}, ${row.dry_run}, ${row.origin},
      ${JSON.stringify(row.attributes)}, ${JSON.stringify(row.author)}, ${JSON.stringify(progress)}, ${row.bytes}, 1,
      ${row.created_at})
    returning *`)
  tx.wake(importTopic)
  return parsed(stored)!
}

/** How many imports of a project are not done, counted up to `most`. */
export const pendingOf = async (tx: Tx, projectId: string, most: number): Promise<number> =>
  (await tx.get<{ n: number }>(sql`
    select count(*) as n from (
      select id from zone_imports where project_id = ${projectId} and status = 'PENDING' limit ${most}) pending`))!.n

/** Removes an import, done or not; what it made stays. Its file is removed by who works on imports. */
export async function remove(tx: Tx, id: string, caller: Caller): Promise<boolean> {
  const removed = await tx.run(sql`delete from zone_imports where id = ${id} and ${both(visibleTo(caller))}`)
  if (removed > 0) tx.wake(importTopic)
  return removed > 0
}

/** The imports, a number of them, that ended before a moment. */
export const endedBefore = async (tx: Tx, before: string, limit: number): Promise<string[]> =>
  (
    await tx.all<{ id: string }>(sql`
      select id from zone_imports where status <> 'PENDING' and updated_key > '' and updated_key < ${before}
      order by updated_key, id limit ${limit}`)
  ).map(({ id }) => id)

/** Removes imports. Their faults are removed by who works on imports. */
export function forget(tx: Tx, ids: readonly string[]): Promise<number> {
  tx.wake(importTopic)
  return tx.run(sql`delete from zone_imports where id in (${join(ids)})`)
}

export const putChunk = (tx: Tx, id: string, n: number, data: Uint8Array): Promise<number> =>
  tx.run(sql`insert into import_chunks (import_id, n, data) values (${id}, ${n}, ${data})`)

/** A piece of an import's file; undefined after the last. */
export const chunk = async (tx: Tx, id: string, n: number): Promise<Uint8Array | undefined> =>
  (await tx.get<{ data: Uint8Array }>(sql`select data from import_chunks where import_id = ${id} and n = ${n}`))?.data

/** Removes some pieces of files; tells how many there were. */
export const dropChunks = (tx: Tx, id: string, limit: number): Promise<number> =>
  tx.run(sql`
    delete from import_chunks where import_id = ${id} and n in (
      select n from import_chunks where import_id = ${id} order by n desc limit ${limit})`)

const hourMilliseconds = 3_600_000

/** Ids made before this one are an hour old. */
export const anHourAgo = (): string =>
  `${(Date.now() - hourMilliseconds)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-`

/** An import whose file or faults are kept though it is done, or is not there any more; `before` spares what is being sent. */
export async function leftOver(tx: Tx, before: string): Promise<{ id: string; faultsToo: boolean } | undefined> {
  const file = await tx.get<{ id: string }>(sql`
    select c.import_id as id from import_chunks c left join zone_imports i on i.id = c.import_id
    where c.n = 0 and (i.status <> 'PENDING' or (i.id is null and c.import_id < ${before})) limit 1`)
  if (file !== undefined) return { id: file.id, faultsToo: false }
  const faults = await tx.get<{ id: string }>(sql`
    select f.import_id as id from import_faults f left join zone_imports i on i.id = f.import_id
    where f.n = 0 and i.id is null limit 1`)
  return faults && { id: faults.id, faultsToo: true }
}

const stagedAtOnce = 2000

/** Removes some of the sets that were staged to be compared; tells how many there were. */
export const dropStaged = (tx: Tx, stagingId: string): Promise<number> =>
  tx.run(sql`
    delete from staged_sets where staging_id = ${stagingId} and name_key in (
      select name_key from staged_sets where staging_id = ${stagingId} order by name_key limit ${stagedAtOnce})`)

/** Sets that were staged by an import that has ended, or by an attempt that is over. */
export async function leftStaged(tx: Tx): Promise<string | undefined> {
  // From one import to the next, not from set to set.
  for (let after = ''; ; ) {
    const found = await tx.get<{ staging_id: string }>(sql`
      select staging_id from staged_sets where staging_id > ${after} order by staging_id limit 1`)
    if (found === undefined) return undefined
    after = found.staging_id
    const owner = await tx.get(sql`
      select 1 as one from zone_imports where status = 'PENDING' and staging_id = ${after} limit 1`)
    if (owner === undefined) return after
  }
}

export const dropFaults = (tx: Tx, id: string): Promise<number> =>
  tx.run(sql`delete from import_faults where import_id = ${id}`)

export type Job = ZoneImport & {
  readonly origin: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly author: ImportAuthor
  readonly staging_id: string | null
  readonly attempts: number
}

/** Takes the oldest import that nobody works on, of a project with the fewest under way, and its lease. */
export async function claim(
  tx: Tx,
  holder: string,
  moments: { readonly now: string; readonly until: string },
  smallerThan: number,
): Promise<Job | undefined> {
  const free = sql`status = 'PENDING' and (lease_until is null or lease_until < ${moments.now})`
  const next = await tx.get<{ id: string }>(sql`
    select id from (
      select id, bytes, lease_until,
        sum(case when lease_until >= ${moments.now} then 1 else 0 end) over (partition by project_id) as running
      from zone_imports where status = 'PENDING') waiting
    where (lease_until is null or lease_until < ${moments.now}) and bytes < ${smallerThan}
    order by running, id limit 1`)
  if (next === undefined) return undefined
  const row = await tx.get(sql`
    update zone_imports set lease_holder = ${holder}, lease_until = ${moments.until}, attempts = attempts + 1
    where id = ${next.id} and ${free} returning *`)
  if (row === undefined) return undefined
  const { attributes, author } = row as { attributes: string; author: string }
  return { ...(row as Job), ...parsed(row)!, attributes: JSON.parse(attributes), author: JSON.parse(author) }
}

/** Whether there is an import that nobody works on. */
export const isPending = async (tx: Tx, now: string): Promise<boolean> =>
  (await tx.get(sql`
    select 1 as one from zone_imports where status = 'PENDING' and (lease_until is null or lease_until < ${now}) limit 1`)) !==
  undefined

/** Ends every lease: for the one process that a data folder has, at its start. */
export const endLeases = (tx: Tx): Promise<number> =>
  tx.run(sql`update zone_imports set lease_until = null where status = 'PENDING' and lease_until is not null`)

/** Notes how far an import is and keeps it leased; false when it is not the holder's any more. */
export async function renew(
  tx: Tx,
  id: string,
  holder: string,
  noted: { readonly until: string; readonly progress: Progress },
): Promise<boolean> {
  const kept = await tx.run(sql`
    update zone_imports set lease_until = ${noted.until}, progress = ${JSON.stringify(noted.progress)}
    where id = ${id} and lease_holder = ${holder} and status = 'PENDING'`)
  return kept === 1
}

/** Gives an import back, to be done by whoever comes next. */
export const release = (tx: Tx, id: string, holder: string): Promise<number> =>
  tx.run(sql`update zone_imports set lease_until = null where id = ${id} and lease_holder = ${holder}`)

export const setStaging = (tx: Tx, id: string, holder: string, stagingId: string): Promise<number> =>
  tx.run(sql`update zone_imports set staging_id = ${stagingId} where id = ${id} and lease_holder = ${holder}`)

/** How an import ended. */
export type Outcome = {
  readonly status: 'COMPLETE' | 'ERROR'
  readonly message: string
  readonly zone_id: string | null
  readonly progress: Progress
  readonly faults: readonly ImportFault[]
  readonly fault_count: number
  readonly difference: Difference | null
}

/** Notes how an import ended; false when it is not the holder's any more, and then nothing of it may be kept. */
export async function end(tx: Tx, id: string, holder: string, outcome: Outcome, at: string): Promise<boolean> {
  const { status, zone_id, progress, faults, fault_count, difference } = outcome
  const message =
    outcome.message.length > longestMessage ? `${outcome.message.slice(0, longestMessage - 1)}…` : outcome.message
  const ended = await tx.run(sql`
    update zone_imports set status = ${status}, message = ${message}, zone_id = ${zone_id},
      progress = ${JSON.stringify(progress)}, faults = ${JSON.stringify(faults.slice(0, shownFaults))},
      fault_count = ${fault_count}, difference = ${difference === null ? null : JSON.stringify(difference)},
      staging_id = null, lease_holder = null, lease_until = null, version = version + 1, updated_at = ${at}
    where id = ${id} and lease_holder = ${holder} and status = 'PENDING'`)
  return ended === 1
}

/** Keeps faults, a block at a time. */
export const putFaults = (tx: Tx, id: string, n: number, faults: readonly ImportFault[]): Promise<number> =>
  tx.run(sql`insert into import_faults (import_id, n, faults) values (${id}, ${n}, ${JSON.stringify(faults)})`)

/** A block of faults; undefined after the last. */
export async function faultBlock(tx: Tx, id: string, n: number): Promise<readonly ImportFault[] | undefined> {
  const row = await tx.get<{ faults: string }>(
    sql`select faults from import_faults where import_id = ${id} and n = ${n}`,
  )
  return row && (JSON.parse(row.faults) as ImportFault[])
}
