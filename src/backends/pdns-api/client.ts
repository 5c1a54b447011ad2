import { readFile } from 'node:fs/promises'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type MayAct, Unreachable } from '../kind.ts'
import { Mendable, networkTrouble } from '../mendable.ts'

/** How the HTTP API of a PowerDNS is reached. */
export type ApiSettings = {
  readonly api_endpoint: string
  readonly api_token: string
  readonly api_ca_cert: string | undefined
  /** Seconds of silence that are borne. */
  readonly timeout: number
  readonly mayAct?: MayAct | undefined
}

/** A call of the API; `path` follows `/api/v1/servers/localhost`. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly signal: AbortSignal
  /** How many octets the answer may have. */
  readonly most?: number
}

/** What PowerDNS answered: its JSON, or undefined where it had none. */
export type Answer = { readonly status: number; readonly body: unknown }

type Connection = { readonly url: URL; readonly agent: HttpAgent }

/** How many calls are made at one time. */
export const callsAtOnce = 8

const mostOctets = 1024 * 1024
/** A whole answer may take so many times the silence that is borne. */
const patience = 12

/** Speaks the HTTP API of a PowerDNS. What a call resolves with is an answer of PowerDNS itself; for all else it throws Unreachable. */
export class PdnsApi {
  readonly #settings: ApiSettings
  readonly #closed = new AbortController()
  #connection: Promise<Connection> | undefined

  constructor(settings: ApiSettings) {
    this.#settings = settings
  }

  /** Where it is, for a person. */
  get at(): string {
    return this.#settings.api_endpoint
  }

