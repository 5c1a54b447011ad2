import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Database } from '../db/sql.ts'
import { ApiError, fail } from '../errors.ts'
import { mayBeSlow } from './collection.ts'
import { answerPreflight, crossOrigin } from './cors.ts'
import { linkBase } from './links.ts'
import { unknownPath, wordsAmongZones } from './oddities.ts'
import { type Place, pathsAmong } from './paths.ts'
import { problem } from './problem.ts'
import { profiles } from './profile.ts'
import type { Query } from './query.ts'
import { type Asked, type Mounted, type RequestOptions, readCall } from './request.ts'
import { RequestMeter, type RouteMeter } from './request-meter.ts'
import type { Call, Reply, Route } from './route.ts'
import { newRequestId, StraightGets } from './straight.ts'
import { StreamPlaces } from './stream-places.ts'
import { arriving, closeGently, inTime, sendStream } from './streams.ts'
import { type SystemOptions, systemRoutes } from './system.ts'

export type ApiOptions = RequestOptions & {
  readonly db: Database
  readonly routes: readonly Route[]
  readonly listen: { readonly host: string; readonly port: number }
  readonly maxBodyBytes: number
  readonly publicUrl: string | undefined
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly log: Logger
} & SystemOptions

const maxHeaderSize = 16_384
const graceMilliseconds = 2000
const requestMilliseconds = 30_000

/** Bodies are checked by the tables of fields: Fastify need not read the code of its own compilers of schemas at every start. */
function noSchemas(): never {
  throw new Error('no route has a schema of its own')
}

/** Starts the HTTP service; resolves once it listens. */
export async function startApi(options: ApiOptions): Promise<{ url: string; close(): Promise<void> }> {
  const app = Fastify({
    genReqId: newRequestId,
    bodyLimit: options.maxBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Uploads may take their time; all else is held to it by `inTime`.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply),
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5000, maxHeaderSize, requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: maxHeaderSize },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  })
  app.server.maxConnections = 10_000
  // RFC 9110 10.1.1 lets a server overlook an expectation it does not know; Node would answer with a bare 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const host = options.listen.host.includes(':') ? `[${options.listen.host}]` : options.listen.host
  const here = () => {
    const address = app.server.address()
    return `http://${host}:${typeof address === 'object' && address !== null ? address.port : options.listen.port}`
  }
  const base = linkBase({ ...options, fallback: here })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setSerializerCompiler(() => JSON.stringify)
  const meter = new RequestMeter()
  const streams = new StreamPlaces()
  const straight = new StraightGets()
  app.decorateRequest('begun', 0)
  app.addHook('onRequest', (request, reply, done) => {
    ;(request as Timed).begun = performance.now()
    reply.header(requestIdHeader, request.id)
    crossOrigin(options.corsOrigins, request, reply)
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined) {
      fail('bad_request', 'the Host header is missing')
    }
    if (request.method === 'OPTIONS') return void answerPreflight(reply)
    inTime(app, reply, requestMilliseconds)
    done()
  })
  const sendProblem = problemSender(options.log, meter)
  app.setErrorHandler(sendProblem)
  const places: Place[] = systemRoutes(app, { ...options, requestMetrics: () => meter.metrics() }, base)
  const [large, ordinary] = [options.routes.filter(takesIn), options.routes.filter((route) => !takesIn(route))]
  for (const profile of profiles) {
    for (const route of ordinary)
      places.push(mount(app, { route, profile, base }, { ...options, meter, streams, straight }))
    for (const route of large) {
      places.push({ method: route.method, path: profile.root + route.path })
      await app.register(async (apart) => {
        apart.removeAllContentTypeParsers()
        apart.addContentTypeParser('*', (_request, body, done) => done(null, body))
        mount(apart, { route, profile, base }, { ...options, meter, streams, straight })
      })
    }
  }
  wordsAmongZones(app)
  const pathAt = pathsAmong(places)
  app.setNotFoundHandler((request, reply) => {
    const known = pathAt(request.url)
    const error =
      known === undefined ? unknownPath(request.method, request.url) : wrongMethod(request.method, known.methods)
    return sendProblem(error, request, reply, known?.contentType)
  })

  goStraight(app, straight)
  await app.listen(options.listen)
  return { url: here(), close: () => closed(app) }
}

/** Puts the straight way before the framework's, until it closes: it knows what to tell clients then. */
function goStraight(app: FastifyInstance, straight: StraightGets): void {
  const [framework] = app.server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.server.removeAllListeners('request').on('request', (request, response) => {
    if (isClosing || !straight.take(request, response)) framework!(request, response)
  })
}

function wrongMethod(method: string, methods: readonly string[]): ApiError {
  const allowed = methods.join(', ')
  return new ApiError('method_not_allowed', `${method} is not allowed here, only ${allowed}`, undefined, {
    Allow: allowed,
  })
}

/** A request with the moment its head was there. */
type Timed = FastifyRequest & { begun: number }

/** What is known of a route before its handler runs. */
type RouteConfig = { readonly contentType: string; readonly isLarge: boolean; readonly meter: RouteMeter }

type MountOptions = ApiOptions & {
  readonly meter: RequestMeter
  readonly streams: StreamPlaces
  readonly straight: StraightGets
}

