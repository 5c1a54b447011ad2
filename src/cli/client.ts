import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Trouble } from '../trouble.ts'

/** How the service is reached: NAMEPLANE_URL, and who asks. */
export type Client = {
  json<T>(method: string, path: string, body?: unknown): Promise<T>
  upload<T>(path: string, file: string): Promise<T>
  /** A body as it comes. */
  stream(path: string, accept: string): Promise<AsyncIterable<Uint8Array>>
  readonly url: string
}

export const defaultUrl = 'http://127.0.0.1:9001'

/** A client for the service that the environment or `--url` names; `always` are headers of every request. */
export function openClient(
  url: string | undefined,
  environment: NodeJS.ProcessEnv,
  always: Readonly<Record<string, string>> = {},
): Client {
  const base = (url ?? environment.NAMEPLANE_URL ?? defaultUrl).replace(/\/+$/, '')
  const { NAMEPLANE_TOKEN: token, NAMEPLANE_PROJECT: project } = environment
  const who = { ...(token && { 'X-Auth-Token': token }), ...(project && { 'X-Auth-Project-ID': project }) }

  const ask = async (method: string, path: string, more: RequestInit = {}): Promise<Response> => {
    const options = { method, ...more, headers: { ...always, ...who, ...more.headers } }
    const response = await fetch(base + path, options).catch((error: unknown) => {
      const cause = (error as { cause?: Error }).cause ?? (error as Error)
      throw new Trouble(`cannot reach the service at ${base}: ${cause.message}; is it running? (NAMEPLANE_URL)`)
    })
    if (response.ok) return response
    const { message } = (await response.json().catch(() => ({}))) as { message?: string }
    throw new Refusal(response.status, message ?? response.statusText)
  }

  return {
    url: base,
    async json<T>(method: string, path: string, body?: unknown) {
      const headers = { 'Content-Type': 'application/json' }
      const response = await ask(method, path, body === undefined ? {} : { headers, body: JSON.stringify(body) })
      return (response.status === 204 ? undefined : await response.json()) as T
    },
    async upload<T>(path: string, file: string) {
      const { size } = await stat(file)
      const body = Readable.toWeb(createReadStream(file)) as ReadableStream
      const headers = { 'Content-Type': 'text/dns', 'Content-Length': String(size) }
      return (await (await ask('POST', path, { headers, body, duplex: 'half' } as RequestInit)).json()) as T
    },
    stream: async (path, accept) =>
      (await ask('GET', path, { headers: { Accept: accept } })).body as unknown as AsyncIterable<Uint8Array>,
  }
}

/** What the service would not do, in its words. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
