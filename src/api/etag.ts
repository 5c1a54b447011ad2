import { fail } from '../errors.ts'
import type { Call, Reply } from './route.ts'

type Versioned = { readonly version: number; readonly serial: number; readonly status: string }

/** The tag of a version; behind the last dash is its status, which changes by itself and is no edit. */
const tagOf = ({ version, serial, status }: Versioned): string => `"${version}-${serial}-${status.toLowerCase()}"`

/** Refuses to change what is not the version the client has seen (RFC 9110 13.1.1). */
export function mustMatch(call: Pick<Call, 'headers'>, row: Versioned): void {
  const wanted = call.headers['if-match']
  if (wanted === undefined) return
  const present = withoutStatus(tagOf(row))
  if (!tagsIn(wanted).some((tag) => tag === '*' || withoutStatus(tag) === present)) {
    fail('precondition_failed', 'it has been changed since the version that If-Match names; get it again and retry')
  }
}

/** Refuses to make what must not be there yet. */
export function mustNotExist(call: Pick<Call, 'headers'>): void {
  const wanted = call.headers['if-none-match']
  if (wanted !== undefined && tagsIn(wanted).includes('*')) {
    fail('precondition_failed', 'it exists already, and If-None-Match: * asked that it does not')
  }
}

/** The reply with the row's tag; 304 when the client says that it has this very version. */
export function tagged(call: Pick<Call, 'headers'>, row: Versioned, reply: Reply): Reply {
  const tag = tagOf(row)
  const known = reply.status === 200 ? call.headers['if-none-match'] : undefined
  if (known !== undefined && tagsIn(known).some((one) => one === '*' || one === tag))
    return { status: 304, headers: { ETag: tag } }
  return { ...reply, headers: { ...reply.headers, ETag: tag } }
}

const tagsIn = (header: string | string[]): string[] =>
  String(header)
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))

const withoutStatus = (tag: string): string => tag.replace(/-[a-z]+"$/, '')
