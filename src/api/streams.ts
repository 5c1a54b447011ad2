import { once } from 'node:events'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError } from '../errors.ts'
import type { Reply } from './route.ts'

const patienceMilliseconds = 30_000

const streamsAtOnce = 2
let streaming = 0
const waiting: (() => void)[] = []

/** Waits for one of few places: what streams holds a reader for as long as its client takes. */
export async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  if (streaming >= streamsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else streaming += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) streaming -= 1
    else next()
  }
}

type Streamed = Reply & { readonly stream: AsyncIterable<string>; readonly contentType: string }

/** Sends an answer part by part, as fast as the client takes it; ends when the client goes away or takes nothing for long. */
export async function sendStream(
  reply: FastifyReply,
  { status, headers, stream, contentType }: Streamed,
  log: Logger,
): Promise<undefined> {
  const iterator = stream[Symbol.asyncIterator]()
  const { raw } = reply
  try {
    // Whatever is wrong shows before the first part: until then it can still be answered as an error.
    let part = await iterator.next()
    reply.hijack()
    const all: Record<string, number | string | string[] | undefined> = reply.getHeaders()
    raw.writeHead(status, { ...all, 'Content-Type': contentType, ...headers })
    for (; !part.done; part = await iterator.next()) {
      if (raw.destroyed || (!raw.write(part.value) && !(await drained(reply)))) {
        raw.destroy()
        return
      }
    }
    raw.end()
  } catch (error) {
    if (!raw.headersSent) throw error
    // The client sees a body that is not whole: the last chunk is missing.
    log.error({ err: error, request_id: reply.request.id }, 'an answer broke off')
    raw.destroy()
  } finally {
    await iterator.return?.()
  }
}

async function drained({ raw }: FastifyReply): Promise<boolean> {
  const tooLong = new AbortController()
  const timer = setTimeout(() => tooLong.abort(), patienceMilliseconds)
  const { signal } = tooLong
  try {
    await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })])
    return !raw.destroyed
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    tooLong.abort()
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
    for await (const chunk of raw) {
      late.refresh()
      taken += (chunk as Uint8Array).length
      if (taken > maxBytes) throw tooLarge()
      yield chunk as Uint8Array
    }
  } finally {
    clearTimeout(late)
  }
}

/** Cuts off a request that has not arrived in time, as Node does for the head of one. Large bodies have their own rule. */
export function inTime(app: FastifyInstance, request: FastifyRequest, milliseconds: number): void {
  const config = request.routeOptions?.config as { isLarge?: boolean } | undefined
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (config?.isLarge || (length === '0' && coding === undefined)) return
  const late = setTimeout(() => {
    const error = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    app.server.emit('clientError', error, request.raw.socket)
  }, milliseconds)
  request.raw.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
}
