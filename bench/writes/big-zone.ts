import { timestamp } from '../../src/clock.ts'
import { openDatabase } from '../../src/db/open.ts'
import { sql } from '../../src/db/sql.ts'
import { newId } from '../../src/ids.ts'
import { treeKey } from '../../src/resources/zones/rules.ts'
import { recordRows, setRows, type Target } from '../zones/seed.ts'
import type { RawZone } from './raw-rows.ts'

const step = 1000

/** Puts so many sets of one record each into a zone of a seeded store; returns their ids. */
export async function fillZone(target: Target, zone: RawZone, sets: number): Promise<string[]> {
  const db = await openDatabase({ ...target, onIdleError: () => {} })
  const ids: string[] = []
  const at = timestamp(new Date())
  try {
    for (let from = 0; from < sets; from += step) {
      const made = Array.from({ length: step }, (_, i) => ({ id: newId(), name: `host-${from + i}.${zone.name}` }))
      const values = made.flatMap(({ id, name }) => [
        ...[id, zone.id, 'bench', name, treeKey(name), 'A', null, '["192.0.2.9"]', 0, 1, 1, at],
      ])
      await db.write(async (tx) => {
        await tx.run(setRows.of(values))
        await tx.run(recordRows.of(made.flatMap(({ id }) => [id, '192.0.2.9', null])))
        await tx.run(sql`update zones set recordset_count = recordset_count + ${step},
          record_count = record_count + ${step} where id = ${zone.id}`)
      })
      ids.push(...made.map(({ id }) => id))
    }
    await db.write((tx) =>
      tx.run(
        sql`update counts set n = n + ${sets} where project_id = 'bench' and what in ('recordsets', 'records') and shard = 0`,
      ),
    )
  } finally {
    await db.close()
  }
  return ids
}
