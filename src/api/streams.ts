import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../errors.ts'
import type { Reply } from './route.ts'

const patienceMilliseconds = 30_000
const lingerMilliseconds = 5000

export type StreamPatience = {
  /** How long a client may take nothing. */
  readonly stillMilliseconds: number
  /** While others want its place, who keeps it waiting longer than this must have taken so much a second. */
  readonly slowMilliseconds: number
  readonly octetsASecond: number
}

const patience: StreamPatience = {
  stillMilliseconds: patienceMilliseconds,
  slowMilliseconds: 5000,
  octetsASecond: 131_072,
}

export type Sending = {
  readonly log: Logger
  /** Whether others wait for the place of this answer. */
  readonly isWanted: () => boolean
  readonly patience?: StreamPatience
}

type Streamed = Reply & { readonly stream: AsyncIterable<string>; readonly contentType: string }

/** Sends an answer part by part, as fast as the client takes it; ends when the client goes away, takes nothing for long, or is slow while others wait. */
export async function sendStream(
  reply: FastifyReply,
  { status, headers, stream, contentType }: Streamed,
  sending: Sending,
): Promise<undefined> {
  const iterator = stream[Symbol.asyncIterator]()
  const { raw } = reply
  const taker = new Taker(raw, sending)
  try {
    // Whatever is wrong shows before the first part: until then it can still be answered as an error.
    let part = await iterator.next()
    reply.hijack()
    const all: Record<string, number | string | string[] | undefined> = reply.getHeaders()
    raw.writeHead(status, { ...all, 'Content-Type': contentType, ...headers })
    for (; !part.done; part = await iterator.next()) {
      if (!(await taker.take(part.value))) {
        raw.destroy()
        return
      }
    }
    raw.end()
  } catch (error) {
    if (!raw.headersSent) throw error
    // The client sees a body that is not whole: the last chunk is missing.
    sending.log.error({ err: error, request_id: reply.request.id }, 'an answer broke off')
    raw.destroy()
  } finally {
    await iterator.return?.()
  }
}

/** A client that is sent parts, and how fast it takes them. */
class Taker {
  readonly #raw: FastifyReply['raw']
  readonly #isWanted: () => boolean
  readonly #patience: StreamPatience
  #octets = 0
  #waited = 0

  constructor(raw: FastifyReply['raw'], { isWanted, patience: own = patience }: Sending) {
    this.#raw = raw
    this.#isWanted = isWanted
    this.#patience = own
  }

  /** Hands over a part; false when the client is gone or not to be waited for any longer. */
  async take(part: string): Promise<boolean> {
    if (this.#raw.destroyed) return false
    if (this.#raw.write(part)) return true
    const began = performance.now()
    const taken = await this.#drained(began)
    this.#waited += performance.now() - began
    this.#octets += part.length
    return taken
  }

  async #drained(began: number): Promise<boolean> {
    const { slowMilliseconds, stillMilliseconds } = this.#patience
    const over = new AbortController()
    const { signal } = over
    const look = setInterval(
      () => {
        const now = performance.now() - began
        if (now > stillMilliseconds || (this.#isWanted() && this.#isSlow(now))) over.abort()
      },
      Math.min(1000, slowMilliseconds / 5),
    )
    try {
      await Promise.race([once(this.#raw, 'drain', { signal }), once(this.#raw, 'close', { signal })])
      return !this.#raw.destroyed
    } catch {
      return false
    } finally {
      clearInterval(look)
      over.abort()
    }
  }

  #isSlow(now: number): boolean {
    const waited = this.#waited + now
    const { slowMilliseconds, octetsASecond } = this.#patience
    return waited > slowMilliseconds && (1000 * this.#octets) / waited < octetsASecond
  }
}

/** The body of a request as it comes; refuses one that is too large, ends before its end, or stands still. */
export async function* arriving(request: FastifyRequest, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  const tooLarge = () =>
    new ApiError('request_too_large', `the body is larger than ${maxBytes} bytes`, undefined, { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const { raw } = request
  const late = setTimeout(() => raw.destroy(), patienceMilliseconds)
  let taken = 0
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
      late.refresh()
      taken += (chunk as Uint8Array).length
      if (taken > maxBytes) throw tooLarge()
      yield chunk as Uint8Array
    }
  } finally {
    clearTimeout(late)
    // What is left of it is for nobody, but stands before whatever follows on the connection.
    raw.resume()
  }
}

/** Closes after the answer so that who still sends can read it: shut at once, the connection is reset and the answer lost (RFC 9112 9.6). */
export function closeGently(request: IncomingMessage, milliseconds = lingerMilliseconds): void {
  const { socket } = request
  socket.destroySoon = () => {
    socket.end()
    request.resume()
    const late = setTimeout(() => socket.destroy(), milliseconds).unref()
    socket.once('close', () => clearTimeout(late))
  }
}

/** Cuts off a request that has not arrived in time, as Node does for the head of one. Large bodies have their own rule. */
export function inTime(app: FastifyInstance, { request, raw: answer }: FastifyReply, milliseconds: number): void {
  const config = request.routeOptions?.config as { isLarge?: boolean } | undefined
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (config?.isLarge || (length === '0' && coding === undefined)) return
  const late = setTimeout(() => {
    const error = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    app.server.emit('clientError', error, request.raw.socket)
  }, milliseconds)
  late.unref()
  const arrived = () => clearTimeout(late)
  request.raw.once('end', arrived).once('close', arrived)
  // A body that nobody reads has no end, but it has arrived: others may follow on the same connection.
  answer.once('finish', () => request.raw.complete && arrived())
}
