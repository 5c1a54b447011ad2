import { isObject } from '../../../api/field.ts'
import type { Clock } from '../../../clock.ts'
import { DnsError } from '../../../dns/errors.ts'
import { type ErrorType, fail } from '../../../errors.ts'
import { toUuid } from '../../../ids.ts'
import { canonicalAddress } from '../fields.ts'
import { type AddressSource, type Asker, type Held, mostAddresses } from '../source.ts'
import { type ClientOptions, type JsonAnswer, jsonClient, ServiceAway } from './json-client.ts'
import { type Credentials, serviceTokens } from './keystone.ts'

export type NetworkOptions = ClientOptions & {
  /** Where the network service is, with or without `/v2.0`. */
  readonly url: string
  /** The region it is for, the first part of the ids of its addresses. */
  readonly region: string
  /** Where and how this service gets a token; without it, callers' own tokens are passed on. */
  readonly identity: { readonly url: string; readonly credentials: Credentials } | undefined
  readonly clock: Clock
}

const pageSize = 1000

/** The floating IPs of OpenStack's network service (Neutron), asked over its HTTP API. */
export function networkService(options: NetworkOptions): AddressSource {
  const { region, identity } = options
  const client = jsonClient(options)
  const base = `${options.url.replace(/\/v2\.0$/, '')}/v2.0/floatingips`
  const tokens = identity && asIdentity(serviceTokens(client, identity.url, identity.credentials, options.clock))

  /** One page, with the caller's token or our own; ours may have been revoked, so it is renewed once. */
  async function page(asker: Asker, more: Readonly<Record<string, string>>): Promise<Page> {
    const url = new URL(base)
    url.search = new URLSearchParams([
      ...['id', 'floating_ip_address', 'project_id', 'tenant_id'].map((field) => ['fields', field] as [string, string]),
      ['project_id', asker.project_id],
      ['limit', String(pageSize)],
      ...Object.entries(more),
    ]).toString()
    const ask = (token: string) => client({ method: 'GET', url, token })
    if (tokens === undefined) return readPage(await ask(tokenOf(asker)), 'theirs')
    const token = await tokens()
    const first = await ask(token)
    return readPage(first.status === 401 ? await ask(await tokens(token)) : first, 'ours')
  }

  async function addresses(asker: Asker, which: Readonly<Record<string, string>>): Promise<Held[]> {
    const found = new Map<string, Held>()
    let marker: string | undefined
    for (let pages = 0; pages <= mostAddresses / pageSize; pages += 1) {
      const { rows, hasMore } = await page(asker, marker === undefined ? which : { ...which, marker })
      for (const row of rows) {
        const held = readRow(row, region)
        // Whatever it was asked, a service may show an administrator's token what others have.
        if (held?.project_id === asker.project_id) found.set(held.id, held)
      }
      const last = rows.at(-1)?.id
      if (!hasMore || typeof last !== 'string' || last === marker) return [...found.values()]
      marker = last
    }
    throw new ServiceAway(`has more than ${mostAddresses} addresses of this project`)
  }

  const told = asNetwork(addresses)
  return {
    name: 'network',
    all: (asker) => told(asker, {}),
    one: async (asker, key) =>
      key.region === region ? (await told(asker, { id: key.id })).find(({ id }) => id === key.id) : undefined,
  }
}

type Page = { readonly rows: readonly Record<string, unknown>[]; readonly hasMore: boolean }

function readPage({ status, body }: JsonAnswer, whose: 'ours' | 'theirs'): Page {
  if (whose === 'theirs' && status === 401) fail('unauthorized', 'the network service does not know the X-Auth-Token')
  if (whose === 'theirs' && status === 403) fail('forbidden', 'the network service does not show your addresses to you')
  const rows = isObject(body) ? body.floatingips : undefined
  if (status !== 200 || !Array.isArray(rows) || !rows.every(isObject)) {
    throw new ServiceAway(`answered ${status} when asked for addresses`)
  }
  const links = (body as Record<string, unknown>).floatingips_links
  return { rows, hasMore: Array.isArray(links) && links.some((link) => isObject(link) && link.rel === 'next') }
}

/** An address as we know it; undefined where the row has none, such as one that is not given out yet. */
function readRow(row: Record<string, unknown>, region: string): Held | undefined {
  const id = toUuid(String(row.id))
  const project_id = row.project_id ?? row.tenant_id
  if (id === undefined || typeof project_id !== 'string' || typeof row.floating_ip_address !== 'string')
    return undefined
  try {
    return { region, id, project_id, address: canonicalAddress(row.floating_ip_address) }
  } catch (error) {
    if (error instanceof DnsError) return undefined
    throw error
  }
}

function tokenOf({ token }: Asker): string {
  return token || fail('unauthorized', 'addresses are asked of the network service, which wants your X-Auth-Token')
}

/** Tells clients what keeps another service from answering, as an error of a type. */
const failingAs =
  (type: ErrorType, service: string) =>
  <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
  (...args: Args): Promise<T> =>
    work(...args).catch((error: unknown) => {
      if (error instanceof ServiceAway) fail(type, `${service} ${error.message}`)
      throw error
    })

const asIdentity = failingAs('keystone_communication_failure', 'the identity service')
const asNetwork = failingAs('neutron_communication_failure', 'the network service')
