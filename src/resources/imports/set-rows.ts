import { bulkInsert, type RowValues } from '../../db/bulk-rows.ts'
import { raw, type Sql, sql, type Tx } from '../../db/sql.ts'
import { treeKey } from '../zones/rules.ts'
import type { StagedSet } from './staged-sets.ts'

/** Where sets of a file are put. */
export type SetPlace = {
  /** The table, and the condition of those that are this import's. */
  readonly table: Sql
  readonly own: Sql
  /** Stores sets unless there is one of their name and type; tells how many. */
  insert(tx: Tx, sets: readonly StagedSet[]): Promise<number>
  /** Stores what records are found by. */
  insertRecords(tx: Tx, rows: readonly RowValues[]): Promise<number>
}

/** What all sets that are put into a zone share. */
export type Stage = {
  readonly zoneId: string
  readonly projectId: string
  readonly serial: number
  readonly at: string
}

const insertSets = bulkInsert(
  'recordsets',
  ['id', 'name', 'tree_key', 'type', 'ttl', 'records'],
  'on conflict (zone_id, name_key, type) do nothing',
)
const insertRecords = bulkInsert('records', ['recordset_id', 'data', 'canonical'])
const insertStaged = bulkInsert(
  'staged_sets',
  ['id', 'name', 'type', 'ttl', 'records'],
  'on conflict (staging_id, name_key, type) do nothing',
)

/** The record sets of a zone. */
export const inZone = ({ zoneId, projectId, serial, at }: Stage): SetPlace => ({
  table: raw('recordsets'),
  own: sql`zone_id = ${zoneId}`,
  insert: (tx, sets) =>
    insertSets(
      tx,
      sets.map(({ id, set, type, records }) => [id, set.name, treeKey(set.name), type, set.ttl, records]),
      { zone_id: zoneId, project_id: projectId, managed: 0, serial, version: 1, created_at: at },
    ),
  insertRecords,
})

/** Rows to be compared with a zone: nobody looks for them, so there is little to keep up with. */
export const toCompare = (stagingId: string): SetPlace => ({
  table: raw('staged_sets'),
  own: sql`staging_id = ${stagingId}`,
  insert: (tx, sets) =>
    insertStaged(
      tx,
      sets.map(({ id, set, type, records }) => [id, set.name, type, set.ttl, records]),
      { staging_id: stagingId },
    ),
  insertRecords: async (_, rows) => rows.length,
})
