import { equal, ok } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Service, startService } from '../support/service.ts'
import { type DeliveryTarget, serialOf } from '../support/targets.ts'

export type ShownZone = {
  readonly id: string
  readonly name: string
  readonly serial: number
  readonly status: string
  readonly status_reason?: string
  readonly pool_id: string
}
export type ShownServer = {
  readonly id: string
  readonly status: string
  readonly error: string | null
  readonly serial: number | null
  readonly seen_at: string | null
  readonly host: string
  readonly port: number
  readonly zones_behind: number
}
export type ShownServers = { readonly status: string; readonly servers: readonly ShownServer[] }
export type ShownFinding = {
  readonly server_id: string
  readonly zone: string | null
  readonly level: string
  readonly what: string
  readonly mend: string | null
}
export type ShownCheck = {
  readonly id: string
  readonly status: string
  readonly zones_checked: number
  readonly findings: readonly ShownFinding[]
}
type Body = Readonly<Record<string, unknown>>

/** A service with the servers of its pools, and a person who looks at all of them. */
export type World = {
  readonly service: Service
  readonly pool: string
  /** The status and body of a request, as an administrator of all projects. */
  ask<T = Body>(method: string, path: string, body?: unknown, headers?: Body): Promise<{ status: number; body: T }>
  /** The body of a request that must work. */
  call<T = Body>(method: string, path: string, body?: unknown, headers?: Body): Promise<T>
  newPool(name: string): Promise<string>
  newZone(name: string, more?: object): Promise<ShownZone>
  newSet(zone: { id: string }, name: string, records: readonly string[]): Promise<{ id: string; status: string }>
  zone(id: string): Promise<ShownZone>
  /** Waits until a zone has a status, by default ACTIVE; returns it as it is then. */
  becomes(zone: { id: string }, status?: string): Promise<ShownZone>
  /** Waits until a zone is not there any more. */
  leaves(zone: { id: string }): Promise<void>
  /** Waits until no zone is PENDING or in ERROR. */
  settles(): Promise<void>
  servers(pool: string): Promise<ShownServers>
  /** Waits until what is said of a pool's servers is as wanted. */
  serversBecome(pool: string, isRight: (shown: ShownServers) => boolean): Promise<ShownServers>
  /** Has a pool checked, and returns what was found. */
  check(pool: string, depth: string): Promise<ShownCheck>
  /** Has what a server wrote be shown with whatever fails. */
  watch<T extends DeliveryTarget>(server: T): T
  stop(): Promise<void>
}

/** How long anything may take on a machine that is busy with other things. */
export const patience = 60_000
const admin = { 'x-roles': 'admin', 'x-auth-all-projects': 'true' }
const defaultPool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

/** Starts a service; `env` and `args` have settings beside those that tests need. */
export async function startWorld(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<World> {
  const service = await startService({
    args: ['--log-level', 'info', ...args],
    env: { NAMEPLANE_QUOTA_ZONES: '-1', ...env },
  })
  return { ...worldOf(service.url, service), stop: () => service.stop() }
}

/** The world as seen at the address of one process. */
export function worldOf(url: string, service: Service): Omit<World, 'stop'> {
  const ask: World['ask'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...admin, ...headers },
      signal: AbortSignal.timeout(patience),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const call: World['call'] = async (method, path, body, headers) => {
    const answer = await ask(method, path, body, headers)
    ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as never
  }
  const zone = (id: string) => call<ShownZone>('GET', `/v2/zones/${id}`)
  const servers = (pool: string) => call<ShownServers>('GET', `/v2/pools/${pool}/servers`)
  const watched: DeliveryTarget[] = []
  const told = async (what: unknown) =>
    [JSON.stringify(what), ...[service, ...watched].map((one) => one.log().slice(-4000))].join('\n')
  return {
    service,
    pool: defaultPool,
    ask,
    call,
    zone,
    servers,
    watch(server) {
      watched.push(server)
      return server
    },
    async newPool(name) {
      const ns_records = [{ hostname: 'ns1.example.org.', priority: 1 }]
      return (await call<{ id: string }>('POST', '/v2/pools', { name, ns_records })).id
    },
    newZone: (name, more = {}) => call('POST', '/v2/zones', { name, email: 'host@example.org', ...more }),
    newSet: ({ id }, name, records) => call('POST', `/v2/zones/${id}/recordsets`, { name, type: 'A', records }),
    async becomes({ id }, status = 'ACTIVE') {
      let shown = await zone(id)
      await within(async () => {
        shown = await zone(id)
        return shown.status === status
      })
      if (shown.status !== status) {
        equal(shown.status, status, await told([shown, await call('GET', `/v2/zones/${id}/servers`)]))
      }
      return shown
    },
    async leaves({ id }) {
      const isGone = await within(async () => (await ask('GET', `/v2/zones/${id}`)).status === 404)
      ok(isGone, isGone ? '' : await told(await ask('GET', `/v2/zones/${id}/servers`)))
    },
    async settles() {
      const unsettled = async () => {
        const pending = await call<{ zones: ShownZone[] }>('GET', '/v2/zones?status=PENDING&limit=1')
        if (pending.zones.length > 0) return pending.zones
        return (await call<{ zones: ShownZone[] }>('GET', '/v2/zones?status=ERROR&limit=1')).zones
      }
      const isSettled = await within(async () => (await unsettled()).length === 0)
      if (isSettled) return
      const [left] = await unsettled()
      ok(left === undefined, await told([left, await ask('GET', `/v2/zones/${left?.id}/servers`)]))
    },
    async serversBecome(pool, isRight) {
      let shown = await servers(pool)
      const isSo = await within(async () => {
        shown = await servers(pool)
        return isRight(shown)
      })
      ok(isSo, await told(shown))
      return shown
    },
    async check(pool, depth) {
      const { id } = await call<ShownCheck>('POST', `/v2/pools/${pool}/checks`, { depth })
      let shown: ShownCheck | undefined
      await within(async () => {
        shown = await call<ShownCheck>('GET', `/v2/pools/${pool}/checks/${id}`)
        return shown.status === 'COMPLETE' || shown.status === 'ERROR'
      })
      equal(shown?.status, 'COMPLETE', await told(shown))
      return shown!
    },
  }
}

/** Waits, for a bounded time, until something holds; asks ever more seldom. */
export async function within(holds: () => Promise<boolean>, milliseconds = patience): Promise<boolean> {
  const end = Date.now() + milliseconds
  for (let wait = 3; ; wait = Math.min(100, wait * 1.3)) {
    if (await holds()) return true
    if (Date.now() > end) return false
    await sleep(wait)
  }
}

/** Waits until a server shows a zone at a serial, or with undefined not at all. */
export async function shows(server: DeliveryTarget, name: string, serial: number | undefined): Promise<void> {
  let seen: number | undefined
  const isSo = await within(async () => {
    seen = await serialOf(server.port, name)
    return seen === serial
  })
  ok(isSo, `${name} is at ${seen}, not ${serial}: ${server.log().slice(-3000)}`)
}

/** Does something for many, some at a time, and returns what came of each. */
export async function forAll<T, R>(all: Iterable<T>, act: (one: T) => Promise<R>, atOnce = 8): Promise<R[]> {
  const results: R[] = []
  const next = [...all].values()
  const work = async () => {
    for (const one of next) results.push(await act(one))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}
