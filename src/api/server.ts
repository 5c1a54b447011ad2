import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { answerPreflight, crossOrigin } from './cors.ts'
import { linkBase } from './links.ts'
import { methodsAt, type Place } from './paths.ts'
import { problem } from './problem.ts'
import { profiles } from './profile.ts'
import { type Mounted, type RequestOptions, readCall } from './request.ts'
import type { Route } from './route.ts'
import { systemRoutes } from './system.ts'

export type ApiOptions = RequestOptions & {
  readonly db: Database
  readonly routes: readonly Route[]
  readonly listen: { readonly host: string; readonly port: number }
  readonly maxBodyBytes: number
  readonly publicUrl: string | undefined
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly log: Logger
}

/** Starts the HTTP service; resolves once it listens. */
export async function startApi(options: ApiOptions): Promise<{ url: string; close(): Promise<void> }> {
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `req-${crypto.randomUUID()}`,
    bodyLimit: options.maxBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    clientErrorHandler: answerBrokenRequest,
    http: { headersTimeout: 15_000, maxHeaderSize: 16_384 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
  })
  app.server.maxConnections = 10_000
  const host = options.listen.host.includes(':') ? `[${options.listen.host}]` : options.listen.host
  const base = linkBase({ ...options, fallback: `http://${host}:${options.listen.port}` })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setSerializerCompiler(() => JSON.stringify)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Openstack-Request-Id', request.id)
    crossOrigin(options.corsOrigins, request, reply)
    if (request.method === 'OPTIONS') return answerPreflight(reply)
  })
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply))
  const places: Place[] = systemRoutes(app, options, base)
  for (const profile of profiles) {
    for (const route of options.routes) places.push(mount(app, { route, profile, base }, options))
  }
  const allowed = methodsAt(places)
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed(request.url)
    const error =
      methods.length === 0
        ? new ApiError('not_found', 'resource not found')
        : new ApiError(
            'method_not_allowed',
            `${request.method} is not allowed here; ${methods.join(', ')} is`,
            undefined,
            {
              Allow: methods.join(', '),
            },
          )
    return sendProblem(error, request, reply)
  })

  await app.listen(options.listen)
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.listen.port
  return { url: `http://${host}:${port}`, close: () => app.close() }
}

function mount(app: FastifyInstance, mounted: Mounted, options: ApiOptions): Place {
  const { route, profile } = mounted
  const path = route.path.replace('/v2', profile.prefix)
  const contentType = profile.contentType(route.resource.name)
  app.route({
    method: route.method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Also for what fails before the handler: every answer below a mount has that mount's type.
    config: { contentType },
    handler: async (request, reply) => {
      const call = await readCall(request, mounted, options)
      const answer =
        route.method === 'GET'
          ? await options.db.read((tx) => route.handle({ ...call, tx }))
          : await options.db.write((tx) => route.handle({ ...call, tx }))
      reply.code(answer.status)
      if (answer.headers !== undefined) reply.headers(answer.headers)
      if (answer.body === undefined) return reply.send()
      reply.header('Content-Type', contentType)
      return reply.send(Buffer.from(JSON.stringify(answer.body)))
    },
  })
  return { method: route.method, path }
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = problem(error, request.id)
  if (status >= 500) request.log.error({ err: error, method: request.method, url: request.url }, body.message)
  const config = request.routeOptions.config as { contentType?: string }
  return reply
    .code(status)
    .headers(headers)
    .header('Content-Type', config.contentType ?? 'application/json')
    .send(Buffer.from(JSON.stringify(body)))
}

/** Requests too broken for the HTTP parser, and those that did not arrive in time, get our error shape too. */
function answerBrokenRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const id = `req-${crypto.randomUUID()}`
  const { status, body } = problem(brokenRequest(error.code), id)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Error\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `X-Openstack-Request-Id: ${id}\r\nConnection: close\r\n\r\n${text}`,
  )
}

function brokenRequest(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large', 'the request head is larger than 16 KiB')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout', 'the request did not arrive in time')
  return new ApiError('bad_request', 'this is not an HTTP request we can read')
}
