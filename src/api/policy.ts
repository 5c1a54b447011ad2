import { fail } from '../errors.ts'
import type { Caller } from './auth.ts'

/** Who may do what: the least role each action needs. Admin implies member, member implies reader. */
const policy = {
  create_zone: 'member',
  find_zones: 'reader',
  get_zone: 'reader',
  update_zone: 'member',
  delete_zone: 'member',
  get_zone_ns_records: 'reader',
  abandon_zone: 'admin',
  pool_move_zone: 'admin',
  xfr_zone: 'member',
  share_zone: 'member',
  find_zone_shares: 'reader',
  get_zone_share: 'reader',
  unshare_zone: 'member',
  create_zone_transfer_request: 'member',
  find_zone_transfer_requests: 'anyone',
  get_zone_transfer_request: 'anyone',
  update_zone_transfer_request: 'member',
  delete_zone_transfer_request: 'member',
  create_zone_transfer_accept: 'anyone',
  find_zone_transfer_accepts: 'admin',
  get_zone_transfer_accept: 'reader',
  create_zone_import: 'member',
  find_zone_imports: 'reader',
  get_zone_import: 'reader',
  delete_zone_import: 'member',
  create_zone_export: 'member',
  find_zone_exports: 'reader',
  get_zone_export: 'reader',
  get_zone_export_file: 'member',
  delete_zone_export: 'member',
  create_recordset: 'member',
  find_recordsets: 'reader',
  get_recordset: 'reader',
  update_recordset: 'member',
  delete_recordset: 'member',
  create_blacklist: 'admin',
  find_blacklists: 'admin',
  get_blacklist: 'admin',
  update_blacklist: 'admin',
  delete_blacklist: 'admin',
  create_pool: 'admin',
  find_pools: 'admin',
  get_pool: 'admin',
  update_pool: 'admin',
  delete_pool: 'admin',
  get_limits: 'anyone',
  get_own_quotas: 'reader',
  get_quotas: 'reader',
  set_quota: 'admin',
  reset_quotas: 'admin',
  create_tld: 'admin',
  find_tlds: 'admin',
  get_tld: 'admin',
  update_tld: 'admin',
  delete_tld: 'admin',
  create_tsigkey: 'admin',
  find_tsigkeys: 'admin',
  get_tsigkey: 'admin',
  update_tsigkey: 'admin',
  delete_tsigkey: 'admin',
  find_service_statuses: 'admin',
  get_service_status: 'admin',
  use_admin_api: 'admin',
} as const satisfies Record<string, 'admin' | 'member' | 'reader' | 'anyone'>

export type Action = keyof typeof policy

/** Refuses the caller what its roles do not allow. */
export function mustBeAllowed(caller: Caller, action: Action): void {
  const role: string = policy[action]
  if (role === 'anyone' || caller.roles.has(role)) return
  fail('forbidden', `${action} needs the role ${role}`)
}