  async call(call: Call): Promise<Answer> {
    this.#connection ??= this.#connect()
    const connection = await this.#connection.catch((error) => {
      this.#connection = undefined
      throw error
    })
    const signal = AbortSignal.any([call.signal, this.#closed.signal])
    const { status, text } = await this.#exchange(connection, call, signal, true)
    if (status === 401) throw this.#trouble('refuses our api_token', wrongToken)
    if (status < 200 || (status >= 300 && status < 400))
      throw this.#trouble(`answers with status ${status}`, wrongServer)
    if (status === 502 || status === 503 || status === 504)
      throw this.#trouble(`is behind something that answers with status ${status}`, behindProxy)
    if (status === 404 && call.path !== '') await this.#mustBeThere(call.signal)
    const body = parsed(text)
    if (status < 300 && text !== '' && body === undefined)
      throw this.#trouble('answers with something that is not JSON', wrongServer)
    return { status, body: body ?? (status < 300 ? undefined : { error: text.slice(0, 500) }) }
  }

  async close(): Promise<void> {
    this.#closed.abort(new Unreachable(`the connection to PowerDNS at ${this.at} was closed`))
    const connection = await this.#connection?.catch(() => undefined)
    connection?.agent.destroy()
  }

  /** A server without the API does not have the zone either: that is not what was asked. */
  async #mustBeThere(signal: AbortSignal): Promise<void> {
    const { status } = await this.call({ method: 'GET', path: '', signal })
    if (status !== 200) throw this.#trouble('has no API there', wrongServer)
  }

  async #connect(): Promise<Connection> {
    const { api_endpoint, api_ca_cert } = this.#settings
    const url = URL.canParse(api_endpoint) ? new URL(api_endpoint) : undefined
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
      throw new Mendable(
        `api_endpoint ${api_endpoint} is not the address of an API`,
        'give one such as http://127.0.0.1:8081',
      )
    const kept = { keepAlive: true, maxSockets: callsAtOnce }
    if (url.protocol === 'http:') return { url, agent: new HttpAgent(kept) }
    if (api_ca_cert === undefined) return { url, agent: new HttpsAgent(kept) }
    const ca = await readFile(api_ca_cert, 'utf8').catch((cause) => {
      throw new Mendable(
        `api_ca_cert ${api_ca_cert} cannot be read: ${(cause as NodeJS.ErrnoException).code}`,
        'give the file with the certificate authority of api_endpoint, and let the user of this service read it',
        { cause },
      )
    })
    return { url, agent: new HttpsAgent({ ...kept, ca, allowPartialTrustChain: true }) }
  }

  #exchange(
    connection: Connection,
    call: Call,
    signal: AbortSignal,
    mayRepeat: boolean,
  ): Promise<{ status: number; text: string }> {
    const { timeout, mayAct } = this.#settings
    return new Promise((resolve, reject) => {
      mayAct?.()
      let isSettled = false
      const finish = (settle: () => void) => {
        if (isSettled) return
        isSettled = true
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        settle()
      }
      const fail = (error: unknown) => finish(() => reject(error))
      const abort = () => stop(signal.reason as Error)
      const stop = (error: Error) => {
        fail(error)
        request?.destroy()
      }
      const timer = setTimeout(
        () => stop(this.#trouble(`has not come to the end of its answer in ${timeout * patience} seconds`, slow)),
        timeout * patience * 1000,
      )
      let request: ClientRequest | undefined
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      try {
        request = this.#begin(connection, call)
      } catch (cause) {
        return fail(this.#trouble(`cannot be asked: ${(cause as Error).message}`, wrongToken, cause as Error))
      }
      request.setTimeout(timeout * 1000, () => stop(this.#trouble(`does not answer within ${timeout} seconds`, hung)))
      request.once('response', (response) => {
        this.#read(response, call.most ?? mostOctets, stop, (text) =>
          finish(() => resolve({ status: response.statusCode ?? 0, text })),
        )
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection may be closed by the server just as it is used again.
        if (mayRepeat && request?.reusedSocket && error.code === 'ECONNRESET')
          finish(() => resolve(this.#exchange(connection, call, signal, false)))
        else fail(this.#translated(error))
      })
    })
  }

  #begin({ url, agent }: Connection, { method, path, body }: Call): ClientRequest {
    const prefix = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1(?:\/servers\/localhost)?$/, '')
    const text = body === undefined ? undefined : JSON.stringify(body)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send({
      agent,
      method,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${prefix}/api/v1/servers/localhost${path}`,
      headers: {
        Host: url.host,
        Accept: 'application/json',
        'X-API-Key': this.#settings.api_token,
        ...(text === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      },
    })
    request.end(text)
    return request
  }

  #read(response: IncomingMessage, most: number, stop: (error: Error) => void, done: (text: string) => void): void {
    const chunks: Buffer[] = []
    let octets = 0
    response.on('data', (chunk: Buffer) => {
      octets += chunk.length
      if (octets > most) stop(this.#trouble(`sends an answer of more than ${most} octets`, wrongServer))
      else chunks.push(chunk)
    })
    response.once('end', () => done(Buffer.concat(chunks).toString()))
    response.once('error', (error) => stop(this.#translated(error)))
  }

  #translated(error: NodeJS.ErrnoException): Unreachable {
    const { code = '' } = error
    const network = networkTrouble(code)
    if (network !== undefined)
      return new Mendable(`PowerDNS cannot be reached at ${this.at}: ${network.what}`, network.mend, { cause: error })
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return this.#trouble(`has a certificate for another host: ${error.message}`, wrongName, error)
    if (code === 'CERT_HAS_EXPIRED')
      return this.#trouble('has a certificate that is no longer valid', 'renew the certificate', error)
    if (/SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECODE)|CERT_|INVALID_CA|INVALID_PURPOSE/.test(code))
      return this.#trouble(`has a certificate that we do not trust: ${code}`, wrongAuthority, error)
    if (/^EPROTO$|^ERR_SSL_/.test(code)) return this.#trouble(`does not speak TLS with us: ${code}`, noTls, error)
    if (/^HPE_/.test(code)) return this.#trouble(`does not speak HTTP with us: ${code}`, wrongServer, error)
    return this.#trouble(`closes the connection without an answer: ${error.message}`, notAllowed, error)
  }

  #trouble(what: string, mend: string, cause?: Error): Unreachable {
    return new Mendable(`PowerDNS at ${this.at} ${what}`, mend, { cause })
  }
}

const slow = 'look at the load of the server, or give this target a longer timeout'
const hung = 'look whether PowerDNS still works (pdns_control ping on its machine); restart it if not'
const wrongServer = 'let api_endpoint name the webserver-address and webserver-port of pdns.conf, with api=yes there'
const wrongToken = 'let api_token be the api-key of pdns.conf'
const notAllowed = 'let webserver-allow-from in pdns.conf have the address of this machine in it'
const behindProxy = 'look whether PowerDNS runs behind it'
const wrongName = 'let api_endpoint have a host name that the certificate has'
const wrongAuthority = 'give the certificate authority of api_endpoint in api_ca_cert'
const noTls = 'let api_endpoint begin with http:// where the server has no TLS, or name the port that has it'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
