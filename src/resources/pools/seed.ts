import { timestamp } from '../../clock.ts'
import type { Tx } from '../../db/sql.ts'
import { defaultPoolId } from './fields.ts'
import * as store from './store.ts'

/** Makes the default pool on the first start; later starts leave it as its administrator has it. */
export async function ensureDefaultPool(tx: Tx, hostnames: readonly string[], now: Date): Promise<void> {
  if ((await store.get(tx, defaultPoolId, undefined)) !== undefined) return
  await store.insertOnce(tx, {
    id: defaultPoolId,
    name: 'default',
    description: null,
    project_id: null,
    attributes: {},
    ns_records: hostnames.map((hostname, i) => ({ hostname, priority: i + 1 })),
    ns_revision: 1,
    created_at: timestamp(now),
    updated_at: null,
  })
}
