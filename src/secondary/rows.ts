import { bulkInsert, type RowValues } from '../db/bulk-rows.ts'
import { join, sql, type Tx } from '../db/sql.ts'
import { canonicalRdata, rdataToText } from '../dns/rdata.ts'
import { typeName } from '../dns/types/index.ts'
import { newId } from '../ids.ts'
import { treeKey } from '../resources/zones/store.ts'
import type { SetStep } from './plan.ts'

const insertSets = bulkInsert('recordsets', [
  ...['id', 'zone_id', 'project_id', 'name', 'tree_key', 'type', 'ttl', 'records', 'managed', 'serial', 'version'],
  'created_at',
])
const insertRecords = bulkInsert('records', ['recordset_id', 'data', 'canonical'])
const idsAtOnce = 200

/** Whose rows are written, and what they say of when. */
export type RowsOf = {
  readonly zone_id: string
  readonly project_id: string
  readonly serial: number
  readonly at: string
  readonly now: Date
}

/** Writes what becomes of record sets into their rows. */
export async function writeSteps(tx: Tx, steps: readonly SetStep[], of: RowsOf): Promise<void> {
  const changed = steps.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const gone = steps.flatMap(({ id, after }) => (id !== undefined && after === undefined ? [id] : []))
  for (let at = 0; at < changed.length; at += idsAtOnce) {
    await tx.run(sql`delete from records where recordset_id in (${join(changed.slice(at, at + idsAtOnce))})`)
  }
  for (let at = 0; at < gone.length; at += idsAtOnce) {
    await tx.run(sql`delete from recordsets where id in (${join(gone.slice(at, at + idsAtOnce))})`)
  }
  const [sets, records]: [RowValues[], RowValues[]] = [[], []]
  for (const { id, name, type, after } of steps) {
    if (after === undefined) continue
    const setId = id ?? newId(of.now)
    const texts = after.rdatas.map((rdata) => {
      const text = rdataToText(type, rdata)
      records.push([setId, text, otherText(type, rdata, text)])
      return text
    })
    const json = JSON.stringify(texts)
    if (id === undefined) {
      const { zone_id, project_id, serial, at } = of
      sets.push([setId, zone_id, project_id, name, treeKey(name), typeName(type), after.ttl, json, 0, serial, 1, at])
    } else {
      await tx.run(sql`
        update recordsets set ttl = ${after.ttl}, records = ${json}, serial = ${of.serial}, version = version + 1,
          updated_at = ${of.at}
        where id = ${id}`)
    }
  }
  await insertSets(tx, sets)
  await insertRecords(tx, records)
}

function otherText(type: number, rdata: Uint8Array, text: string): string | null {
  const canonical = canonicalRdata(type, rdata)
  if (canonical === rdata || Buffer.compare(canonical, rdata) === 0) return null
  const other = rdataToText(type, canonical)
  return other === text ? null : other
}
