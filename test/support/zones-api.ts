import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ApiOptions } from '../../src/api/server.ts'
import { type Database, sql } from '../../src/db/sql.ts'
import { recordsOf } from '../../src/journal/content.ts'
import { since } from '../../src/journal/since.ts'
import { type ResourceSettings, routes } from '../../src/resources/index.ts'
import { asRecordset } from '../../src/resources/zones/recordset-rows.ts'
import { markGone, markPublished } from '../../src/resources/zones/store.ts'
import { apply, type Change } from '../../src/zonedata/change.ts'
import { compare } from '../../src/zonedata/compare.ts'
import { type Zone, zoneFromRecords } from '../../src/zonedata/zone.ts'
import { type Answer, type Api, type NewStore, type Problem, type Shown, startTestApi } from './api.ts'
import { testSettings } from './settings.ts'
import { linesOf } from './zones.ts'

export type ShownZone = Shown & {
  readonly name: string
  readonly serial: number
  readonly version: number
  readonly status: string
  readonly action: string
}
export type ShownSet = Shown & {
  readonly zone_id: string
  readonly name: string
  readonly type: string
  readonly ttl: number | null
  readonly records: readonly string[]
  readonly version: number
  readonly status: string
  readonly action: string
}
type Headers = Record<string, string>

/** The service with a client that knows zones and record sets. */
export type ZonesApi = Api & {
  put<T = ShownSet>(path: string, body: unknown, headers?: Headers): Promise<Answer<T>>
  /** Creates a zone and expects it to work. */
  newZone(name: string, more?: object, headers?: Headers): Promise<ShownZone>
  /** Creates a record set and expects it to work. */
  newSet(zone: { id: string }, name: string, type: string, records: string[], more?: object): Promise<ShownSet>
  /** The status and error type of what is expected to be refused, and its message. */
  refused(method: string, path: string, body?: unknown, headers?: Headers): Promise<[number, string, string]>
  /** As if every server had every zone as it is now, and no deleted one. */
  publish(): Promise<void>
}

export async function startZonesApi(
  newStore: NewStore,
  settings: Partial<ResourceSettings> = {},
  options: Partial<ApiOptions> = {},
): Promise<ZonesApi> {
  const api = await startTestApi(newStore, { routes: routes({ ...testSettings, ...settings }), ...options })
  const json = { 'Content-Type': 'application/json' }
  return {
    ...api,
    put: (path, body, headers = {}) => api.call('PUT', path, { headers: { ...json, ...headers }, body }),
    async newZone(name, more = {}, headers = {}) {
      const { status, text, body } = await api.post<ShownZone>(
        '/v2/zones',
        { name, email: 'a@example.org', ...more },
        headers,
      )
      equal(status, 202, `${name}: ${text}`)
      return body
    },
    async newSet(zone, name, type, records, more = {}) {
      const path = `/v2/zones/${zone.id}/recordsets`
      const { status, text, body } = await api.post<ShownSet>(path, { name, type, records, ...more })
      ok(status === 202 || status === 201, `${name} ${type}: ${text}`)
      return body
    },
    async refused(method, path, body, headers = {}) {
      const all = body === undefined ? headers : { ...json, ...headers }
      const answer = await api.call<Problem>(method, path, { headers: all, ...(body !== undefined && { body }) })
      return [answer.status, answer.body?.type, answer.body?.message]
    },
    publish: () =>
      api.db.write(async (tx) => {
        await markPublished(tx, await tx.all(sql`select id, serial from zones`))
        const gone = await tx.all<{ id: string }>(sql`select id from zones where deleted_at is not null`)
        await markGone(
          tx,
          gone.map(({ id }) => id),
          '2026-01-01T00:00:00.000000',
        )
      }),
  }
}

/** A zone's journal from its beginning. */
export async function journalOf(db: Database, zoneId: string): Promise<Change[]> {
  const changes = await db.read((tx) => since(tx, zoneId, 0))
  ok(changes, 'the journal reaches back to the beginning')
  return changes
}

/** What the journal makes of a zone, from nothing. Throws where a change does not fit what is there before it. */
export async function replayed(db: Database, zone: { id: string; name: string }): Promise<Zone> {
  let made = zoneFromRecords(zone.name, [])
  for (const change of await journalOf(db, zone.id)) made = apply(made, change)
  return made
}

/** What the rows of a zone say that it holds. */
export async function stored(db: Database, zone: { id: string; name: string }): Promise<Zone> {
  const { rows, ttl } = await db.read(async (tx) => ({
    rows: await tx.all(sql`select * from recordsets where zone_id = ${zone.id}`),
    ttl: (await tx.get<{ ttl: number }>(sql`select ttl from zones where id = ${zone.id}`))!.ttl,
  }))
  return zoneFromRecords(
    zone.name,
    rows.flatMap((row) => recordsOf(asRecordset(row), ttl)),
  )
}

/** Holds the journal of a zone to its rows, its counts to its content, and its serials to rising. */
export async function mustAgree(db: Database, zone: { id: string; name: string }): Promise<void> {
  const difference = compare(await replayed(db, zone), await stored(db, zone))
  deepEqual(linesOf(difference.removed), [], 'in the journal alone')
  deepEqual(linesOf(difference.added), [], 'in the rows alone')
  const changes = await journalOf(db, zone.id)
  const serials = changes.map(({ to }) => to)
  deepEqual(
    serials,
    [...new Set(serials)].toSorted((a, b) => a - b),
    'serials rise',
  )
  const kept = await db.read((tx) =>
    tx.get<Record<string, number>>(sql`select serial, recordset_count, record_count from zones where id = ${zone.id}`),
  )
  const rows = await db.read((tx) =>
    tx.all<{ records: string; managed: number }>(
      sql`select records, managed from recordsets where zone_id = ${zone.id}`,
    ),
  )
  const records = rows.filter(({ managed }) => managed === 0).flatMap((row) => JSON.parse(row.records) as string[])
  deepEqual({ ...kept }, { serial: serials.at(-1), recordset_count: rows.length, record_count: records.length })
}
