import { type Field, fault, field, kind } from '../../api/field.ts'
import { flat, type ValuesOf } from '../../api/flat.ts'
import { networkFault } from '../../networks.ts'

const addresses: Field<readonly string[], 'always'> = field(
  { type: 'array', maxItems: 1000, items: { type: 'string', examples: ['192.0.2.53', '2001:db8::/32'] } },
  (value, path, faults) => {
    if (!Array.isArray(value)) return fault(faults, path, 'type', 'array', `must be a list, not ${kind(value)}`)
    if (value.length > 1000) return fault(faults, path, 'maxItems', 1000, 'must have at most 1000 items')
    const before = faults.length
    for (const [i, one] of value.entries()) {
      const wrong = typeof one === 'string' ? networkFault(one) : `must be a string, not ${kind(one)}`
      if (wrong !== undefined) fault(faults, [...path, i], 'format', 'network', wrong)
    }
    return faults.length === before ? (value as string[]) : undefined
  },
  { write: 'always' },
)

const requireKey: Field<boolean, 'always'> = field(
  { type: 'boolean' },
  (value, path, faults) =>
    typeof value === 'boolean'
      ? value
      : fault(faults, path, 'type', 'boolean', `must be true or false, not ${kind(value)}`),
  { write: 'always' },
)

export const poolTransfers = flat(
  {
    name: 'pool_transfers',
    plural: 'pool_transfers',
    purpose:
      'Who may take the zones of a pool by AXFR and IXFR: holders of a TSIG key of the pool or zone always may; addresses listed here may without one, unless a key is required of all.',
  },
  { addresses, require_key: requireKey },
)

export type PoolTransfers = ValuesOf<typeof poolTransfers>

/** What is woken when it changes who may transfer. */
export const transfersTopic = 'transfers'
