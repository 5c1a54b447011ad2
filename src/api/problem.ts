import { DatabaseOverdue, DatabaseUnavailable } from '../db/sql.ts'
import { ApiError, type Fault } from '../errors.ts'

export type Problem = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: {
    readonly code: number
    readonly type: string
    readonly message: string
    readonly errors?: { readonly errors: readonly Fault[] }
    readonly request_id: string
  }
}

/** An error as the client sees it. What is not ours to explain becomes `unknown` and is for the log. */
export function problem(error: unknown, requestId: string): Problem {
  const known = asApiError(error)
  return {
    status: known.status,
    headers: known.headers,
    body: {
      code: known.status,
      type: known.type,
      message: known.message,
      // Nested twice because clients made for Designate read `errors.errors[].message`.
      ...(known.faults && { errors: { errors: known.faults } }),
      request_id: requestId,
    },
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseOverdue) {
    const advice = 'a list may take less by other filters, or in the order of created_at'
    return new ApiError('timeout', `${error.message} and was stopped; nothing was changed: ${advice}`)
  }
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('unavailable', `${error.message}; try again shortly`, undefined, { 'Retry-After': '1' })
  }
  return (
    asHttpError(error) ?? new ApiError('unknown', 'something went wrong here; the log has it under this request_id')
  )
}

/** What Fastify itself refuses before any handler runs. */
function asHttpError(error: unknown): ApiError | undefined {
  switch ((error as { code?: string }).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('request_too_large', 'the body is larger than this service accepts')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_content_type', 'Content-type must be application/json')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new ApiError('bad_request', 'the body ended before its Content-Length', undefined, { Connection: 'close' })
    case 'FST_ERR_BAD_URL':
      return new ApiError('bad_request', 'the path has a bad percent-escape')
    default:
      return undefined
  }
}