function mount(app: FastifyInstance, mounted: Mounted, options: MountOptions): Place {
  const { route, profile } = mounted
  const path = profile.root + route.path
  const contentType = profile.contentType(route.resource.name)
  const meter = options.meter.of(route.method, path)
  app.route({
    method: route.method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    // Also for what fails before the handler: every answer below a mount has that mount's type.
    config: { contentType, isLarge: takesIn(route), meter } satisfies RouteConfig,
    ...(route.intake && { bodyLimit: route.intake.maxBytes }),
    handler: async (request, reply) => {
      const call = await prepared(request, mounted, options)
      const answer =
        route.returns === 'parts'
          ? await options.streams.use(call.caller.project_id, () =>
              options.db.scan((tx) => streamed({ ...call, tx }, mounted, reply, options)),
            )
          : route.method === 'GET'
            ? await seen(call, mounted, options)
            : await changed(call, mounted, request, options)
      if (answer !== undefined) write(reply, contentType, answer)
      meter.add(reply.raw.statusCode, performance.now() - (request as Timed).begun)
    },
  })
  // Where a part of the path is text, it is the framework that tells it from an id and reads its escapes.
  if (route.method === 'GET' && route.returns !== 'parts' && route.text === undefined) {
    options.straight.add(path, async (asked, response) => {
      const begun = performance.now()
      const answer = (reply: Reply) => {
        send(response, { [requestIdHeader]: asked.id }, contentType, reply)
        meter.add(reply.status, performance.now() - begun)
      }
      try {
        answer(await seen(await prepared(asked, mounted, options), mounted, options))
      } catch (error) {
        answer(refusal(error, { ...asked, method: route.method }, options.log))
      }
    })
  }
  return { method: route.method, path, contentType }
}

async function prepared(asked: Asked, mounted: Mounted, options: ApiOptions): Promise<Omit<Call, 'tx'>> {
  const { prepare } = mounted.route
  const call = await readCall(asked, mounted, options)
  return prepare ? { ...call, prepared: await prepare(call, options.db) } : call
}

const seen = (call: Omit<Call, 'tx'>, { route }: Mounted, { db }: ApiOptions): Promise<Reply> =>
  db[isSearch(route, call.query) ? 'scan' : 'read']((tx) => route.handle({ ...call, tx }))

async function changed(
  call: Omit<Call, 'tx'>,
  { route }: Mounted,
  request: FastifyRequest,
  { db }: ApiOptions,
): Promise<Reply> {
  const { intake } = route
  if (intake === undefined) return db.write((tx) => route.handle({ ...call, tx }))
  const body = await intake.take(call, arriving(request, intake.maxBytes), db)
  return db.write((tx) => route.handle({ ...call, body, tx }))
}

const takesIn = ({ intake }: Route): boolean => intake !== undefined

const isSearch = (route: Route, query: Query): boolean =>
  route.isSlow === true || (route.returns === 'list' && query.size > 0 && mayBeSlow(query, route.resource))

async function streamed(
  call: Call,
  { route, profile }: Mounted,
  reply: FastifyReply,
  { log, streams }: MountOptions,
): Promise<undefined> {
  const answer = await route.handle(call)
  if (answer.stream === undefined) throw new Error(`${route.path} was to answer in parts`)
  const contentType = route.answers ?? profile.contentType(route.resource.name)
  const sending = { log, isWanted: () => streams.isWantedOf(call.caller.project_id) }
  return sendStream(reply, { ...answer, stream: answer.stream, contentType }, sending)
}

type Headers = Record<string, number | string | string[] | undefined>

const requestIdHeader = 'x-openstack-request-id'

/** Straight to the connection: Fastify's own way looks into the content type, and adds a charset we do not want. */
function write(reply: FastifyReply, contentType: string, answer: Reply): void {
  const headers: Headers = reply.getHeaders()
  reply.hijack()
  send(reply.raw, headers, contentType, answer)
}

function send(response: ServerResponse, all: Headers, contentType: string, answer: Reply): void {
  const { status, headers, body } = answer
  if (headers !== undefined) Object.assign(all, headers)
  const text = answer.text ?? (body === undefined ? undefined : JSON.stringify(body))
  if (text === undefined) return void response.writeHead(status, all).end()
  const octets = Buffer.byteLength(text)
  all['Content-Type'] = contentType
  all['Content-Length'] = octets
  // The same octets where all characters are ASCII, and Node writes them in less time.
  response.writeHead(status, all).end(text, octets === text.length ? 'latin1' : 'utf8')
}

const problemSender =
  (log: Logger, meter: RequestMeter) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply, contentType?: string): void => {
    const answer = refusal(error, request, log)
    const config = request.routeOptions?.config as Partial<RouteConfig> | undefined
    reply.header(requestIdHeader, request.id)
    const closing = [reply.getHeader('connection'), answer.headers?.Connection, request.headers.connection]
    if (closing.includes('close') && !request.raw.complete) closeGently(request.raw)
    write(reply, contentType ?? config?.contentType ?? 'application/json', answer)
    const { begun } = request as Timed
    if (begun > 0) (config?.meter ?? meter.unmatched).add(answer.status, performance.now() - begun)
  }

/** An error as an answer; the log has those that are ours. */
function refusal(
  error: unknown,
  { id, method, url }: Pick<FastifyRequest, 'id' | 'method' | 'url'>,
  log: Logger,
): Reply {
  const answer = problem(error, id)
  if (answer.status >= 500) log.error({ err: error, request_id: id, method, url }, answer.body.message)
  return answer
}

/** Lets what is in flight finish; Node keeps no time limits once it closes, so who has sent half a request is cut off. */
async function closed(app: FastifyInstance): Promise<void> {
  const impatient = setTimeout(() => app.server.closeAllConnections(), graceMilliseconds)
  // A connection whose last answer has just left is idle only now; its client would keep it open.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 20)
  await app.close()
  clearInterval(sweep)
  clearTimeout(impatient)
}

/** Requests too broken for the HTTP parser, and those that did not arrive in time, get our error shape too. */
function answerBrokenRequest(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // What came before on this connection may be under way: its answer goes out first, and is the last one here.
  const earlier = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (earlier?.req.complete) return void earlier.once('close', () => socket.destroySoon())
  const id = newRequestId()
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
