import type { Database, Tx } from '../db/sql.ts'
import type { Caller } from './auth.ts'
import { type Among, list, type PageLimits } from './collection.ts'
import type { Schema } from './field.ts'
import type { Action } from './policy.ts'
import type { Profile } from './profile.ts'
import type { Query } from './query.ts'
import type { Described, Resource, RowOf } from './resource.ts'
import { escaped } from './row-printer.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>
type ParameterNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterNames<Rest> : never
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Everything a handler gets: the request as values, and the one transaction it runs in. */
export type Call<Parameter extends string = string> = PageLimits & {
  readonly tx: Tx
  readonly params: Readonly<Record<Parameter, string>>
  readonly query: Query
  /** The whole query, for links: what is for the caller too. */
  readonly linkQuery: Query
  readonly body: unknown
  /** What the route's `prepare` gave. */
  readonly prepared?: unknown
  readonly headers: Headers
  readonly caller: Caller
  readonly now: Date
  readonly requestId: string
  readonly profile: Profile
  readonly mount: string
}

/** What a handler answers; the server writes it once the transaction is durable. */
export type Reply = {
  readonly status: number
  readonly body?: unknown
  /** The body as JSON text, where it was made as text. */
  readonly text?: string
  /** The body in parts, made as they are sent; the handler's transaction lives until the last one is. */
  readonly stream?: AsyncIterable<string>
  readonly headers?: Readonly<Record<string, string>>
}

export type RouteOptions = {
  readonly may: Action
  readonly resource: Described
  /** What it does, in a few words, for the API document. */
  readonly summary: string
  /** `parts`: a body of any size, sent as it is made. */
  readonly returns: 'one' | 'list' | 'nothing' | 'parts'
  readonly status: number
  /** Whether a GET may have to look at many rows, so that others should not wait for it. */
  readonly isSlow?: boolean
  /** Its name in the API document, where `may` is that of another operation too. */
  readonly operation?: string
  /** Whether a POST takes a body where it is not a matter of course: `optional` may be empty, `none` is not read. */
  readonly body?: 'optional' | 'none'
  /** Parts of the path that are text, not ids. */
  readonly text?: readonly string[]
  /** Query parameters it takes beside those that every list has: their schemas by name. */
  readonly parameters?: Readonly<Record<string, Schema>>
  /** The type of what it answers, where that is not JSON. */
  readonly answers?: string
  /** Takes the body before the handler runs, where it may be too large for one transaction or for memory. */
  readonly intake?: Intake
  /** What is done before the transaction because it may take long, such as asking another service. It gives the handler's `prepared`. */
  readonly prepare?: (call: Omit<Call, 'tx'>, db: Database) => Promise<unknown>
}

/** How a route takes a large body: as it comes, of at most so many bytes. What it makes of it is the handler's `body`. */
export type Intake = {
  readonly maxBytes: number
  /** The types of body it takes, with the schema of those that are JSON. */
  readonly types: Readonly<Record<string, Schema>>
  readonly take: (call: Omit<Call, 'tx'>, body: AsyncIterable<Uint8Array>, db: Database) => Promise<unknown>
}

type ApiPath = `/v2/${string}` | `/admin/${string}`

export type Route = RouteOptions & {
  readonly method: Method
  /** As it stands in the API reference; each mount puts its own root before it. */
  readonly path: ApiPath
  readonly handle: (call: Call) => Promise<Reply>
}

/** One operation of the API: its place, who may call it, and what it does. Ids in the path arrive checked. */
export function route<const P extends ApiPath>(
  where: `${Method} ${P}`,
  options: RouteOptions,
  handle: (call: Call<ParameterNames<P>>) => Promise<Reply>,
): Route {
  const [method, path] = where.split(' ') as [Method, P]
  return { ...options, method, path, handle: handle as Route['handle'] }
}

type Viewed<R extends Resource> = { readonly call: Call; readonly resource: R; readonly row: RowOf<R> }

const view = <R extends Resource>({ call, resource, row }: Viewed<R>) =>
  resource.view(row as Record<string, unknown>, call.profile, call.mount)

/** 200 with the resource, or another status where the mount wants one. */
export const shown = <R extends Resource>(call: Call, resource: R, row: RowOf<R>, status = 200): Reply => ({
  status,
  body: view({ call, resource, row }),
})

/** As shown, from the values of its row as they are stored. */
export const printed = (call: Call, resource: Resource, values: readonly unknown[]): Reply => ({
  status: 200,
  text: resource.alone(call.profile).print(values, escaped(call.mount)),
})

/** 201 with the resource and where it is. */
export const created = <R extends Resource>(call: Call, resource: R, row: RowOf<R>): Reply => ({
  status: 201,
  body: view({ call, resource, row }),
  headers: { Location: call.mount + resource.path(row as Record<string, unknown>) },
})

export const noContent: Reply = { status: 204 }

/** 200 with one page of what the caller may see. */
export const listed = async (call: Call, resource: Resource, among: Among): Promise<Reply> => ({
  status: 200,
  text: await list(call, resource, among),
})
