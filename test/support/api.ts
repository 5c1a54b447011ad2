import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { believeHeaders } from '../../src/api/auth.ts'
import { type ApiOptions, startApi } from '../../src/api/server.ts'
import { systemClock } from '../../src/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Database } from '../../src/db/sql.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { routes } from '../../src/resources/index.ts'
import { ensureDefaultPool } from '../../src/resources/pools/seed.ts'
import { type CheckAnswer, documentedAnswers } from './openapi.ts'
import { testSettings } from './settings.ts'

/** A store for one suite: an open, empty database and how to be rid of it. */
export type Store = { readonly db: Database; remove(): Promise<void> }
export type NewStore = () => Promise<Store>

/** SQLite in a folder of its own. */
export const sqliteStore: NewStore = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nameplane-api-'))
  const db = openSqlite(join(folder, 'nameplane.db'))
  return {
    db,
    async remove() {
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** One resource as any answer shows it. */
export type Shown = {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string | null
  readonly links: { readonly self: string }
  readonly [field: string]: unknown
}

export type Page = {
  readonly links: { readonly self: string; readonly next?: string }
  readonly metadata?: unknown
} & {
  readonly [collection: string]: readonly Shown[]
}

export type Problem = {
  readonly code: number
  readonly type: string
  readonly message: string
  readonly request_id: string
  readonly errors?: { readonly errors: readonly { path: (string | number)[]; message: string; validator: string }[] }
}

export type Answer<T> = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: T
}

type Options = {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

/** The service in this process on a port of its own, and a small client for it. */
export type Api = {
  readonly url: string
  readonly db: Database
  call<T = Shown>(method: string, path: string, options?: Options): Promise<Answer<T>>
  get<T = Shown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>
  list(path: string, headers?: Record<string, string>): Promise<Answer<Page>>
  post<T = Shown>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  patch<T = Shown>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  delete<T = Shown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>
  /** Sends bytes as they are and gives what came back until the service closed the connection. */
  send(...parts: readonly (string | Uint8Array)[]): Promise<string>
  close(): Promise<void>
}

/** Starts the API over a store; every answer is held to the API's own document. */
export async function startTestApi(newStore: NewStore, options: Partial<ApiOptions> = {}): Promise<Api> {
  const { db, remove } = await newStore()
  await migrate(db, new Date())
  await db.write((tx) => ensureDefaultPool(tx, ['ns1.nameplane.test.'], new Date()))
  const api = await startApi({
    db,
    routes: routes(testSettings),
    listen: { host: '127.0.0.1', port: 0 },
    authenticate: believeHeaders,
    defaultLimit: 20,
    maxLimit: 1000,
    maxBodyBytes: 114_688,
    publicUrl: undefined,
    trustedProxies: [],
    corsOrigins: [],
    log: pino({ level: 'silent' }),
    clock: systemClock,
    ...options,
  })
  const check = await documentedAnswers(api.url)
  const call = caller(api.url, check)
  const json = { 'Content-Type': 'application/json' }
  return {
    url: api.url,
    db,
    call,
    get: (path, headers = {}) => call('GET', path, { headers }),
    list: (path, headers = {}) => call('GET', path, { headers }),
    post: (path, body, headers = {}) => call('POST', path, { headers: { ...json, ...headers }, body }),
    patch: (path, body, headers = {}) => call('PATCH', path, { headers: { ...json, ...headers }, body }),
    delete: (path, headers = {}) => call('DELETE', path, { headers }),
    send: (...parts) => sendBytes(api.url, parts),
    async close() {
      await api.close()
      await remove()
    },
  }
}

const caller =
  (url: string, check: CheckAnswer) =>
  async <T>(method: string, path: string, options: Options = {}): Promise<Answer<T>> => {
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const response = await fetch(url + path, {
      method,
      headers: { ...options.headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    const { status, headers } = response
    const text = await response.text()
    const isJson = text !== '' && headers.get('content-type')?.startsWith('application/json')
    const parsed: unknown = isJson ? JSON.parse(text) : undefined
    if (status === 500) throw new Error(`${method} ${path} gave ${text}`)
    check({ method, path, status, body: parsed })
    return { status, headers, text, body: parsed as T }
  }

function sendBytes(url: string, parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  const socket = connect(Number(port), hostname, async () => {
    for (const part of parts) {
      socket.write(part)
      await new Promise((next) => setTimeout(next, 5))
    }
  })
  socket.setTimeout(5000, () => socket.destroy())
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  socket.on('error', () => {})
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  return promise
}
