import type { Caller } from '../../api/auth.ts'
import type { Tx } from '../../db/sql.ts'
import { fail } from '../../errors.ts'
import type { SchedulerFilter } from '../../scheduler-filters.ts'
import { defaultPoolId, type Pool } from '../pools/fields.ts'
import * as pools from '../pools/store.ts'

type Request = { readonly attributes: Readonly<Record<string, string>>; readonly caller: Caller }

/** The pool a new zone goes to: what the filters, in their order, leave of all pools; it must be exactly one. */
export async function choosePool(tx: Tx, filters: readonly SchedulerFilter[], request: Request): Promise<Pool> {
  // The usual setting needs no look at the others.
  if (filters.length === 1 && filters[0] === 'default_pool') {
    return (await pools.get(tx, defaultPoolId, undefined)) ?? fail('no_valid_pool_found', 'the default pool is missing')
  }
  const all = await pools.all(tx)
  let left: readonly Pool[] = all
  for (const filter of filters) left = narrow(filter, left, all, request)
  if (left.length === 0) fail('no_valid_pool_found', 'no pool fits the attributes of this zone')
  if (left.length > 1) {
    fail(
      'multiple_pools_found',
      `more than one pool fits: ${left.map(({ name }) => name).join(', ')}; add a scheduler filter that decides`,
    )
  }
  return left[0]!
}

function narrow(
  filter: SchedulerFilter,
  left: readonly Pool[],
  all: readonly Pool[],
  { attributes, caller }: Request,
): readonly Pool[] {
  const theDefault = all.filter(({ id }) => id === defaultPoolId)
  switch (filter) {
    case 'default_pool':
      return theDefault
    case 'attribute':
      return left.filter((pool) => fits(pool.attributes, attributes))
    case 'pool_id_attribute':
      if (attributes.pool_id === undefined) return left
      if (!caller.roles.has('admin')) fail('forbidden', 'only an administrator may choose the pool of a zone')
      return left.filter(({ id }) => id === attributes.pool_id)
    case 'random':
      return left.length > 1 ? [left[Math.floor(Math.random() * left.length)]!] : left
    case 'fallback':
      return left.length === 0 ? theDefault : left
    case 'in_doubt_default_pool':
      return left.length > 1 && left.some(({ id }) => id === defaultPoolId) ? theDefault : left
  }
}

function fits(offered: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  if (Object.keys(offered).length === 0) return true
  return Object.entries(wanted).every(([key, value]) => key === 'pool_id' || normal(offered[key]) === normal(value))
}

/** Words for yes and no count as the same word. */
function normal(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  if (/^(1|t|true|on|y|yes)$/i.test(value)) return 'true'
  return /^(0|f|false|off|n|no)$/i.test(value) ? 'false' : value
}
