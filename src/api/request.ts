import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.ts'
import { fail } from '../errors.ts'
import { toUuid } from '../ids.ts'
import { type Authenticate, elevated } from './auth.ts'
import type { PageLimits } from './collection.ts'
import { parseJson } from './json.ts'
import type { LinkBase } from './links.ts'
import { mustAccept, mustBeJson, mustBePlain } from './media.ts'
import { mustBeAllowed } from './policy.ts'
import type { Profile } from './profile.ts'
import { parseQuery } from './query.ts'
import type { Call, Route } from './route.ts'

export type RequestOptions = PageLimits & { readonly authenticate: Authenticate; readonly clock: Clock }

/** One way a request can reach a route: the mount it came by and where links start. */
export type Mounted = { readonly route: Route; readonly profile: Profile; readonly base: LinkBase }

/** What is read of a request. */
export type Asked = {
  readonly id: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The parts of its path that the route has names for. */
  readonly params: unknown
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly body?: unknown
}

/** Turns a request into a call: caller known and allowed, ids checked, body read. All that is left is the transaction. */
export async function readCall(request: Asked, mounted: Mounted, options: RequestOptions): Promise<Omit<Call, 'tx'>> {
  const { headers } = request
  const { route, profile, base } = mounted
  mustAccept(headers.accept, route.answers ?? 'application/json')
  const { given, query, callerQuery } = parseQuery(queryText(request.url))
  const caller = elevated(await options.authenticate(headers), headers, callerQuery)
  mustBeAllowed(caller, route.may)
  if (route.intake !== undefined) mustBePlain(headers['content-encoding'])
  if (route.returns !== 'list') mustKnow([...query.keys()], Object.keys(route.parameters ?? {}))
  return {
    params: checkIds(request.params as Record<string, string>, route.text ?? []),
    query,
    linkQuery: given,
    body: takesBody(route) ? readBody(request, route) : undefined,
    headers,
    caller,
    now: options.clock(),
    requestId: request.id,
    profile,
    mount: base({ headers, remoteAddress: request.socket.remoteAddress }) + mountOf(profile, route),
    defaultLimit: options.defaultLimit,
    maxLimit: options.maxLimit,
  }
}

function mustKnow(given: readonly string[], known: readonly string[]): void {
  const unknown = given.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const takes = known.length === 0 ? 'no query parameters' : `only ${known.join(', ')}`
  fail('bad_request', `Invalid filters ${unknown.join(', ')}: this operation takes ${takes}`)
}

/** The part of the path that all links begin with: the mount's root, and `/v2` or `/admin`. */
const mountOf = ({ root }: Profile, { path }: Route): string => root + path.slice(0, path.indexOf('/', 1))

const takesBody = ({ method, body, intake }: Route): boolean =>
  body !== 'none' && intake === undefined && (method === 'POST' || method === 'PATCH' || method === 'PUT')

function readBody(request: Asked, route: Route): unknown {
  const bytes = (request.body as Buffer | undefined) ?? new Uint8Array()
  if (route.body === 'optional' && bytes.length === 0) return {}
  mustBePlain(request.headers['content-encoding'])
  mustBeJson(request.headers['content-type'])
  return parseJson(bytes)
}

function queryText(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

function checkIds(params: Record<string, string>, text: readonly string[]): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) {
    checked[name] = text.includes(name)
      ? plainText(name, value)
      : (toUuid(value) ?? fail('invalid_uuid', `Invalid UUID ${name}: ${value}`))
  }
  return checked
}

/** Text that every engine can store and compare. */
function plainText(name: string, value: string): string {
  if (value.includes('\0')) fail('bad_request', `${name} must not have a NUL in it`)
  return value
}
