import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Database, sql } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { type Metric, prometheusText, prometheusType } from '../prometheus.ts'
import { docsPage } from './docs.ts'
import type { LinkBase } from './links.ts'
import { openApi } from './openapi.ts'
import type { Place } from './paths.ts'
import { profiles } from './profile.ts'
import type { Route } from './route.ts'

const versions = [
  ['v2', 'SUPPORTED', '2022-06-29'],
  ['v2.0', 'SUPPORTED', '2022-06-29'],
  ['v2.1', 'SUPPORTED', '2023-01-25'],
  ['v2.2', 'SUPPORTED', '2025-08-25'],
  ['v2.3', 'SUPPORTED', '2026-04-06'],
  ['v2.4', 'CURRENT', '2026-04-13'],
] as const

/** What other parts of the program tell of themselves, if there are any. */
export type SystemOptions = {
  /** Metrics beside those of requests. Without it there is no `/metrics`. */
  readonly metrics?: () => readonly Metric[]
  /** What `/readyz` tells beside the database; undefined while the other parts are starting. */
  readonly readiness?: () => object | undefined
}

type SystemParts = SystemOptions & {
  readonly db: Database
  readonly routes: readonly Route[]
  readonly requestMetrics: () => readonly Metric[]
}

/** What stands beside the resources: version discovery, health, and the API's own description. None needs a caller. */
export function systemRoutes(
  app: FastifyInstance,
  { db, routes, metrics, readiness, requestMetrics }: SystemParts,
  base: LinkBase,
): Place[] {
  const places: Place[] = []
  const get = (path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) => {
    app.get(path, async (request, reply) => {
      const answer = await handler(request, reply)
      if (answer === reply) return reply
      return reply.header('Content-Type', 'application/json').send(Buffer.from(JSON.stringify(answer)))
    })
    places.push({ method: 'GET', path })
  }
  const baseOf = (request: FastifyRequest) =>
    base({ headers: request.headers, remoteAddress: request.socket.remoteAddress })

  for (const { prefix } of profiles) {
    get(prefix.slice(0, -'/v2'.length) || '/', async (request) => discovery(baseOf(request) + prefix))
  }
  get('/healthcheck', async (request, reply) => {
    if (request.headers.accept?.includes('application/json')) return { detailed: false, reasons: ['OK'] }
    return reply.type('text/plain; charset=UTF-8').send('OK')
  })
  get('/healthz', async () => ({ status: 'live' }))
  get('/readyz', async () => {
    try {
      await db.read((tx) => tx.get(sql`select 1 as one`))
    } catch (cause) {
      throw new ApiError('unavailable', `not ready: ${(cause as Error).message}`, undefined, { 'Retry-After': '1' })
    }
    const others = readiness?.()
    if (readiness !== undefined && others === undefined) {
      throw new ApiError('unavailable', 'not ready: the name server is starting', undefined, { 'Retry-After': '1' })
    }
    return { status: 'ready', database: 'reachable', ...others }
  })
  if (metrics !== undefined) {
    get('/metrics', async (_request, reply) =>
      reply.type(prometheusType).send(prometheusText([...requestMetrics(), ...metrics()])),
    )
  }
  get('/openapi.json', async (request) => openApi(routes, baseOf(request)))
  get('/docs', async (_request, reply) => reply.type('text/html; charset=UTF-8').send(docsPage(routes)))
  return places
}

function discovery(self: string): object {
  return {
    versions: versions.map(([id, status, updated]) => ({
      id,
      status,
      updated: `${updated}T00:00:00Z`,
      links: [
        { rel: 'self', href: self },
        { rel: 'help', href: 'https://docs.openstack.org/api-ref/dns' },
      ],
    })),
  }
}
