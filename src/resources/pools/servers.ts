import { sql, type Tx } from '../../db/sql.ts'
import { deliveryTopic } from './store.ts'

/** Forgets what the servers of a pool that goes were seen to have; what else is known of them goes with the pool's row. */
export async function forgetServers(tx: Tx, poolId: string): Promise<void> {
  await tx.run(sql`
    delete from zone_servers where server_id in (
      select id from pool_targets where pool_id = ${poolId}
      union all select id from pool_nameservers where pool_id = ${poolId})`)
  tx.wake(deliveryTopic)
}
