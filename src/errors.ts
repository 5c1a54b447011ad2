/** Every error a client can be told about: its type and its HTTP status. */
export const errorTypes = {
  bad_request: 400,
  empty_request_body: 400,
  invalid_json: 400,
  invalid_limit: 400,
  invalid_marker: 400,
  invalid_object: 400,
  invalid_operation: 400,
  invalid_recordset_location: 400,
  invalid_recordset_name: 400,
  invalid_sort_dir: 400,
  invalid_sort_key: 400,
  invalid_tsigkey: 400,
  invalid_ttl: 400,
  invalid_uuid: 400,
  invalid_zone_name: 400,
  invalid_zone_transfer_request: 400,
  last_server_delete_not_allowed: 400,
  marker_not_found: 400,
  shared_zone_has_recordsets: 400,
  shared_zone_has_sub_zone: 400,
  zone_has_sub_zone: 400,
  zone_is_shared: 400,
  missing_project_id: 401,
  unauthorized: 401,
  forbidden: 403,
  illegal_child: 403,
  illegal_parent: 403,
  invalid_key: 403,
  blacklist_not_found: 404,
  no_valid_pool_found: 404,
  not_found: 404,
  pool_also_notify_not_found: 404,
  pool_check_not_found: 404,
  pool_nameserver_not_found: 404,
  pool_not_found: 404,
  pool_target_not_found: 404,
  recordset_not_found: 404,
  report_not_found: 404,
  reverse_address_not_found: 404,
  service_status_not_found: 404,
  shared_zone_not_found: 404,
  tld_not_found: 404,
  tsigkey_not_found: 404,
  zone_export_not_found: 404,
  zone_import_not_found: 404,
  zone_not_found: 404,
  zone_transfer_accept_not_found: 404,
  zone_transfer_request_not_found: 404,
  method_not_allowed: 405,
  unsupported_accept: 406,
  request_timeout: 408,
  duplicate_blacklist: 409,
  duplicate_pool: 409,
  duplicate_pool_also_notify: 409,
  duplicate_pool_nameserver: 409,
  duplicate_pool_ns_record: 409,
  duplicate_recordset: 409,
  duplicate_reverse_address: 409,
  duplicate_shared_zone: 409,
  duplicate_tld: 409,
  duplicate_tsigkey: 409,
  duplicate_zone: 409,
  duplicate_zone_transfer_request: 409,
  tsigkey_in_use: 409,
  precondition_failed: 412,
  over_quota: 413,
  request_too_large: 413,
  uri_too_long: 414,
  unsupported_content_encoding: 415,
  unsupported_content_type: 415,
  headers_too_large: 431,
  multiple_pools_found: 500,
  no_servers_configured: 500,
  unknown: 500,
  unavailable: 503,
  keystone_communication_failure: 504,
  neutron_communication_failure: 504,
  timeout: 504,
} as const

export type ErrorType = keyof typeof errorTypes

/** One thing wrong with a request body: where, what is right, and which rule says so. */
export type Fault = {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly validator: string
  readonly validator_value: unknown
}

/** A refusal meant for the client; the HTTP server turns it into the error body. */
export class ApiError extends Error {
  readonly type: ErrorType
  readonly faults: readonly Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    type: ErrorType,
    message: string,
    faults?: readonly Fault[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.type = type
    this.faults = faults
    this.headers = headers
  }

  get status(): number {
    return errorTypes[this.type]
  }
}

/** Refuses the request. */
export function fail(type: ErrorType, message: string): never {
  throw new ApiError(type, message)
}

/** How many faults one answer tells: a body can have nearly as many as it has bytes. */
const mostTold = 100
const longest = 1000

/** Whether there are more faults than are told, so that nobody need look for others. */
export const areEnough = (faults: readonly Fault[]): boolean => faults.length > mostTold

/** Refuses the body with the faults found in it, or does nothing when there is none. */
export function refuse(faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const told = faults.slice(0, mostTold).map(brief)
  const more = areEnough(faults) ? '; and more' : ''
  const message = told.map((fault) => `${pathText(fault.path)}: ${fault.message}`).join('; ') + more
  throw new ApiError('invalid_object', message, told)
}

const brief = (fault: Fault): Fault => ({ ...fault, path: fault.path.map(cut), message: cut(fault.message) })

const cut = <T extends string | number>(text: T): T | string =>
  typeof text === 'string' && text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text

function pathText(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'body'
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')
}
