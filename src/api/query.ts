import { fail } from '../errors.ts'

/** A query string as its pairs in the given order, each name once. */
export type Query = ReadonlyMap<string, string>

/** Parameters that stand for a header; they act on the caller. */
const callerParameters = ['all_projects', 'all_tenants', 'edit_managed_records']

/** All that was given, and apart from each other what is for the operation and what for the caller. */
export type ParsedQuery = { readonly given: Query; readonly query: Query; readonly callerQuery: Query }

const none: ParsedQuery = { given: new Map(), query: new Map(), callerQuery: new Map() }

/** Reads a query string; refuses bad escapes and a parameter that stands twice. */
export function parseQuery(text: string): ParsedQuery {
  if (text === '') return none
  const given = new Map<string, string>()
  const query = new Map<string, string>()
  const callerQuery = new Map<string, string>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : decode(pair.slice(at + 1))
    if (given.has(name)) fail('bad_request', `Duplicate filters ${name}`)
    given.set(name, value)
    const into = callerParameters.includes(name) ? callerQuery : query
    into.set(name, value)
  }
  return { given, query, callerQuery }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return fail('bad_request', `the query has a bad percent-escape: ${text}`)
  }
}

/** Writes a query string, with its `?`, or nothing when there are no pairs. */
export function printQuery(query: Query): string {
  if (query.size === 0) return ''
  const pairs = []
  for (const [name, value] of query) pairs.push(`${encode(name)}=${encode(value)}`)
  return `?${pairs.join('&')}`
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('*', '%2A')
