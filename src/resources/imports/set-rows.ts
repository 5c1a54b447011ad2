import { bulkInsert, bulkStatements, type RowValues } from '../../db/bulk-rows.ts'
import type { FillBlock, FillStep } from '../../db/filler.ts'
import { raw, type Sql, sql, type Tx, type Value } from '../../db/sql.ts'
import { treeKey } from '../zones/rules.ts'
import type { StagedSet } from './staged-sets.ts'

/** Where sets of a file are put. */
export type SetPlace = {
  /** The table, and the condition of those that are this import's. */
  readonly table: Sql
  readonly own: Sql
  /** What stores sets, unless there is one of their name and type; and then their records. */
  steps(sets: readonly StagedSet[]): FillBlock
  /** Stores what more records of a set are found by. */
  insertRecords(tx: Tx, rows: readonly RowValues[]): Promise<number>
}

/** What all sets that are put into a zone share. */
export type Stage = {
  readonly zoneId: string
  readonly projectId: string
  readonly serial: number
  readonly at: string
}

const setStatements = bulkStatements(
  'recordsets',
  ['id', 'name', 'tree_key', 'type', 'ttl', 'records'],
  'on conflict (zone_id, name_key, type) do nothing',
)
const recordColumns = ['recordset_id', 'data', 'canonical']
const recordStatements = bulkStatements('records', recordColumns)
const insertRecords = bulkInsert('records', recordColumns)
const stagedStatements = bulkStatements(
  'staged_sets',
  ['id', 'name', 'type', 'ttl', 'records'],
  'on conflict (staging_id, name_key, type) do nothing',
)

/** The record sets of a zone. */
export const inZone = ({ zoneId, projectId, serial, at }: Stage): SetPlace => ({
  table: raw('recordsets'),
  own: sql`zone_id = ${zoneId}`,
  steps(sets) {
    const rows = sets.map(({ id, set, type, records }) => [id, set.name, treeKey(set.name), type, set.ttl, records])
    const same = { zone_id: zoneId, project_id: projectId, managed: 0, serial, version: 1, created_at: at }
    return [...setStatements(rows, same), ...recordStatements(sets.flatMap(({ found }) => found))].map(asStep)
  },
  insertRecords,
})

/** Rows to be compared with a zone: nobody looks for them, so there is little to keep up with. */
export const toCompare = (stagingId: string): SetPlace => ({
  table: raw('staged_sets'),
  own: sql`staging_id = ${stagingId}`,
  steps(sets) {
    const rows = sets.map(({ id, set, type, records }) => [id, set.name, type, set.ttl, records])
    return stagedStatements(rows, { staging_id: stagingId }).map(asStep)
  },
  insertRecords: async (_, rows) => rows.length,
})

function asStep({ statement, rows }: { readonly statement: Sql; readonly rows: number }): FillStep {
  const { sql: text, text: numbered, values } = statement
  return { sql: text, text: numbered, values: values as Value[], expected: rows }
}
