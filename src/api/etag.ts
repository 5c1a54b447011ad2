import { createHash } from 'node:crypto'
import { fail } from '../errors.ts'
import { isObject } from './field.ts'
import type { Call, Reply } from './route.ts'

type Versioned = {
  readonly version: number
  readonly serial: number
  readonly status: string
  readonly status_reason?: string | null
}

/** What the tag of a row is made of, where only its values were read. */
export function versionIn(columns: readonly string[], values: readonly unknown[]): Versioned {
  const of = (column: string) => values[columns.indexOf(column)]
  const [version, serial, status] = [of('version'), of('serial'), of('status')]
  return { version, serial, status, status_reason: of('trouble') } as Versioned
}

type Headers = Pick<Call, 'headers'>

/** The tag of a version; behind the last dash is its status, with the reason for it, which changes by itself and is no edit. */
const tagOf = ({ version, serial, status, status_reason }: Versioned): string =>
  `"${version}-${serial}-${status.toLowerCase()}${status_reason ? digestOf(status_reason) : ''}"`

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Refuses to change what is not the version the client asks for (RFC 9110 13.1.1, 13.1.2). */
export function mustMatch({ headers }: Headers, row: Versioned): void {
  if (headers['if-match'] !== undefined && !names(headers['if-match'], row, withoutStatus)) {
    fail('precondition_failed', 'it has been changed since the version that If-Match names; get it again and retry')
  }
  if (headers['if-none-match'] !== undefined && names(headers['if-none-match'], row, withoutStatus)) {
    fail('precondition_failed', 'it exists already in a version that If-None-Match rules out')
  }
}

/** Refuses to make what the client says is there. */
export function mustNotBeAskedFor({ headers }: Headers): void {
  if (headers['if-match'] !== undefined) {
    fail('precondition_failed', 'it does not exist yet, and If-Match asked for a version of it')
  }
}

/** The reply with the row's tag. */
export const tagged = (row: Versioned, reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, ETag: tagOf(row) },
})

/** What GET answers: the reply with the row's tag, or 304 when the client says that it has this very version. */
export function unlessKnown({ headers }: Headers, row: Versioned, reply: Reply): Reply {
  const known = headers['if-none-match']
  if (known === undefined || !names(known, row, (tag) => tag)) return tagged(row, reply)
  return { status: 304, headers: { ETag: tagOf(row) } }
}

/**
 * What was shown of a row, for a body that was made from it: a status changes by itself, so a body that names
 * the row's version and serial may hold another one than the row has by now.
 */
export function asSeen(body: unknown, shown: Record<string, unknown>, row: Versioned): Record<string, unknown> {
  const isOfThisVersion = isObject(body) && body.version === row.version && (body.serial ?? row.serial) === row.serial
  if (!isOfThisVersion) return shown
  const { status = shown.status, action = shown.action } = body
  const reason = row.status_reason !== undefined && 'status_reason' in body ? { status_reason: body.status_reason } : {}
  return { ...shown, status, action, ...reason }
}

/** Whether a list of tags has that of a row. Weak ones count too: what compresses answers on the way weakens tags. */
function names(header: string | string[], row: Versioned, form: (tag: string) => string): boolean {
  const present = form(tagOf(row))
  return String(header)
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || form(tag) === present)
}

const withoutStatus = (tag: string): string => tag.replace(/-[a-z]+[0-9a-f]*"$/, '')
