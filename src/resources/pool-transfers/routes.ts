import { route } from '../../api/route.ts'
import { poolFor } from '../pools/access.ts'
import { poolTransfers, transfersTopic } from './fields.ts'
import * as store from './store.ts'

const about = { resource: poolTransfers } as const

export const poolTransferRoutes = [
  route(
    'GET /v2/pools/{pool_id}/transfers',
    {
      ...about,
      may: 'get_pool',
      operation: 'get_pool_transfers',
      summary: 'Show who may transfer the zones of a pool',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      await poolFor(call)
      return { status: 200, body: await store.get(call.tx, call.params.pool_id) }
    },
  ),

  route(
    'PATCH /v2/pools/{pool_id}/transfers',
    {
      ...about,
      may: 'update_pool',
      operation: 'update_pool_transfers',
      summary: 'Say who may transfer the zones of a pool',
      returns: 'one',
      status: 200,
    },
    async (call) => {
      await poolFor(call)
      const after = { ...(await store.get(call.tx, call.params.pool_id)), ...poolTransfers.update(call.body) }
      await store.set(call.tx, call.params.pool_id, after)
      call.tx.wake(transfersTopic)
      return { status: 200, body: after }
    },
  ),
]
