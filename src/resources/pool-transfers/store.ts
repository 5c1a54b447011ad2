import { sql, type Tx } from '../../db/sql.ts'
import type { PoolTransfers } from './fields.ts'

type TransfersRow = { readonly pool_id: string; readonly addresses: string; readonly require_key: number }

const closed: PoolTransfers = { addresses: [], require_key: false }

const asTransfers = (row: TransfersRow | undefined): PoolTransfers =>
  row === undefined ? closed : { addresses: JSON.parse(row.addresses), require_key: row.require_key !== 0 }

export const get = async (tx: Tx, poolId: string): Promise<PoolTransfers> =>
  asTransfers(await tx.get(sql`select * from pool_transfers where pool_id = ${poolId}`))

/** Those of every pool that has any, by the pool's id. */
export const all = async (tx: Tx): Promise<Map<string, PoolTransfers>> =>
  new Map((await tx.all<TransfersRow>(sql`select * from pool_transfers`)).map((row) => [row.pool_id, asTransfers(row)]))

export const set = (tx: Tx, poolId: string, { addresses, require_key }: PoolTransfers): Promise<number> =>
  tx.run(sql`
    insert into pool_transfers (pool_id, addresses, require_key)
    values (${poolId}, ${JSON.stringify(addresses)}, ${require_key ? 1 : 0})
    on conflict (pool_id) do update set addresses = excluded.addresses, require_key = excluded.require_key`)
