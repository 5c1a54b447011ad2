import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FloatingIp = {
  readonly id: string
  readonly floating_ip_address: string | null
  readonly project_id: string
}

/** A small server of the HTTP APIs of OpenStack's network and identity services, as far as floating IPs need them. */
export type NetworkService = {
  readonly url: string
  /** What it knows; tests change it as users of the network service would. */
  floatingips: FloatingIp[]
  /** Tokens it accepts: whose project each is for, `*` for any. */
  readonly tokens: Map<string, string>
  /** How many seconds the tokens are good for that it gives out. */
  tokenSeconds: number
  /** Rows on a page at most, whatever is asked for. */
  maxPage: number
  /** Whether it shows all that a token may see, whatever project is asked for. */
  ignoresProject: boolean
  /** What it answers in place of the truth; undefined where it works. */
  fault: ((response: ServerResponse) => void) | undefined
  /** What it was asked: method, path with query, and the body. */
  readonly asked: { readonly what: string; readonly body: unknown }[]
  close(): Promise<void>
}

type Serve = (handle: (request: IncomingMessage, response: ServerResponse) => void) => ReturnType<typeof createServer>

/** Starts it on a free port; `serve` makes the server, where it is not to be plain HTTP. */
export async function startNetworkService(serve: Serve = (handle) => createServer(handle)): Promise<NetworkService> {
  const state: Omit<NetworkService, 'url' | 'close'> = {
    floatingips: [],
    tokens: new Map(),
    tokenSeconds: 3600,
    maxPage: 1000,
    ignoresProject: false,
    fault: undefined,
    asked: [],
  }
  const server = serve(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost')
    const text = (await Array.fromAsync(request, String)).join('')
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    state.asked.push({ what: `${request.method} ${request.url}`, body })
    if (state.fault !== undefined) return state.fault(response)
    if (url.pathname === '/v3/auth/tokens') return giveToken(response, state, body)
    if (url.pathname !== '/v2.0/floatingips') return answer(response, 404, { error: 'not found' })
    const project = state.tokens.get(String(request.headers['x-auth-token']))
    if (project === undefined) return answer(response, 401, { error: { message: 'who are you?', code: 401 } })
    return listAddresses(response, state, url, project)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  return Object.assign(state, {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** The identity service: one user and one application credential are known. */
function giveToken(response: ServerResponse, state: Pick<NetworkService, 'tokens' | 'tokenSeconds'>, body: unknown) {
  const { identity, scope } = (body as { auth: { identity: Record<string, unknown>; scope?: unknown } }).auth
  const known = [
    [
      { methods: ['password'], password: { user: { name: 'dns', domain: { name: 'Default' }, password: 'right' } } },
      { project: { name: 'service', domain: { name: 'Default' } } },
    ],
    [{ methods: ['application_credential'], application_credential: { id: 'cred', secret: 'right' } }, undefined],
  ]
  if (!known.some((one) => JSON.stringify(one) === JSON.stringify([identity, scope]))) {
    return answer(response, 401, { error: { code: 401, title: 'Unauthorized' } })
  }
  const token = crypto.randomUUID()
  state.tokens.set(token, '*')
  const expires_at = new Date(Date.now() + state.tokenSeconds * 1000).toISOString()
  return answer(response, 201, { token: { expires_at } }, { 'X-Subject-Token': token })
}

function listAddresses(
  response: ServerResponse,
  { floatingips, maxPage, ignoresProject }: Pick<NetworkService, 'floatingips' | 'maxPage' | 'ignoresProject'>,
  url: URL,
  project: string,
) {
  const asked = url.searchParams
  const mine = floatingips
    .filter((one) => project === '*' || one.project_id === project)
    .filter((one) => ignoresProject || one.project_id === asked.get('project_id'))
    .filter((one) => asked.get('id') === null || one.id === asked.get('id'))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const after = asked.get('marker')
  const rest = after === null ? mine : mine.slice(mine.findIndex(({ id }) => id === after) + 1)
  const size = Math.min(Number(asked.get('limit') ?? maxPage), maxPage)
  const page = rest.slice(0, size)
  const links = rest.length > size ? { floatingips_links: [{ rel: 'next', href: 'http://elsewhere.invalid/' }] } : {}
  return answer(response, 200, { floatingips: page, ...links })
}
