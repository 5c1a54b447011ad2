import { fail } from '../../errors.ts'
import type { Pool } from './fields.ts'

/** Refuses name servers a pool cannot have: the same one twice, or none where there were some. */
export function mustBeServable(wanted: Pool['ns_records'], present: Pool['ns_records']): void {
  const names = wanted.map(({ hostname }) => hostname.toLowerCase())
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) fail('duplicate_pool_ns_record', `Duplicate PoolNsRecord: ${twice} is listed more than once`)
  if (wanted.length === 0 && present.length > 0) {
    fail('last_server_delete_not_allowed', 'ns_records must keep at least one name server: zones of this pool need it')
  }
}
