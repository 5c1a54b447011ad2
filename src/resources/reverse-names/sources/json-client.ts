import http from 'node:http'
import https from 'node:https'

/** Another service could not be asked, or did not answer as it should. The message goes on after its name, and clients are told it. */
export class ServiceAway extends Error {}

export type JsonAnswer = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly body: unknown }

export type JsonRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly token?: string
  readonly body?: unknown
}

export type JsonClient = (request: JsonRequest) => Promise<JsonAnswer>

export type ClientOptions = {
  /** Certificates to trust in place of the system's, as PEM. */
  readonly ca?: string | undefined
  /** How long a request may take in all. */
  readonly milliseconds?: number
  readonly maxBytes?: number
}

/** A client for the JSON of other services: few connections, kept for a while, bounded answers, no redirects. */
export function jsonClient({ ca, milliseconds = 10_000, maxBytes = 4_194_304 }: ClientOptions = {}): JsonClient {
  const pool = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4, timeout: 15_000 }
  const agents = {
    'http:': new http.Agent(pool),
    'https:': new https.Agent(pool),
  }
  return ({ method, url, token, body }) => {
    const { promise, resolve, reject } = Promise.withResolvers<JsonAnswer>()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const isSecure = url.protocol === 'https:'
    const options = {
      method,
      ...(ca !== undefined && { ca }),
      headers: {
        Accept: 'application/json',
        ...(token !== undefined && { 'X-Auth-Token': token }),
        ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      },
    }
    const send = (agent: http.Agent | false): http.ClientRequest =>
      (isSecure ? https : http)
        .request(url, { ...options, agent })
        .on('error', onError)
        .on('response', onResponse)
        .end(text)
    const giveUp = (reason: string) => {
      mayTryAgain = false
      reject(new ServiceAway(reason))
      request.destroy()
    }
    let mayTryAgain = true
    const onError = (error: Error & { readonly code?: string }) => {
      // The service may close a connection that was kept just as it is used again.
      const wasClosed = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      if (!(wasClosed && mayTryAgain)) return giveUp(`cannot be reached (${error.code ?? error.message})`)
      mayTryAgain = false
      // On a connection of its own: others that were kept may be closed too.
      request = send(false)
    }
    const onResponse = (response: http.IncomingMessage) => {
      mayTryAgain = false
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) return giveUp(`answered with more than ${maxBytes} bytes`)
        chunks.push(chunk)
      })
      response.on('error', () => giveUp('broke off its answer'))
      response.on('end', () => {
        const parsed = parse(Buffer.concat(chunks))
        if (parsed === undefined) return giveUp(`answered ${response.statusCode} with what is no JSON`)
        resolve({ status: response.statusCode!, headers: response.headers, body: parsed.body })
      })
    }
    let request = send(isSecure ? agents['https:'] : agents['http:'])
    const late = setTimeout(() => giveUp(`did not answer within ${milliseconds / 1000} seconds`), milliseconds)
    return promise.finally(() => clearTimeout(late))
  }
}

/** The body, null where there is none; undefined where it is no JSON. */
function parse(bytes: Buffer): { readonly body: unknown } | undefined {
  if (bytes.length === 0) return { body: null }
  try {
    return { body: JSON.parse(bytes.toString('utf8')) }
  } catch {
    return undefined
  }
}
