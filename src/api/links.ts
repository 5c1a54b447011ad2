import { networks } from '../networks.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Finds the address clients reach us by, from the settings or the request. */
export type LinkBase = (request: { readonly headers: Headers; readonly remoteAddress: string | undefined }) => string

const host = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const prefix = /^(?:\/[A-Za-z0-9._~-]+)+$/

/** Links start with the public URL when one is set; else they follow Host, or what a trusted proxy says of it. */
export function linkBase(options: {
  readonly publicUrl: string | undefined
  readonly trustedProxies: readonly string[]
  /** Where we listen, for requests that do not say how they reached us. */
  readonly fallback: () => string
}): LinkBase {
  if (options.publicUrl !== undefined) {
    const fixed = options.publicUrl.replace(/\/+$/, '')
    return () => fixed
  }
  const trusted = networks(options.trustedProxies)
  let last: { readonly host: string; readonly base: string } | undefined
  return ({ headers, remoteAddress }) => {
    if (remoteAddress !== undefined && trusted.has(remoteAddress)) {
      const told = forwarded(headers)
      if (told !== undefined) return told
    }
    const given = typeof headers.host === 'string' ? headers.host : ''
    if (given !== last?.host) last = { host: given, base: host.test(given) ? `http://${given}` : options.fallback() }
    return last.base
  }
}

function forwarded(headers: Headers): string | undefined {
  const standard = parseForwarded(first(headers.forwarded))
  const proto = (standard.proto ?? first(headers['x-forwarded-proto']) ?? 'http').toLowerCase()
  const name = standard.host ?? first(headers['x-forwarded-host']) ?? first(headers.host)
  const path = first(headers['x-forwarded-prefix'])?.replace(/\/+$/, '') ?? ''
  if (name === undefined || !host.test(name) || !/^https?$/.test(proto)) return undefined
  return `${proto}://${name}${prefix.test(path) ? path : ''}`
}

/** The first element of RFC 7239's header: the hop nearest to the client. */
function parseForwarded(text: string | undefined): { proto?: string; host?: string } {
  const found: Record<string, string> = {}
  for (const pair of text?.split(';') ?? []) {
    const [name, value] = pair.split('=', 2)
    if (name !== undefined && value !== undefined) found[name.trim().toLowerCase()] = value.trim().replaceAll('"', '')
  }
  return found
}

const first = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim() || undefined
